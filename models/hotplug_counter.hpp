// A per-CPU counter while a CPU goes away: whose slots does a sum count?
//
// When a CPU goes down it leaves the online mask first, and its slot is folded into the count
// later. A sum between the two that goes by the online mask misses the slot. 8b57b11cca88 (Chinner,
// 2023) counts the CPUs of a second mask too, into which a CPU comes before it leaves the first:
// dying. Gleixner objected that a CPU that is brought back half-way leaves that mask before any
// fold.
//
// Orders: whoever reads that the CPU is not online any more must also read that it is dying. So the
// store that clears `online` releases, and the load of it acquires. Slot and count as in
// percpu_counter.hpp; nobody adds meanwhile.
#pragma once

#include <heddle/atomic.hpp>
#include <heddle/mutex.hpp>
#include <heddle/name.hpp>

namespace models {

enum class counted { online, online_or_dying };

// One CPU that stays and one that goes.
class hotplug_counter {
 public:
  // `publish`: of the store that takes the CPU offline; `look`: of the load that asks for it.
  hotplug_counter(int shared, int in_slot, counted which, std::memory_order publish,
                  std::memory_order look)
      : count_{shared}, slot_{in_slot}, which_{which}, publish_{publish}, look_{look} {
    heddle::name(lock_, "counter_lock");
    heddle::name(count_, "count");
    heddle::name(slot_, "slot");
    heddle::name(online_, "online");
    heddle::name(dying_, "dying");
  }

  void begin_to_die() { dying_.store(true, std::memory_order_relaxed); }
  void leave_online() { online_.store(false, publish_); }
  void stop_dying() { dying_.store(false, std::memory_order_relaxed); }

  // percpu_counter_cpu_dead
  void fold_slot() {
    lock_.lock();
    const int local = slot_.load(std::memory_order_relaxed);
    count_.store(count_.load(std::memory_order_relaxed) + local, std::memory_order_relaxed);
    slot_.store(0, std::memory_order_relaxed);
    lock_.unlock();
  }

  // percpu_counter_sum
  int sum() {
    lock_.lock();
    int total = count_.load(std::memory_order_relaxed);
    bool counts = online_.load(look_);
    if (which_ == counted::online_or_dying && !counts)
      counts = dying_.load(std::memory_order_relaxed);
    if (counts) total += slot_.load(std::memory_order_relaxed);
    lock_.unlock();
    return total;
  }

 private:
  heddle::mutex lock_;
  heddle::atomic<int> count_;
  heddle::atomic<int> slot_;
  heddle::atomic<bool> online_{true};
  heddle::atomic<bool> dying_{false};
  const counted which_;
  const std::memory_order publish_;
  const std::memory_order look_;
};

}  // namespace models
