// std's counting_semaphore and binary_semaphore, in either build. Checked: what differs for the
// user is said in checked/semaphore.hpp.
#pragma once

#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/semaphore.hpp"
#else
#include <semaphore>

namespace heddle {

using std::binary_semaphore;
using std::counting_semaphore;

}  // namespace heddle
#endif
