// Wake-ups collected under a lock and issued after it has been released: a list that is threaded
// through the tasks themselves.
//
// wake_q_head, wake_q_add, wake_up_q of kernel/sched/core.c. A task is on one wake queue at most:
// whoever sets its `next` from null has it; who fails counts on the other's wake-up, which has yet
// to come. So `next` is cleared before the wake-up, and a failing add must not let the caller's
// earlier stores pass it (4c4e3731564c, with Parri's litmus test). For the same reason an add may
// mean "woken right now": "we must not rely on the wakeup being delayed" (e38513905eea).
//
// `next` is not an address but the number of a task in a list that the head keeps, so that reports
// are the same everywhere.
//
// Orders: smp_mb and a relaxed cmpxchg; the other orders are what it was, and what x86 makes of it.
#pragma once

#include <cstddef>
#include <heddle/atomic.hpp>
#include <vector>

#include "models/kernel/cmpxchg.hpp"
#include "models/kernel/task.hpp"

namespace models::kernel {

struct wake_queue_rules {
  enum class add_order {
    fence_before,  // smp_mb_before_atomic, cmpxchg_relaxed
    on_success,    // cmpxchg: a full barrier if it succeeds, and nothing if it fails
    seq_cst,       // a seq_cst compare_exchange, as if it were x86's LOCK CMPXCHG
  };

  add_order add = add_order::fence_before;
  bool clear_before_wake = true;
};

// On the waker's stack.
class wake_queue {
 public:
  explicit wake_queue(wake_queue_rules rules = {}) : rules_{rules} {}

  void init() {
    tasks_.clear();
    first_ = tail;
    last_ = nullptr;
  }
  bool empty() const { return first_ == tail; }

  // Takes a reference. False: the task is on a wake queue already, this one or another's.
  bool add(task& sleeper) {
    if (!claim(sleeper)) return false;
    sleeper.get();
    append(sleeper);
    return true;
  }

  // wake_q_add_safe: uses up a reference of the caller's, whatever it returns.
  bool add_with_reference(task& sleeper) {
    if (!claim(sleeper)) {
      sleeper.put();
      return false;
    }
    append(sleeper);
    return true;
  }

  // wake_up_q. Leaves the head as it is: init() before it is used again.
  void wake_up_all() {
    int node = first_;
    while (node != tail) {
      task& sleeper = *tasks_.at(static_cast<std::size_t>(node - 1));
      node = read_once(sleeper.wake_q_next_);
      if (rules_.clear_before_wake) write_once(sleeper.wake_q_next_, null);
      sleeper.wake_up_process();
      if (!rules_.clear_before_wake) write_once(sleeper.wake_q_next_, null);
      sleeper.put();
    }
  }

 private:
  static constexpr int null = 0;
  static constexpr int tail = -1;

  bool claim(task& sleeper) {
    sleeper.use();
    using add_order = wake_queue_rules::add_order;
    int expected = null;
    if (rules_.add == add_order::seq_cst) {
      return sleeper.wake_q_next_.compare_exchange_strong(expected, tail);
    }
    if (rules_.add == add_order::on_success) {
      return try_cmpxchg(sleeper.wake_q_next_, expected, tail);
    }
    smp_mb_before_atomic();
    return try_cmpxchg_relaxed(sleeper.wake_q_next_, expected, tail);
  }

  void append(task& sleeper) {
    tasks_.push_back(&sleeper);
    const int node = static_cast<int>(tasks_.size());
    if (last_ == nullptr) {
      first_ = node;
    } else {
      write_once(last_->wake_q_next_, node);
    }
    last_ = &sleeper;
  }

  std::vector<task*> tasks_;  // by number, from 1
  int first_ = tail;
  task* last_ = nullptr;
  const wake_queue_rules rules_;
};

}  // namespace models::kernel
