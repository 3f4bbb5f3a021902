// Work that one call cannot finish is put back for the next.
//
// vmscan's nr_deferred: do_shrink_slab takes all of it with an exchange, does a part, and adds the
// rest back (add_nr_deferred in mm/shrinker.c; before acf92b485ccc, "shrinker->nr updates race and
// go wrong", it was stored back). No lock; relaxed throughout, one location.
#pragma once

#include <algorithm>
#include <heddle/atomic.hpp>
#include <heddle/name.hpp>

namespace models {

enum class put_back { fetch_add, store };

template <put_back PutBack>
class deferred_work {
 public:
  // `limit`: how many objects one call may scan.
  deferred_work(int deferred, int limit) : deferred_{deferred}, limit_{limit} {
    heddle::name(deferred_, "deferred");
  }

  // A call for so many objects more; returns how many it scanned.
  int shrink(int objects) {
    const int wanted = objects + deferred_.exchange(0, std::memory_order_relaxed);
    const int scanned = std::min(wanted, limit_);
    if constexpr (PutBack == put_back::fetch_add) {
      deferred_.fetch_add(wanted - scanned, std::memory_order_relaxed);
    } else {
      deferred_.store(wanted - scanned, std::memory_order_relaxed);
    }
    return scanned;
  }

  int deferred() const { return deferred_.load(std::memory_order_relaxed); }

 private:
  heddle::atomic<int> deferred_;
  const int limit_;
};

}  // namespace models
