// heddle::shared_mutex and shared_timed_mutex of the checked build.
#pragma once

#include <chrono>

#include "checker/sync/shared_lock.hpp"
#include "heddle/checked/timed_try.hpp"

namespace heddle {

// std::shared_mutex. What std leaves undefined is misuse, a violation of its own kind: any lock or
// try_lock by a thread that has it already, alone or shared; unlock and unlock_shared by one that
// has it not in this way; destruction while somebody has it. Nobody has precedence: whoever can
// have the lock may be the next. Outside a body the tries and the unlocks act on the object
// directly, and lock and lock_shared throw usage_error.
class shared_mutex {
 public:
  shared_mutex() noexcept = default;
  [[gnu::noinline]] ~shared_mutex() {
    lock_.check_destruction(location::from_return_address(__builtin_return_address(0)));
  }
  shared_mutex(const shared_mutex&) = delete;
  shared_mutex& operator=(const shared_mutex&) = delete;

  void lock(location where = location::current()) { lock_.acquire(where); }
  [[nodiscard]] bool try_lock(location where = location::current()) {
    return lock_.try_acquire(where);
  }
  void unlock(location where = location::current()) { lock_.release(where); }

  void lock_shared(location where = location::current()) { lock_.acquire_shared(where); }
  [[nodiscard]] bool try_lock_shared(location where = location::current()) {
    return lock_.try_acquire_shared(where);
  }
  void unlock_shared(location where = location::current()) { lock_.release_shared(where); }

 private:
  sync::shared_lock lock_;
};

// std::shared_timed_mutex: the same, with what timed_mutex.hpp says of time-outs.
class shared_timed_mutex {
 public:
  shared_timed_mutex() noexcept = default;
  [[gnu::noinline]] ~shared_timed_mutex() {
    lock_.check_destruction(location::from_return_address(__builtin_return_address(0)));
  }
  shared_timed_mutex(const shared_timed_mutex&) = delete;
  shared_timed_mutex& operator=(const shared_timed_mutex&) = delete;

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

  void lock_shared(location where = location::current()) { lock_.acquire_shared(where); }
  [[nodiscard]] bool try_lock_shared(location where = location::current()) {
    return lock_.try_acquire_shared(where);
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_shared_for(const std::chrono::duration<Rep, Period>& duration,
                                         location where = location::current()) {
    return checked::try_for(duration, where, [&] { return lock_.acquire_shared_in_time(where); });
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_shared_until(const std::chrono::time_point<Clock, Duration>& time,
                                           location where = location::current()) {
    return checked::try_until(time, where, [&] { return lock_.acquire_shared_in_time(where); });
  }
  void unlock_shared(location where = location::current()) { lock_.release_shared(where); }

 private:
  sync::shared_lock lock_;
};

}  // namespace heddle
