// Who waits for log space: a ticket, with the task that sleeps for it; and the order in which
// tickets are granted, which the queue is to keep.
//
// struct xlog_ticket of fs/xfs/xfs_log_priv.h. The order is not in the kernel: it is what a
// scenario asks for.
#pragma once

#include <heddle/atomic.hpp>
#include <heddle/name.hpp>

#include "models/kernel/task.hpp"

namespace models {

struct log_ticket {
  // `number`, from 0, where a scenario asks who was granted first.
  explicit log_ticket(int bytes, unsigned number = 0) : needs{bytes}, bit{1U << number} {}

  const int needs;
  const unsigned bit;
  kernel::task task;
  // Of the ticket's own thread: the bits of the tickets granted before.
  unsigned granted_before = 0;
  // Under the lock of the grant head:
  bool queued = false;
  bool woken = false;
  int wakes = 0;  // how often it has been woken in this sleep

  bool was_granted_after(const log_ticket& other) const {
    return (granted_before & other.bit) != 0;
  }
};

// The set of granted tickets. To be told before the store that lets others see the grant.
class grant_order {
 public:
  grant_order() { heddle::name(granted_, "granted"); }

  void grant(log_ticket& mine) {
    mine.granted_before = granted_.fetch_or(mine.bit, std::memory_order_relaxed);
  }

 private:
  heddle::atomic<unsigned> granted_{0};
};

}  // namespace models
