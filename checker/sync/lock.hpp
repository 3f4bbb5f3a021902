// The exclusive lock under every mutex, as a state machine over requests (exploration.md 9.1).
//
// The value is 0 when free, and the number of the holding thread + 1 when held, so that reports can
// name the holder. Acquiring is a read-modify-write that waits for 0, with acquire order; releasing
// stores 0 with release order: N threads with one critical section each are N! executions, and none
// is blocked.
//
// The holder also stands beside the object, in the low half of the engine's side word; the high
// half counts how often it took a recursive lock again. Only the holder writes it, and every other
// thread merely asks "is it me?", which has one answer whatever the schedule.
#pragma once

#include <cstdint>
#include <type_traits>

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

class lock {
 public:
  constexpr lock() noexcept {
    if (!std::is_constant_evaluated()) runtime::constructed(this, {});
  }
  lock(const lock&) = delete;
  lock& operator=(const lock&) = delete;

  // Waits until the lock is free and takes it. Misuse if this thread holds it already.
  // Outside a body: usage_error.
  void acquire(runtime::location where);

  // Takes the lock if it is free; a failure synchronises with nobody. Misuse if this thread holds
  // it. Outside a body it acts on the object directly.
  bool try_acquire(runtime::location where);
  // The same, and never fails spuriously. This is all there is to waiting with a time-out: until
  // the lock is taken or the time is over the thread does nothing that another one could see, so
  // the executions in which it waits are those in which it tries later.
  bool acquire_in_time(runtime::location where);

  // Misuse if this thread does not hold the lock. Outside a body it acts on the object directly.
  void release(runtime::location where);

  // Does the running thread hold it? Outside a body: does anybody?
  bool held_by_this_thread() const;

  // For recursive locks, by the holder and without an event: takes it once more, and gives that
  // back. False: it was taken only once.
  void take_again();
  bool give_back();

  // For the destructor of what contains the lock: misuse if somebody holds it. A no-op outside a
  // body.
  void check_destruction(runtime::location where) const;

 private:
  graph::value bytes() const { return {word_, 0}; }
  void check_not_held(runtime::location where) const;
  bool take_if_free(runtime::location where);

  std::uint32_t word_ = 0;
};

}  // namespace heddle::sync
