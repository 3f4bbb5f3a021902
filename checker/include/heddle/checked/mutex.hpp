// heddle::mutex and lock_guard of the checked build.
#pragma once

#include <mutex>

#include "checker/sync/lock.hpp"
#include "heddle/checked/lockable.hpp"

namespace heddle {

// std::mutex. What std leaves undefined is misuse, a violation of its own kind with the source
// line: lock or try_lock by the thread that holds it, unlock by another one, destruction while
// held. Constructing and destroying work anywhere; outside a body try_lock and unlock act on the
// object directly, and lock throws usage_error.
class mutex {
 public:
  constexpr mutex() noexcept = default;
  [[gnu::noinline]] constexpr ~mutex() {
    if (!std::is_constant_evaluated()) {
      lock_.check_destruction(location::from_return_address(__builtin_return_address(0)));
    }
  }
  mutex(const mutex&) = delete;
  mutex& operator=(const mutex&) = delete;

  void lock(location where = location::current()) { lock_.acquire(where); }
  // Does not fail spuriously.
  [[nodiscard]] bool try_lock(location where = location::current()) {
    return lock_.try_acquire(where);
  }
  void unlock(location where = location::current()) { lock_.release(where); }

 private:
  sync::lock lock_;
};

// std::lock_guard.
template <class Mutex>
class [[nodiscard]] lock_guard {
 public:
  using mutex_type = Mutex;

  explicit lock_guard(Mutex& mutex, location where = location::current()) : mutex_(mutex) {
    checked::lock_at(mutex_, where);
  }
  lock_guard(Mutex& mutex, std::adopt_lock_t) noexcept : mutex_(mutex) {}
  [[gnu::noinline]] ~lock_guard() {
    checked::unlock_at(mutex_, location::from_return_address(__builtin_return_address(0)));
  }
  lock_guard(const lock_guard&) = delete;
  lock_guard& operator=(const lock_guard&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace heddle
