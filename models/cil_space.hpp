// Log space used, counted in a slot of the owner's CPU until someone ends that.
//
// xlog_cil_insert_pcp_aggregate: the switcher clears XLOG_CIL_PCP_SPACE and takes the slots with an
// exchange (214093534f3c; a cmpxchg loop before), while the owner adds to its slot without an
// atomic operation. Harmless in the kernel, where the value is a hint when to push; as a count it
// is wrong. Relaxed throughout.
#pragma once

#include <heddle/atomic.hpp>
#include <heddle/name.hpp>

#include "models/shrinker_backlog.hpp"

namespace models {

template <adder Adder>
class cil_space {
 public:
  explicit cil_space(int in_slot) : slot_{in_slot} {
    heddle::name(counting_in_slot_, "counting_in_slot");
    heddle::name(slot_, "slot");
    heddle::name(total_, "total");
  }

  // By the owner of the slot.
  void use(int bytes) {
    if (!counting_in_slot_.load(std::memory_order_relaxed)) {
      total_.fetch_add(bytes, std::memory_order_relaxed);
    } else if constexpr (Adder == adder::fetch_add) {
      slot_.fetch_add(bytes, std::memory_order_relaxed);
    } else {
      const int before = slot_.load(std::memory_order_relaxed);
      slot_.store(before + bytes, std::memory_order_relaxed);
    }
  }

  // By the switcher, once: from here on everybody counts in the total.
  void aggregate() {
    if (!counting_in_slot_.exchange(false, std::memory_order_relaxed)) return;
    const int taken = slot_.exchange(0, std::memory_order_relaxed);
    total_.fetch_add(taken, std::memory_order_relaxed);
  }

  int total() const { return total_.load(std::memory_order_relaxed); }
  int in_slot() const { return slot_.load(std::memory_order_relaxed); }

 private:
  heddle::atomic<bool> counting_in_slot_{true};
  heddle::atomic<int> slot_;
  heddle::atomic<int> total_{0};
};

}  // namespace models
