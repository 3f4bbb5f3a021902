// The lock under the shared mutexes: one thread holds it alone, or any number share it
// (exploration.md 9.2).
//
// One location says who has it. Its low half is the number of the thread that holds it alone + 1
// and, above that, how many have held it and gone; its high half is the set of threads that share
// it. To acquire alone waits for "nobody"; to share waits for "nobody alone". Whoever stops sharing
// takes itself out with a read-modify-write that releases; a chain of those is one release
// sequence, so the next thread that holds the lock alone knows what all of them did.
//
// Whoever shares knows what was done by those that held the lock alone before, but nothing of those
// that shared it before: std orders them not, and data passed from one to the other is a race. So
// entering is relaxed, and a second location, which only those that held the lock alone write,
// publishes what they did: each stores how many there were, and who shares acquires the store that
// it finds named in the lock. There is one such store, so this costs an event and no execution.
//
// The order in which threads come and go is explored, also of those that share: two that share
// beside one that holds are 14 executions, none blocked.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

class shared_lock {
 public:
  constexpr shared_lock() noexcept {
    if (!std::is_constant_evaluated()) runtime::constructed(this, {});
  }
  shared_lock(const shared_lock&) = delete;
  shared_lock& operator=(const shared_lock&) = delete;

  // Each waits until it can have the lock. Misuse if this thread has it already, either way.
  // Outside a body: usage_error.
  void acquire(runtime::location where);
  void acquire_shared(runtime::location where);

  // Each takes the lock if it can have it now; a failure synchronises with nobody. Misuse if this
  // thread has it already. Outside a body they act on the object directly.
  bool try_acquire(runtime::location where);
  bool try_acquire_shared(runtime::location where);
  // The same, and never fail spuriously: all there is to waiting with a time-out (lock.hpp).
  bool acquire_in_time(runtime::location where);
  bool acquire_shared_in_time(runtime::location where);

  // Misuse if this thread does not have the lock in this way. Outside a body they act on the object
  // directly.
  void release(runtime::location where);
  void release_shared(runtime::location where);

  // For the destructor of what contains the lock: misuse if somebody has it. A no-op outside a
  // body.
  void check_destruction(runtime::location where) const;

 private:
  graph::value bytes() const;
  bool held_by_this_thread() const;
  bool shared_by_this_thread() const;
  void check_not_held(std::string_view what, runtime::location where) const;
  bool take(runtime::location where, bool blocks);
  bool share(runtime::location where, bool blocks);

  // Only outside a body.
  bool is_held_outside_ = false;
  std::uint32_t sharers_outside_ = 0;
};

}  // namespace heddle::sync
