// heddle::timed_mutex and recursive_timed_mutex of the checked build. Time is virtual (clock.hpp).
#pragma once

#include <chrono>

#include "checker/sync/lock.hpp"
#include "checker/sync/recursive_lock.hpp"
#include "heddle/checked/timed_try.hpp"

namespace heddle {

// std::timed_mutex: what mutex.hpp says of misuse holds, also for the timed members.
// try_lock_for and try_lock_until fail in the executions in which another thread holds the lock
// until the time is over; then this thread's clocks stand at the deadline. They do not fail
// spuriously. Outside a body they throw usage_error. A loop that tries again after each time-out,
// `while (!mutex.try_lock_for(1s))`, has no end in the checker, because each round is at another
// time: it is explored up to max_steps, and the search is incomplete.
class timed_mutex {
 public:
  timed_mutex() noexcept = default;
  [[gnu::noinline]] ~timed_mutex() {
    lock_.check_destruction(location::from_return_address(__builtin_return_address(0)));
  }
  timed_mutex(const timed_mutex&) = delete;
  timed_mutex& operator=(const timed_mutex&) = delete;

  void lock(location where = location::current()) { lock_.acquire(where); }
  [[nodiscard]] bool try_lock(location where = location::current()) {
    return lock_.try_acquire(where);
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& duration,
                                  location where = location::current()) {
    return checked::try_for(duration, where, [&] { return lock_.acquire_in_time(where); });
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time,
                                    location where = location::current()) {
    return checked::try_until(time, where, [&] { return lock_.acquire_in_time(where); });
  }
  void unlock(location where = location::current()) { lock_.release(where); }

 private:
  sync::lock lock_;
};

// std::recursive_timed_mutex: the two in one.
class recursive_timed_mutex {
 public:
  recursive_timed_mutex() noexcept = default;
  [[gnu::noinline]] ~recursive_timed_mutex() {
    lock_.check_destruction(location::from_return_address(__builtin_return_address(0)));
  }
  recursive_timed_mutex(const recursive_timed_mutex&) = delete;
  recursive_timed_mutex& operator=(const recursive_timed_mutex&) = delete;

  void lock(location where = location::current()) { lock_.acquire(where); }
  // These succeed by the thread that holds it already.
  [[nodiscard]] bool try_lock(location where = location::current()) {
    return lock_.try_acquire(where);
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& duration,
                                  location where = location::current()) {
    return checked::try_for(duration, where, [&] { return lock_.acquire_in_time(where); });
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time,
                                    location where = location::current()) {
    return checked::try_until(time, where, [&] { return lock_.acquire_in_time(where); });
  }
  void unlock(location where = location::current()) { lock_.release(where); }

 private:
  sync::recursive_lock lock_;
};

}  // namespace heddle
