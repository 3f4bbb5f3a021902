// What lies under every condition variable: who waits, and a place to sleep for each of them
// (exploration.md 9.3).
//
// The object's own location is the set of waiting threads, as bits. Part number t is where thread t
// sleeps: the number of wake-ups that were meant for it; its own part changes only while it is in
// no set, so reading it before entering tells what to sleep for. A notify takes threads out of the
// set and counts up their places; whoever leaves the set by itself, because of a time-out, learns
// in the same step whether a notify was first.
//
// All of it is relaxed. [thread.condition] promises one total order of notifies and waits that
// agrees with happens-before, and no synchronisation: what a waiter learns it learns by the mutex.
#pragma once

#include <cstdint>
#include <type_traits>

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

class condition {
 public:
  constexpr condition() noexcept {
    if (!std::is_constant_evaluated()) runtime::constructed(this, {});
  }
  condition(const condition&) = delete;
  condition& operator=(const condition&) = delete;

  // What `sleep` waits for.
  struct ticket {
    std::uint64_t wakeups;
  };

  // The calling thread waits from now on: a notify may take it. `mutex`: what it waits with, if all
  // who wait at the same time must have the same; else null. Another one is misuse.
  // `order`: acquire pairs with notify_all_released.
  ticket enter(const void* mutex, runtime::location where,
               graph::memory_order order = graph::memory_order::relaxed);
  // Until a notify takes the calling thread.
  void sleep(ticket entered, runtime::location where);
  // The calling thread waits no longer. False: a notify has taken it, and `sleep` returns.
  bool leave(runtime::location where);

  // Wakes one waiting thread, any of them, if there is one.
  void notify_one(runtime::location where);
  void notify_all(runtime::location where);
  // The same with release, and never without effect: a thread that enters later with acquire knows
  // what happened before.
  void notify_all_released(runtime::location where);

  // For the destructor of what contains it: misuse if somebody waits.
  void check_destruction(runtime::location where) const;

 private:
  void wake(std::uint64_t set, runtime::location where);
};

}  // namespace heddle::sync
