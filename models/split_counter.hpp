// Who is inside, counted by two counters that only grow: entries and exits, a slot of each a CPU.
//
// SRCU's rule: "Make sure that a lock is always counted if the corresponding unlock is counted".
// Exits are read first; an exit that is seen implies its entry, so equal sums mean that nobody was
// inside at the moment between the two sums. It repairs the phantom zero of the per-CPU counter
// (percpu_counter.hpp), whose +1 and -1 lie in different slots.
//
// Orders: the entry before the exit (release fence or release store), the exits before the entries
// (acquire). Each alone is not enough.
#pragma once

#include <array>
#include <heddle/atomic.hpp>
#include <heddle/name.hpp>

namespace models {

enum class exit_order { relaxed, write_fence, release };
enum class scan { exits_then_entries, entries_then_exits };

class split_counter {
 public:
  static constexpr int max_cpus = 4;

  split_counter(int cpus, scan how, exit_order publish, std::memory_order scan_order)
      : cpus_{cpus}, scan_{how}, publish_{publish}, scan_order_{scan_order} {
    heddle::name(entries_, "entries");
    heddle::name(exits_, "exits");
  }

  void enter(int cpu) { increment(entries_, cpu, std::memory_order_relaxed); }

  void leave(int cpu) {
    if (publish_ == exit_order::write_fence) {
      heddle::atomic_thread_fence(std::memory_order_release);
    }
    const bool release = publish_ == exit_order::release;
    increment(exits_, cpu, release ? std::memory_order_release : std::memory_order_relaxed);
  }

  // True: there was a moment at which nobody was inside.
  bool was_idle() const {
    if (scan_ == scan::exits_then_entries) {
      const int left = sum(exits_);
      return left == sum(entries_);
    }
    const int entered = sum(entries_);
    return entered == sum(exits_);
  }

 private:
  using slots = std::array<heddle::atomic<int>, max_cpus>;

  // By the thread that runs on this CPU.
  static void increment(slots& counters, int cpu, std::memory_order order) {
    heddle::atomic<int>& slot = counters[static_cast<std::size_t>(cpu)];
    const int before = slot.load(std::memory_order_relaxed);
    slot.store(before + 1, order);
  }

  int sum(const slots& counters) const {
    int total = 0;
    for (int cpu = 0; cpu < cpus_; ++cpu) {
      total += counters[static_cast<std::size_t>(cpu)].load(scan_order_);
    }
    return total;
  }

  slots entries_{};
  slots exits_{};
  const int cpus_;
  const scan scan_;
  const exit_order publish_;
  const std::memory_order scan_order_;
};

}  // namespace models
