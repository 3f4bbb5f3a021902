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
    const auto ticket = condition_.enter(mutex_, where_);
    unlock_at(lock, where_);
    if (!wakes_spuriously()) condition_.sleep(ticket, where_);
    lock_at(lock, where_);
  }

  template <class Lock>
  std::cv_status wait_until(Lock& lock, const deadline& end) {
    if (end.has_passed()) {
      unlock_at(lock, where_);
      lock_at(lock, where_);
      return std::cv_status::timeout;
    }
    const auto ticket = condition_.enter(mutex_, where_);
    unlock_at(lock, where_);
    auto status = std::cv_status::no_timeout;
    if (!wakes_spuriously()) {
      if (condition_.leave(where_)) {
        status = std::cv_status::timeout;
        end.pass();
      } else {
        condition_.sleep(ticket, where_);
      }
    }
    lock_at(lock, where_);
    return status;
  }

 private:
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
    return wait_for_predicate(lock, checked::deadline::at(time), pred, where);
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
    check_active(where);
    return wait_for_predicate(lock, checked::deadline::after(duration), pred, where);
  }

 private:
  static void check_active(location where) {
    if (!runtime::active()) runtime::outside_of_check("waiting on a condition variable", where);
  }
  checked::waiting waiting_with(const unique_lock<mutex>& lock, location where) {
    check_active(where);
    if (!lock.owns_lock()) {
      runtime::misuse("a condition variable waits with a lock that does not own its mutex", where,
                      runtime::last_use(lock.mutex(), runtime::this_thread()));
    }
    return {condition_, lock.mutex(), where};
  }
  template <class Predicate>
  bool wait_for_predicate(unique_lock<mutex>& lock, const checked::deadline& end, Predicate& pred,
                          location where) {
    while (!static_cast<bool>(pred()))
      if (waiting_with(lock, where).wait_until(lock, end) == std::cv_status::timeout)
        return static_cast<bool>(pred());
    return true;
  }

  sync::condition condition_;
};

}  // namespace heddle
