// heddle::recursive_mutex of the checked build.
#pragma once

#include "checker/sync/recursive_lock.hpp"
#include "heddle/checked/request.hpp"

namespace heddle {

// std::recursive_mutex. Unlocking it in a thread that does not hold it and destroying it while held
// are misuse, a violation of its own kind. Outside a body try_lock and unlock act on the object
// directly, as if by one thread, and lock throws usage_error.
class recursive_mutex {
 public:
  recursive_mutex() noexcept = default;
  [[gnu::noinline]] ~recursive_mutex() {
    lock_.check_destruction(location::from_return_address(__builtin_return_address(0)));
  }
  recursive_mutex(const recursive_mutex&) = delete;
  recursive_mutex& operator=(const recursive_mutex&) = delete;

  void lock(location where = location::current()) { lock_.acquire(where); }
  // By the thread that holds it already it succeeds.
  [[nodiscard]] bool try_lock(location where = location::current()) {
    return lock_.try_acquire(where);
  }
  // The lock is free after as many calls as there were of lock and successful ones of try_lock.
  void unlock(location where = location::current()) { lock_.release(where); }

 private:
  sync::recursive_lock lock_;
};

}  // namespace heddle
