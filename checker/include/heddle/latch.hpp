// std's latch, in either build. Checked: what differs for the user is said in
// checked/latch.hpp.
#pragma once

#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/latch.hpp"
#else
#include <latch>

namespace heddle {

using std::latch;

}  // namespace heddle
#endif
