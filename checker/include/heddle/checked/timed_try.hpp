// How a thread waits for a lock with a time-out: by one try.
//
// A thread that waits does nothing that another one could see. So "it gets the lock later" is the
// execution in which it tries later, and "the time is over first" the one in which it tries while
// somebody else has the lock; both are explored, and neither is ever blocked. A try that fails
// moves the thread's clocks to the deadline.
#pragma once

#include <chrono>

#include "heddle/checked/clock.hpp"

namespace heddle::checked {

// `attempt`: tries once, and says whether it got the lock.
template <class Attempt>
bool try_before(const deadline& end, Attempt attempt) {
  if (attempt()) return true;
  end.pass();
  return false;
}

inline void check_may_wait(location where) {
  if (!runtime::active()) runtime::outside_of_check("waiting for a lock with a time-out", where);
}

template <class Rep, class Period, class Attempt>
bool try_for(const std::chrono::duration<Rep, Period>& duration, location where, Attempt attempt) {
  check_may_wait(where);
  return try_before(deadline::after(duration), attempt);
}

template <class Clock, class Duration, class Attempt>
bool try_until(const std::chrono::time_point<Clock, Duration>& time, location where,
               Attempt attempt) {
  check_may_wait(where);
  return try_before(deadline::at(time), attempt);
}

}  // namespace heddle::checked
