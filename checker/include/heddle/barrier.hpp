// std's barrier, in either build. Checked: what differs for the user is said in
// checked/barrier.hpp.
#pragma once

#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/barrier.hpp"
#else
#include <barrier>

namespace heddle {

using std::barrier;

}  // namespace heddle
#endif
