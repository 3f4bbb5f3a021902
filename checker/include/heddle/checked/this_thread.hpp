// heddle::this_thread of the checked build. Time is virtual (clock.hpp): sleeping moves the clock,
// lets the others go first, and forbids nothing.
#pragma once

#include <chrono>

#include "heddle/checked/clock.hpp"
#include "heddle/checked/thread.hpp"

namespace heddle::this_thread {

// Outside a body: the id of no thread.
[[nodiscard]] inline thread::id get_id() noexcept {
  return runtime::active() ? checked::thread_access::id_of(runtime::this_thread()) : thread::id{};
}

// A hint to run the others first. It neither allows nor forbids an execution.
inline void yield() noexcept {
  if (runtime::active()) runtime::yield();
}

// A yield, after which this thread's clocks are later by so much. Outside a body: usage_error.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>& duration,
               location where = location::current()) {
  if (!runtime::active()) runtime::outside_of_check("sleeping", where);
  checked::deadline::after(duration).pass();
  runtime::yield();
}

// The same; on a clock that is not heddle's only a yield.
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>& time,
                 location where = location::current()) {
  if (!runtime::active()) runtime::outside_of_check("sleeping", where);
  checked::deadline::at(time).pass();
  runtime::yield();
}

}  // namespace heddle::this_thread
