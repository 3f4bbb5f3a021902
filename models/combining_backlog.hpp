// The backlog drain made complete: nobody leaves while work is pending and no one holds the lock.
//
// A combiner publishes its work, tries the lock, drains for all, unlocks, and looks again, as
// printk's console_unlock does ("Someone could have filled up the buffer again, so re-check").
// It needs two full fences: work published before the lock is tried, lock released before the
// second look. The pairs are store buffering: add and try_lock here, unlock and look there.
//
// Orders: the counter relaxed; the lock acquire when taken, release when given back, a failed try
// orders nothing (mutex_trylock); the fences are smp_mb.
#pragma once

#include <heddle/atomic.hpp>
#include <heddle/name.hpp>

namespace models {

struct combining_rules {
  bool publish_first = true;         // before the lock is tried, not after it has failed
  bool recheck = true;               // look again after the unlock
  bool fence_after_publish = false;  // smp_mb between publishing and trying the lock
  bool fence_after_unlock = false;   // smp_mb between the unlock and the second look
  bool unlock_by_exchange = false;   // unlock with a full-barrier xchg: fence; exchange; fence
};

class combining_backlog {
 public:
  explicit combining_backlog(combining_rules rules) : rules_{rules} {
    heddle::name(pending_, "pending");
    heddle::name(locked_, "locked");
  }

  // Adds work and returns how much this call did, for itself and for others.
  int add(int work) {
    if (!rules_.publish_first) return lock_then_publish(work);
    publish(work);
    int done = 0;
    while (try_lock()) {
      done += pending_.exchange(0, std::memory_order_relaxed);
      unlock();
      if (!rules_.recheck || pending() == 0) break;
    }
    return done;
  }

  int pending() const { return pending_.load(std::memory_order_relaxed); }

 private:
  // Who fails to get the lock parks the work and leaves, for good.
  int lock_then_publish(int work) {
    if (!try_lock()) {
      publish(work);
      return 0;
    }
    int done = work;
    do {
      done += pending_.exchange(0, std::memory_order_relaxed);
      unlock();
    } while (rules_.recheck && pending() != 0 && try_lock());
    return done;
  }

  void publish(int work) {
    pending_.fetch_add(work, std::memory_order_relaxed);
    if (rules_.fence_after_publish) heddle::atomic_thread_fence(std::memory_order_seq_cst);
  }

  bool try_lock() {
    bool locked = false;
    return locked_.compare_exchange_strong(locked, true, std::memory_order_acquire,
                                           std::memory_order_relaxed);
  }

  void unlock() {
    if (rules_.unlock_by_exchange) {
      heddle::atomic_thread_fence(std::memory_order_seq_cst);
      locked_.exchange(false, std::memory_order_relaxed);
      heddle::atomic_thread_fence(std::memory_order_seq_cst);
    } else {
      locked_.store(false, std::memory_order_release);
    }
    if (rules_.fence_after_unlock) heddle::atomic_thread_fence(std::memory_order_seq_cst);
  }

  heddle::atomic<int> pending_{0};
  heddle::atomic<bool> locked_{false};
  const combining_rules rules_;
};

}  // namespace models
