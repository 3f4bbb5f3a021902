// The lock under the recursive mutexes: its holder may take it again, and gives it up when it has
// released it as often (exploration.md 9.1).
//
// Only the outermost pair is an event: what happens between is nobody else's business, so a
// recursive lock costs no more executions than a plain one.
#pragma once

#include "checker/sync/lock.hpp"

namespace heddle::sync {

// What is not said here is as for `lock`.
class recursive_lock {
 public:
  void acquire(runtime::location where) {
    if (!again()) lock_.acquire(where);
  }
  // By the holder it does not fail.
  bool try_acquire(runtime::location where) { return again() || lock_.try_acquire(where); }
  bool acquire_in_time(runtime::location where) { return again() || lock_.acquire_in_time(where); }
  void release(runtime::location where) {
    if (!lock_.held_by_this_thread() || !lock_.give_back()) lock_.release(where);
  }
  void check_destruction(runtime::location where) const { lock_.check_destruction(where); }

 private:
  bool again() {
    if (!lock_.held_by_this_thread()) return false;
    lock_.take_again();
    return true;
  }

  lock lock_;
};

}  // namespace heddle::sync
