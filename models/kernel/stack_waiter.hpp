// A waiter's record on its own stack, which its waker reads: it is gone once the waiter is told.
//
// ext_wait_queue of ipc/mqueue.c (wq_sleep, __pipelined_op), the same in ipc/msg.c and sem.c;
// a11ddb37bf36, CVE-2021-47069: "avoid relying on a stack reference past its expiry". The sender
// marks the record ready, and the receiver may return before the sender has gone on to wake it.
//
// Left out: the queue's lock, under which the sender finds the record.
//
// Orders: the mark releases, and the receiver's look at it acquires.
#pragma once

#include <heddle/atomic.hpp>
#include <heddle/name.hpp>
#include <heddle/var.hpp>

#include "models/kernel/sleep_until.hpp"
#include "models/kernel/task.hpp"
#include "models/kernel/wake_queue.hpp"

namespace models::kernel {

struct mark_orders {
  std::memory_order mark = std::memory_order_release;
  std::memory_order look = std::memory_order_acquire;
};

class stack_waiter {
 public:
  explicit stack_waiter(task& sleeper, mark_orders orders = {})
      : sleeper_{&sleeper}, orders_{orders} {
    heddle::name(sleeper_, "record");
    heddle::name(ready_, "ready");
  }

  // By the receiver. Its return ends the life of the record, which is a write of it.
  void wait() {
    task& current = *sleeper_.get();
    sleep_until(current, [this] { return ready_.load(orders_.look); });
    sleeper_ = nullptr;
  }

  // By the sender: reads the record only before the mark, and has a reference from then on.
  void finish(wake_queue& collected) {
    task& sleeper = *sleeper_.get();
    sleeper.get();
    ready_.store(true, orders_.mark);
    collected.add_with_reference(sleeper);
  }

  // Before a11ddb37bf36.
  void finish_and_read_again(wake_queue& collected) {
    sleeper_.get()->get();
    ready_.store(true, orders_.mark);
    collected.add_with_reference(*sleeper_.get());
  }

 private:
  heddle::var<task*> sleeper_;
  heddle::atomic<bool> ready_{false};
  const mark_orders orders_;
};

}  // namespace models::kernel
