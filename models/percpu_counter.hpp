// A counter in slots, one a CPU: adding is local, and a slot that reaches the batch is folded into
// the shared count under the lock.
//
// lib/percpu_counter.c, which "xfs: convert m_active_trans counter to per-cpu" (Chinner, May 2020)
// and xfs_mod_fdblocks build on. A locked sum lies between what had been added before it began and
// what had been added when it ended; it is no snapshot, so with additions and subtractions it can
// show a value that the counter never had (Gleixner: "still inherently racy against a concurrent
// percpu_counter_add_batch() fastpath unless externally serialized").
//
// Orders: a slot belongs to the thread that runs on its CPU, which loads and stores it; others only
// load it. Slots and count are relaxed; the lock carries what a fold wrote to the next sum.
#pragma once

#include <array>
#include <cstdlib>
#include <heddle/atomic.hpp>
#include <heddle/mutex.hpp>
#include <heddle/name.hpp>
#include <optional>

namespace models {

enum class fold {
  locked,
  unlocked,  // two read-modify-writes, no lock: the atomic64 idea of 2011
};

enum class summing {
  locked,
  count_then_slots,  // no lock
  slots_then_count,  // no lock
};

struct comparison {
  int sign = 0;                // of count - rhs
  std::optional<int> precise;  // the sum, if it took one
};

class percpu_counter {
 public:
  static constexpr int max_cpus = 4;

  percpu_counter(int cpus, int batch, int initial = 0, fold how = fold::locked)
      : count_{initial}, cpus_{cpus}, batch_{batch}, fold_{how} {
    heddle::name(lock_, "counter_lock");
    heddle::name(count_, "count");
    heddle::name(slots_, "slot");
  }

  // Returns the shared count that a fold added to, nothing if the amount stayed in the slot.
  std::optional<int> add(int cpu, int amount) { return add(cpu, amount, batch_); }

  std::optional<int> add(int cpu, int amount, int batch) {
    heddle::atomic<int>& slot = slot_of(cpu);
    const int local = slot.load(std::memory_order_relaxed);
    if (std::abs(local + amount) < batch) {
      slot.store(local + amount, std::memory_order_relaxed);
      return std::nullopt;
    }
    if (fold_ == fold::unlocked) {
      const int before = count_.fetch_add(local + amount, std::memory_order_relaxed);
      slot.fetch_sub(local, std::memory_order_relaxed);
      return before;
    }
    lock_.lock();
    const int before = count_.load(std::memory_order_relaxed);
    count_.store(before + local + amount, std::memory_order_relaxed);
    if (local != 0) slot.store(0, std::memory_order_relaxed);
    lock_.unlock();
    return before;
  }

  // percpu_counter_read: off by up to (batch - 1) a CPU.
  int read() const { return count_.load(std::memory_order_relaxed); }

  // percpu_counter_sum
  int sum(summing how = summing::locked) {
    if (how == summing::slots_then_count) {
      const int in_slots = sum_of_slots();
      return in_slots + read();
    }
    if (how == summing::locked) lock_.lock();
    const int count = read();
    const int total = count + sum_of_slots();
    if (how == summing::locked) lock_.unlock();
    return total;
  }

  // percpu_counter_sum_and_set, reverted as "racy and wrong" (71c5576fbd80): the slots are set to
  // zero although their owners do not take the lock.
  int sum_and_set() {
    lock_.lock();
    int total = read();
    for (int cpu = 0; cpu < cpus_; ++cpu) {
      total += slot_of(cpu).load(std::memory_order_relaxed);
      slot_of(cpu).store(0, std::memory_order_relaxed);
    }
    count_.store(total, std::memory_order_relaxed);
    lock_.unlock();
    return total;
  }

  // __percpu_counter_compare: the rough count if it is far enough from rhs, else the sum.
  comparison compare(int rhs, int batch) {
    const int rough = read();
    if (std::abs(rough - rhs) > batch * cpus_) return {sign_of(rough - rhs), std::nullopt};
    const int precise = sum();
    return {sign_of(precise - rhs), precise};
  }

 private:
  static int sign_of(int value) { return (value > 0) - (value < 0); }

  heddle::atomic<int>& slot_of(int cpu) { return slots_[static_cast<std::size_t>(cpu)]; }

  int sum_of_slots() {
    int total = 0;
    for (int cpu = 0; cpu < cpus_; ++cpu) {
      total += slot_of(cpu).load(std::memory_order_relaxed);
    }
    return total;
  }

  heddle::mutex lock_;
  heddle::atomic<int> count_;
  std::array<heddle::atomic<int>, max_cpus> slots_{};
  const int cpus_;
  const int batch_;
  const fold fold_;
};

// What the per-CPU counter replaced: one atomic. Never wrong, but its cache line is everybody's.
class shared_counter {
 public:
  shared_counter() { heddle::name(count_, "count"); }

  void add(int /*cpu*/, int amount) { count_.fetch_add(amount, std::memory_order_relaxed); }
  int sum() const { return count_.load(std::memory_order_relaxed); }

 private:
  heddle::atomic<int> count_{0};
};

}  // namespace models
