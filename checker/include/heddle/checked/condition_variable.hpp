// heddle::condition_variable of the checked build.
//
// A notify wakes any of the waiting threads, and each choice is explored. A wait returns without a
// notify only as often as options::spurious says. A timed wait never blocks an execution: it times
// out in some, and in others a notify is first. A deadline that has passed already times out at
// once, after the mutex was unlocked and locked again.
// A loop that waits again after each time-out, `while (!done) cv.wait_for(lock, 1s)`, has no end in
// the checker: it is explored up to max_steps, like a spin loop.
//
// Notifying synchronises with nobody, in the words of the standard; what a waiter reads must be
// ordered by the mutex. Outside a body there is nobody to notify, and waiting throws usage_error.
#pragma once

#include <chrono>
#include <concepts>
#include <condition_variable>
#include <type_traits>

#include "checker/sync/condition.hpp"
#include "heddle/checked/clock.hpp"
#include "heddle/checked/lockable.hpp"
#include "heddle/checked/mutex.hpp"
#include "heddle/checked/unique_lock.hpp"

namespace heddle {

namespace checked {

// The waits of both condition variables. `mutex`: see sync::condition::enter.
class waiting {
 public:
  waiting(sync::condition& condition, const void* mutex, location where)
      : condition_(condition), mutex_(mutex), where_(where) {}

  template <class Lock>
  void wait(Lock& lock) {
    once(lock, nullptr, nothing{});
  }
  template <class Lock>
  std::cv_status wait_until(Lock& lock, const deadline& end) {
    return once(lock, &end, nothing{}) ? std::cv_status::no_timeout : std::cv_status::timeout;
  }
  template <class Lock, class Predicate>
  bool wait_until(Lock& lock, const deadline& end, Predicate& pred) {
    while (!static_cast<bool>(pred()))
      if (!once(lock, &end, nothing{})) return static_cast<bool>(pred());
    return true;
  }
  // `end`: null if there is none. Returns once `is_stopped` holds too, if who makes it hold calls
  // notify_all_released then.
  template <class Lock, class Predicate, class Stopped>
  bool wait_unless(Lock& lock, const deadline* end, Predicate& pred, Stopped is_stopped) {
    while (!static_cast<bool>(pred()))
      if (!once(lock, end, is_stopped)) return static_cast<bool>(pred());
    return true;
  }

 private:
  struct nothing {};

  // False: there is nothing to wait for any more.
  template <class Lock, class Stopped>
  bool once(Lock& lock, const deadline* end, Stopped is_stopped) {
    constexpr bool can_stop = !std::is_same_v<Stopped, nothing>;
    if (end != nullptr && end->has_passed()) {
      unlock_at(lock, where_);
      lock_at(lock, where_);
      return false;
    }
    const auto ticket = condition_.enter(
        mutex_, where_, can_stop ? graph::memory_order::acquire : graph::memory_order::relaxed);
    if constexpr (can_stop) {
      if (is_stopped()) {
        if (!condition_.leave(where_)) condition_.sleep(ticket, where_);
        return false;
      }
    }
    unlock_at(lock, where_);
    bool goes_on = true;
    if (!wakes_spuriously()) {
      if (end != nullptr && condition_.leave(where_)) {
        end->pass();
        goes_on = false;
      } else {
        condition_.sleep(ticket, where_);
      }
    }
    lock_at(lock, where_);
    return goes_on;
  }

  // If a notify is first, nothing is spurious: that is the execution without the failure.
  bool wakes_spuriously() {
    if (!runtime::fails_spuriously(graph::choice_reason::spurious_wakeup, where_)) return false;
    if (!condition_.leave(where_)) runtime::covered_elsewhere(where_);
    return true;
  }

  sync::condition& condition_;
  const void* mutex_;
  location where_;
};

}  // namespace checked

// std::condition_variable. What std leaves undefined is misuse, a violation of its own kind: to
// wait with a lock that does not own its mutex, or with another mutex than those who wait already;
// to destroy it while somebody waits.
class condition_variable {
 public:
  condition_variable() noexcept = default;
  [[gnu::noinline]] ~condition_variable() {
    condition_.check_destruction(location::from_return_address(__builtin_return_address(0)));
  }
  condition_variable(const condition_variable&) = delete;
  condition_variable& operator=(const condition_variable&) = delete;

  void notify_one(location where = location::current()) noexcept { condition_.notify_one(where); }
  void notify_all(location where = location::current()) noexcept { condition_.notify_all(where); }

  void wait(unique_lock<mutex>& lock, location where = location::current()) {
    waiting_with(lock, where).wait(lock);
  }
  // Until pred() holds.
  template <std::predicate Predicate>
  void wait(unique_lock<mutex>& lock, Predicate pred, location where = location::current()) {
    while (!static_cast<bool>(pred())) wait(lock, where);
  }

  template <class Clock, class Duration>
  std::cv_status wait_until(unique_lock<mutex>& lock,
                            const std::chrono::time_point<Clock, Duration>& time,
                            location where = location::current()) {
    return waiting_with(lock, where).wait_until(lock, checked::deadline::at(time));
  }
  // Returns what pred() returns in the end.
  template <class Clock, class Duration, std::predicate Predicate>
  bool wait_until(unique_lock<mutex>& lock, const std::chrono::time_point<Clock, Duration>& time,
                  Predicate pred, location where = location::current()) {
    return waiting_with(lock, where).wait_until(lock, checked::deadline::at(time), pred);
  }
  template <class Rep, class Period>
  std::cv_status wait_for(unique_lock<mutex>& lock,
                          const std::chrono::duration<Rep, Period>& duration,
                          location where = location::current()) {
    auto waiting = waiting_with(lock, where);
    return waiting.wait_until(lock, checked::deadline::after(duration));
  }
  template <class Rep, class Period, std::predicate Predicate>
  bool wait_for(unique_lock<mutex>& lock, const std::chrono::duration<Rep, Period>& duration,
                Predicate pred, location where = location::current()) {
    auto waiting = waiting_with(lock, where);
    return waiting.wait_until(lock, checked::deadline::after(duration), pred);
  }

 private:
  checked::waiting waiting_with(const unique_lock<mutex>& lock, location where) {
    if (!runtime::active()) runtime::outside_of_check("waiting on a condition variable", where);
    if (!lock.owns_lock()) {
      runtime::misuse("a condition variable waits with a lock that does not own its mutex", where,
                      runtime::last_use(lock.mutex(), runtime::this_thread()));
    }
    return {condition_, lock.mutex(), where};
  }
  sync::condition condition_;
};

}  // namespace heddle
