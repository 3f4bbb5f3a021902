// heddle::condition_variable_any of the checked build. What condition_variable.hpp says holds here
// too, but that threads may wait with different locks.
#pragma once

#include <chrono>
#include <concepts>
#include <condition_variable>
#include <utility>

#include "heddle/checked/condition_variable.hpp"
#include "heddle/checked/stop_token.hpp"

namespace heddle {

// std::condition_variable_any. Going to sleep and unlocking are one step, whatever the lock is.
class condition_variable_any {
 public:
  condition_variable_any() noexcept = default;
  [[gnu::noinline]] ~condition_variable_any() {
    condition_.check_destruction(location::from_return_address(__builtin_return_address(0)));
  }
  condition_variable_any(const condition_variable_any&) = delete;
  condition_variable_any& operator=(const condition_variable_any&) = delete;

  void notify_one(location where = location::current()) noexcept { condition_.notify_one(where); }
  void notify_all(location where = location::current()) noexcept { condition_.notify_all(where); }

  template <class Lock>
  void wait(Lock& lock, location where = location::current()) {
    waiting_at(where).wait(lock);
  }
  // Until pred() holds.
  template <class Lock, std::predicate Predicate>
  void wait(Lock& lock, Predicate pred, location where = location::current()) {
    while (!static_cast<bool>(pred())) wait(lock, where);
  }
  template <class Lock, class Clock, class Duration>
  std::cv_status wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time,
                            location where = location::current()) {
    return waiting_at(where).wait_until(lock, checked::deadline::at(time));
  }
  // Returns what pred() returns in the end.
  template <class Lock, class Clock, class Duration, std::predicate Predicate>
  bool wait_until(Lock& lock, const std::chrono::time_point<Clock, Duration>& time, Predicate pred,
                  location where = location::current()) {
    return waiting_at(where).wait_until(lock, checked::deadline::at(time), pred);
  }
  template <class Lock, class Rep, class Period>
  std::cv_status wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& duration,
                          location where = location::current()) {
    auto waiting = waiting_at(where);
    return waiting.wait_until(lock, checked::deadline::after(duration));
  }
  template <class Lock, class Rep, class Period, std::predicate Predicate>
  bool wait_for(Lock& lock, const std::chrono::duration<Rep, Period>& duration, Predicate pred,
                location where = location::current()) {
    auto waiting = waiting_at(where);
    return waiting.wait_until(lock, checked::deadline::after(duration), pred);
  }

  // The same, which also end when a stop is requested; all return what pred() returns in the end.
  // The request wakes every thread that waits here, those without a token too.
  template <class Lock, std::predicate Predicate>
  bool wait(Lock& lock, stop_token token, Predicate pred, location where = location::current()) {
    return wait_unless_stopped(lock, token, nullptr, pred, where);
  }
  template <class Lock, class Clock, class Duration, std::predicate Predicate>
  bool wait_until(Lock& lock, stop_token token,
                  const std::chrono::time_point<Clock, Duration>& time, Predicate pred,
                  location where = location::current()) {
    const auto end = checked::deadline::at(time);
    return wait_unless_stopped(lock, token, &end, pred, where);
  }
  template <class Lock, class Rep, class Period, std::predicate Predicate>
  bool wait_for(Lock& lock, stop_token token, const std::chrono::duration<Rep, Period>& duration,
                Predicate pred, location where = location::current()) {
    check_active(where);
    const auto end = checked::deadline::after(duration);
    return wait_unless_stopped(lock, token, &end, pred, where);
  }

 private:
  static void check_active(location where) {
    if (!runtime::active()) runtime::outside_of_check("waiting on a condition variable", where);
  }
  checked::waiting waiting_at(location where) {
    check_active(where);
    return {condition_, nullptr, where};
  }

  template <class Lock, class Predicate>
  bool wait_unless_stopped(Lock& lock, const stop_token& token, const checked::deadline* end,
                           Predicate& pred, location where) {
    auto waiting = waiting_at(where);
    if (token.stop_requested(where)) return static_cast<bool>(pred());
    const stop_callback wake(
        token, [this, where] { condition_.notify_all_released(where); }, where);
    return waiting.wait_unless(lock, end, pred, [&] { return token.stop_requested(where); });
  }

  sync::condition condition_;
};

}  // namespace heddle
