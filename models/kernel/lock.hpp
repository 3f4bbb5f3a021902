// spin_lock and mutex_lock, with their unlock and trylock.
//
// include/linux/spinlock.h and mutex.h. Both are one word here, for what tells them apart (who
// sleeps, hand-off) is no matter of memory order. Not heddle::mutex: the kernel's trylock of a free
// lock succeeds, but std's try_lock may fail for no reason, and with options::spurious
// heddle::mutex does.
//
// Orders: locking acquires, unlocking releases. A failing trylock orders nothing.
//
// Where C++20 differs: in the kernel an unlock and a later lock, by one thread or of one lock, are
// ordered for everybody (po-unlock-lock-po): stores before the unlock are before stores after the
// lock, loads before loads, and loads before stores, also for a thread that holds no lock. In C++20
// accesses may move into a critical section and there meet, so a third thread may see them in
// another order. Where a model relies on it, it says smp_mb_after_unlock_lock after the lock,
// which is more: a full barrier.
#pragma once

#include <heddle/await.hpp>
#include <heddle/check_functions.hpp>
#include <heddle/name.hpp>
#include <heddle/var.hpp>
#include <string_view>

#include "models/kernel/cmpxchg.hpp"
#include "models/kernel/primitive.hpp"

namespace models::kernel {

// Unlocking a lock that is not held violates a `require`, or is a data race.
class lock_word {
 public:
  explicit lock_word(std::string_view what = "lock") { heddle::name(locked_, what); }

  bool try_acquire(place where) {
    if (cmpxchg_acquire(locked_, false, true, where)) return false;
    held_ = true;
    return true;
  }

  void acquire(place where) {
    while (!try_acquire(where)) {
      primitive::at(where, [&](auto... p) {
        return heddle::await(
            locked_, [](bool locked) { return !locked; }, std::memory_order_relaxed, p...);
      });
    }
  }

  void release(place where) {
    heddle::require(held_, "a lock that nobody holds is unlocked");
    held_ = false;
    primitive::store(locked_, false, std::memory_order_release, where);
  }

 private:
  heddle::atomic<bool> locked_{false};
  heddle::var<bool> held_{false};
};

struct spinlock_t : lock_word {
  using lock_word::lock_word;
};

inline void spin_lock(spinlock_t& lock, place where = place::current()) { lock.acquire(where); }
[[nodiscard]] inline bool spin_trylock(spinlock_t& lock, place where = place::current()) {
  return lock.try_acquire(where);
}
inline void spin_unlock(spinlock_t& lock, place where = place::current()) { lock.release(where); }

// struct mutex.
struct mutex_t : lock_word {
  using lock_word::lock_word;
};

inline void mutex_lock(mutex_t& lock, place where = place::current()) { lock.acquire(where); }
// Never fails on a free mutex. Left out: one that is being handed off to a waiter.
[[nodiscard]] inline bool mutex_trylock(mutex_t& lock, place where = place::current()) {
  return lock.try_acquire(where);
}
inline void mutex_unlock(mutex_t& lock, place where = place::current()) { lock.release(where); }

}  // namespace models::kernel
