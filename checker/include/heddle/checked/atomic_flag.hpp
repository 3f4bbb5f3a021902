// heddle::atomic_flag and the fences of the checked build.
#pragma once

#include <atomic>

#include "heddle/checked/atomic.hpp"

namespace heddle {

// std::atomic_flag.
class atomic_flag {
 public:
  constexpr atomic_flag() noexcept = default;
  // Not in the standard, but what `atomic_flag flag = ATOMIC_FLAG_INIT` calls.
  constexpr atomic_flag(bool set) noexcept : value_(set) {}
  atomic_flag(const atomic_flag&) = delete;
  atomic_flag& operator=(const atomic_flag&) = delete;

  // Orders: relaxed, consume, acquire, seq_cst.
  bool test(std::memory_order order = std::memory_order_seq_cst,
            location where = location::current()) const noexcept {
    return value_.load(order, where);
  }
  // Returns whether it was set.
  bool test_and_set(std::memory_order order = std::memory_order_seq_cst,
                    location where = location::current()) noexcept {
    return value_.exchange(true, order, where);
  }
  // Orders: relaxed, release, seq_cst.
  void clear(std::memory_order order = std::memory_order_seq_cst,
             location where = location::current()) noexcept {
    value_.store(false, order, where);
  }

  // As of atomic.
  void wait(bool old, std::memory_order order = std::memory_order_seq_cst,
            location where = location::current()) const {
    value_.wait(old, order, where);
  }
  void notify_one(location where = location::current()) noexcept { value_.notify_one(where); }
  void notify_all(location where = location::current()) noexcept { value_.notify_all(where); }

 private:
  friend struct checked::flag_access;

  atomic<bool> value_{false};
};

struct checked::flag_access {
  static const atomic<bool>& value(const atomic_flag& flag) { return flag.value_; }
};

// A relaxed fence does nothing, and nor does any fence outside a body.
inline void atomic_thread_fence(std::memory_order order,
                                location where = location::current()) noexcept {
  if (runtime::active() && order != std::memory_order_relaxed) {
    runtime::fence(checked::graph_order(order), where);
  }
}

// Orders a thread with a signal handler on the same thread: nothing that the engine could see.
inline void atomic_signal_fence(std::memory_order order) noexcept {
  std::atomic_signal_fence(order);
}

}  // namespace heddle
