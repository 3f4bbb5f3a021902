// A counter in slots, one a CPU: adding is local, and a slot that reaches the batch is folded into
// the shared count under the lock.
//
// lib/percpu_counter.c, which "xfs: convert m_active_trans counter to per-cpu" (Chinner, May 2020)
// and xfs_mod_fdblocks build on. A locked sum lies between what had been added before it began and
// what had been added when it ended; it is no snapshot, so with additions and subtractions it can
// show a value that the counter never had (Gleixner: "still inherently racy against a concurrent
// percpu_counter_add_batch() fastpath unless externally serialized").
//
// The ways to add are those of its history: with preemption off, in one instruction, by
// this_cpu_try_cmpxchg (2024), and the ones that were wrong.
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

// How an amount comes into a slot.
enum class slot_add {
  load_then_store,       // by the one thread on the CPU: preemption and interrupts are off
  this_cpu_add,          // one instruction, so an interrupt on this CPU comes before or after it
  this_cpu_try_cmpxchg,  // preemption stays on; who folds reads the slot again under the lock
  // The first version of that: unlikely(abs(x)) >= batch compares 0 or 1 with the batch.
  try_cmpxchg_never_full,
};

enum class fold {
  locked,
  unlocked,                    // two read-modify-writes, no lock: the atomic64 idea of 2011
  subtracts_local,             // d1969a84dd6a: the slot loses what it had
  subtracts_local_and_amount,  // 74e72f894d56, what that repaired
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

inline constexpr int max_cpus = 4;

template <fold Fold = fold::locked, slot_add Into = slot_add::load_then_store>
class percpu_counter {
 public:
  explicit percpu_counter(int cpus, int batch, int initial = 0)
      : count_{initial}, cpus_{cpus}, batch_{batch} {
    heddle::name(lock_, "counter_lock");
    heddle::name(count_, "count");
    heddle::name(slots_, "slot");
  }

  // Returns the shared count that a fold added to, nothing if the amount stayed in the slot.
  std::optional<int> add(int cpu, int amount) { return add(cpu, amount, batch_); }

  std::optional<int> add(int cpu, int amount, int batch) {
    heddle::atomic<int>& slot = slot_of(cpu);
    if constexpr (Into == slot_add::this_cpu_try_cmpxchg ||
                  Into == slot_add::try_cmpxchg_never_full)
      return add_by_compare_exchange(slot, amount, batch);
    const int local = slot.load(std::memory_order_relaxed);
    if (std::abs(local + amount) < batch) {
      if constexpr (Into == slot_add::this_cpu_add)
        slot.fetch_add(amount, std::memory_order_relaxed);
      else
        slot.store(local + amount, std::memory_order_relaxed);
      return std::nullopt;
    }
    if constexpr (Fold == fold::unlocked) {
      const int before = count_.fetch_add(local + amount, std::memory_order_relaxed);
      slot.fetch_sub(local, std::memory_order_relaxed);
      return before;
    }
    lock_.lock();
    const int before = count_.load(std::memory_order_relaxed);
    count_.store(before + local + amount, std::memory_order_relaxed);
    const int taken = Fold == fold::subtracts_local_and_amount ? local + amount : local;
    if (taken != 0) slot.store(local - taken, std::memory_order_relaxed);
    lock_.unlock();
    return before;
  }

  // An interrupt on the CPU: between two instructions of whoever runs there, so one step.
  void add_in_interrupt(int cpu, int amount) {
    slot_of(cpu).fetch_add(amount, std::memory_order_relaxed);
  }

  int in_slot(int cpu) { return slot_of(cpu).load(std::memory_order_relaxed); }

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

  // percpu_counter_limited_add (beb986862844) of a positive amount: adds it unless the counter
  // would exceed the limit. Without the lock if even what all other slots may hide leaves room; but
  // they may be filled after that look.
  bool limited_add(int cpu, int limit, int amount, bool always_locked = false) {
    const int hidden = batch_ * cpus_;
    heddle::atomic<int>& slot = slot_of(cpu);
    if (!always_locked) {
      const int local = slot.load(std::memory_order_relaxed);
      if (std::abs(local + amount) <= batch_ && read() + hidden <= limit) {
        slot.store(local + amount, std::memory_order_relaxed);
        return true;
      }
    }
    lock_.lock();
    const int before = read();
    const bool granted =
        before + hidden + amount <= limit || before + sum_of_slots() + amount <= limit;
    if (granted) {
      const int local = slot.load(std::memory_order_relaxed);
      count_.store(before + local + amount, std::memory_order_relaxed);
      slot.store(0, std::memory_order_relaxed);
    }
    lock_.unlock();
    return granted;
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

  std::optional<int> add_by_compare_exchange(heddle::atomic<int>& slot, int amount, int batch) {
    int local = slot.load(std::memory_order_relaxed);
    do {
      const int size = std::abs(local + amount);
      if ((Into == slot_add::try_cmpxchg_never_full ? size != 0 : size) >= batch) {
        lock_.lock();
        // read again and emptied with interrupts off: one step for all on this CPU
        local = slot.exchange(0, std::memory_order_relaxed);
        const int before = count_.load(std::memory_order_relaxed);
        count_.store(before + local + amount, std::memory_order_relaxed);
        lock_.unlock();
        return before;
      }
    } while (!slot.compare_exchange_strong(local, local + amount, std::memory_order_relaxed));
    return std::nullopt;
  }

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
