// heddle::this_thread of the checked build. There is no time in a body: sleeping only lets the
// others go first, and forbids nothing.
#pragma once

#include <chrono>

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

// A yield. Outside a body: usage_error.
template <class Rep, class Period>
void sleep_for(const std::chrono::duration<Rep, Period>&, location where = location::current()) {
  if (!runtime::active()) runtime::outside_of_check("sleeping", where);
  runtime::yield();
}

// A yield. Outside a body: usage_error.
template <class Clock, class Duration>
void sleep_until(const std::chrono::time_point<Clock, Duration>&,
                 location where = location::current()) {
  if (!runtime::active()) runtime::outside_of_check("sleeping", where);
  runtime::yield();
}

}  // namespace heddle::this_thread
