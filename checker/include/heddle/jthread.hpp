// jthread: a thread that is asked to stop and joined when it is destroyed, with std's names and
// signatures. Production: it is std's.
#pragma once

#include "heddle/one_build.hpp"
#include "heddle/stop_token.hpp"
#include "heddle/thread.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/jthread.hpp"
#else

#include <thread>

namespace heddle {

using std::jthread;

}  // namespace heddle
#endif
