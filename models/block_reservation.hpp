// Reserving free blocks: add first, compare then, undo if there were too few.
//
// xfs_mod_fdblocks on a per-CPU counter, and "return precise count from __percpu_counter_compare()"
// (Long, Oct 2015), which decides on the precise count taken before the own add and so saves the
// second sum. With the second sum the later of two reservers, in the order of the counter's lock,
// sees both adds; without it neither sees the other's.
//
// Left out: the reserve pool and m_sb_lock, which guards it. The set-aside is zero blocks.
// Orders: those of the counter. That is enough: the lock carries a reserver's own add, local or
// not, to whoever sums next.
#pragma once

#include <heddle/atomic.hpp>
#include <heddle/name.hpp>
#include <optional>

#include "models/percpu_counter.hpp"

namespace models {

enum class decide {
  by_second_compare,     // the kernel
  by_first_compare,      // the posted patch
  by_compare_after_add,  // no first compare, so no change to batch 1: the add stays local
};

struct reservation {
  bool granted = false;
  // The shared count that the own add found, when that went to the shared count.
  std::optional<int> free_at_add;
};

class block_reservation {
 public:
  block_reservation(int cpus, int batch, int free_blocks, decide how)
      : free_{cpus, batch, free_blocks}, batch_{batch}, decide_{how} {}

  reservation reserve(int cpu, int blocks) {
    std::optional<int> precise;
    int batch = batch_;
    if (decide_ != decide::by_compare_after_add) {
      // Near ENOSPC every add goes to the shared count, where everybody sees it.
      const comparison first = free_.compare(2 * batch_, batch_);
      if (first.sign < 0) batch = 1;
      if (decide_ == decide::by_first_compare) precise = first.precise;
    }
    const std::optional<int> found = free_.add(cpu, -blocks, batch);
    if (precise) {
      if (*precise - blocks >= 0) return {true, found};
    } else {
      if (free_.compare(0, batch_).sign >= 0) return {true, found};
    }
    free_.add(cpu, +blocks);
    return {false, found};
  }

  void release(int cpu, int blocks) { free_.add(cpu, +blocks); }

  int free_blocks() { return free_.sum(); }

 private:
  percpu_counter<> free_;
  const int batch_;
  const decide decide_;
};

// The reference: one atomic, taken from only if there is enough.
class atomic_reservation {
 public:
  explicit atomic_reservation(int free_blocks) : free_{free_blocks} { heddle::name(free_, "free"); }

  bool reserve(int blocks) {
    int free = free_.load(std::memory_order_relaxed);
    while (free >= blocks) {
      if (free_.compare_exchange_strong(free, free - blocks, std::memory_order_relaxed)) {
        return true;
      }
    }
    return false;
  }

  int free_blocks() const { return free_.load(std::memory_order_relaxed); }

 private:
  heddle::atomic<int> free_;
};

}  // namespace models
