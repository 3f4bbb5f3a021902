// One shrinker walks, the others leave their work in a counter for it.
//
// From "xfs: single thread inode cache shrinking" (Chinner, Sep 2010). The posted patch drains the
// counter with a read and a set of zero; the review asked for atomic64_cmpxchg. Later relatives are
// vmscan's shrinker->nr (acf92b485ccc) and nr_deferred, drained with an exchange.
//
// Orders: the mutex gives acquire and release; the counter is relaxed throughout, because
// conservation is about one location. A failed try_lock orders nothing.
#pragma once

#include <heddle/atomic.hpp>
#include <heddle/mutex.hpp>
#include <heddle/name.hpp>

namespace models {

// How the deferred amount leaves the counter.
enum class drain {
  read_then_set,             // the posted patch
  exchange,                  // mm/shrinker.c today
  compare_exchange_loop,     // what the review asked for
  compare_exchange_once,     // a failure leaves it to the next one who walks
  compare_exchange_ignored,  // a failure is taken for a success
  fetch_sub,                 // of the value read: only for one drainer at a time
};

// How an amount is added.
enum class adder { fetch_add, load_then_store };

// Where a caller that must not enter the file system (no __GFP_FS) turns back.
enum class fs_test { after_try_lock, before_try_lock };

template <drain Drain, adder Adder = adder::fetch_add>
class shrinker_backlog {
 public:
  explicit shrinker_backlog(int deferred = 0, fs_test test = fs_test::after_try_lock)
      : deferred_{deferred}, test_{test} {
    heddle::name(walking_, "walking");
    heddle::name(deferred_, "deferred");
  }

  // A shrinker call for so many objects; returns how many it scanned itself.
  int shrink(int objects, bool may_enter_fs = true) {
    if (test_ == fs_test::before_try_lock && !may_enter_fs) {
      defer(objects);
      return 0;
    }
    if (!walking_.try_lock()) {
      defer(objects);
      return 0;
    }
    if (!may_enter_fs) {
      defer(objects);
      walking_.unlock();
      return 0;
    }
    const int scanned = objects + take();
    walking_.unlock();
    return scanned;
  }

  void defer(int objects) {
    if constexpr (Adder == adder::fetch_add) {
      deferred_.fetch_add(objects, std::memory_order_relaxed);
    } else {
      const int before = deferred_.load(std::memory_order_relaxed);
      deferred_.store(before + objects, std::memory_order_relaxed);
    }
  }

  // Takes what is deferred; returns how much the caller has to scan for it.
  int take() {
    if constexpr (Drain == drain::exchange) {
      return deferred_.exchange(0, std::memory_order_relaxed);
    } else {
      int found = deferred_.load(std::memory_order_relaxed);
      if constexpr (Drain == drain::read_then_set) {
        deferred_.store(0, std::memory_order_relaxed);
      } else if constexpr (Drain == drain::compare_exchange_loop) {
        while (!deferred_.compare_exchange_strong(found, 0, std::memory_order_relaxed)) {
        }
      } else if constexpr (Drain == drain::compare_exchange_once) {
        if (!deferred_.compare_exchange_strong(found, 0, std::memory_order_relaxed)) return 0;
      } else if constexpr (Drain == drain::compare_exchange_ignored) {
        int expected = found;
        deferred_.compare_exchange_strong(expected, 0, std::memory_order_relaxed);
      } else {
        deferred_.fetch_sub(found, std::memory_order_relaxed);
      }
      return found;
    }
  }

  // The same while nobody else drains.
  int take_alone() {
    walking_.lock();
    const int taken = take();
    walking_.unlock();
    return taken;
  }

  int deferred() const { return deferred_.load(std::memory_order_relaxed); }

 private:
  heddle::mutex walking_;
  heddle::atomic<int> deferred_;
  const fs_test test_;
};

}  // namespace models
