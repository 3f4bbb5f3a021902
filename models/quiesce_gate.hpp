// A gate in front of a per-CPU count: tasks that come after it closes turn back, so a zero sum
// stays true.
//
// percpu_rw_semaphore, as the freeze path uses it around transactions (sb_start_intwrite), and
// blk-mq's queue usage count before percpu_ref. A task counts itself and then looks at the gate;
// the freezer closes the gate and then sums: store buffering, so both sides need a full fence. A
// refused task must undo on the CPU it counted on: "Due to having preemption disabled the decrement
// happens on the same CPU as the increment, avoiding the
// increment-on-one-CPU-and-decrement-on-another problem" (percpu-rwsem.c). An admitted one may
// leave from anywhere.
//
// Orders: everything relaxed except as `gate_orders` says. The exit needs release and the sum
// acquire, or what the task did inside is not before the freeze.
#pragma once

#include <array>
#include <heddle/atomic.hpp>
#include <heddle/name.hpp>

namespace models {

struct gate_orders {
  enum class fence { full, write, none };

  fence after_entry = fence::full;  // between counting oneself and looking at the gate
  std::memory_order exit = std::memory_order_release;
  std::memory_order sum = std::memory_order_acquire;
};

class quiesce_gate {
 public:
  static constexpr int max_cpus = 4;

  quiesce_gate(int cpus, gate_orders orders) : cpus_{cpus}, orders_{orders} {
    heddle::name(closed_, "closed");
    heddle::name(slots_, "slot");
  }

  // False: refused, and the entry undone on `undo_cpu`.
  bool enter(int cpu, int undo_cpu) {
    add(cpu, +1, std::memory_order_relaxed);
    if (orders_.after_entry == gate_orders::fence::full) {
      heddle::atomic_thread_fence(std::memory_order_seq_cst);
    } else if (orders_.after_entry == gate_orders::fence::write) {
      heddle::atomic_thread_fence(std::memory_order_release);
    }
    if (!closed_.load(std::memory_order_relaxed)) return true;
    add(undo_cpu, -1, std::memory_order_relaxed);
    return false;
  }
  bool enter(int cpu) { return enter(cpu, cpu); }

  void leave(int cpu) { add(cpu, -1, orders_.exit); }

  void close() {
    closed_.store(true, std::memory_order_relaxed);
    heddle::atomic_thread_fence(std::memory_order_seq_cst);
  }

  int sum() const {
    int total = 0;
    for (int cpu = 0; cpu < cpus_; ++cpu) {
      total += slots_[static_cast<std::size_t>(cpu)].load(orders_.sum);
    }
    return total;
  }

 private:
  // By the thread that runs on this CPU.
  void add(int cpu, int amount, std::memory_order order) {
    heddle::atomic<int>& slot = slots_[static_cast<std::size_t>(cpu)];
    const int before = slot.load(std::memory_order_relaxed);
    slot.store(before + amount, order);
  }

  heddle::atomic<bool> closed_{false};
  std::array<heddle::atomic<int>, max_cpus> slots_{};
  const int cpus_;
  const gate_orders orders_;
};

}  // namespace models
