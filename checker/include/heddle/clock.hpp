// Clocks: steady_clock, system_clock, high_resolution_clock, with the members of std::chrono's.
//
// Production: they are std::chrono's. Checked: virtual time, said in checked/clock.hpp.
#pragma once

#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/clock.hpp"
#else

#include <chrono>

namespace heddle {

using std::chrono::high_resolution_clock;
using std::chrono::steady_clock;
using std::chrono::system_clock;

}  // namespace heddle
#endif
