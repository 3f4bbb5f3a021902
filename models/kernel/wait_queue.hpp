// Wait queues: tasks that wait for a condition, and wakers that need not know them.
//
// include/linux/wait.h and kernel/sched/wait.c: prepare_to_wait, finish_wait, waitqueue_active,
// wake_up with autoremove_wake_function, exclusive waiters, and abort_exclusive_wait
// (777c6c5f1f6e), now part of prepare_to_wait_event. A wake-up ends at the first exclusive waiter
// that it has woken, so one who was woken and leaves without the thing must pass the wake-up on.
//
// Left out: finish_wait skips the lock if the entry is not queued any more.
//
// Orders: queueing and the state are stores under the lock and a full barrier, before the look at
// the condition. A waker that asks waitqueue_active without the lock needs smp_mb between its store
// to the condition and the question; wake_up itself takes the lock.
#pragma once

#include <heddle/atomic.hpp>
#include <heddle/mutex.hpp>
#include <heddle/name.hpp>
#include <vector>

#include "models/kernel/barrier.hpp"
#include "models/kernel/task.hpp"

namespace models::kernel {

struct wait_queue_entry {
  task& sleeper;
  const bool is_exclusive = false;
  bool is_queued = false;  // under the lock
};

// What an exclusive waiter does that finds a signal pending, and not what it waits for.
enum class on_signal {
  finish_wait,           // leaves, and takes with it the wake-up that has come since
  abort_exclusive_wait,  // if it was woken since it looked, wakes the next
  leave_and_look,        // looks after it has left the queue: prepare_to_wait_event
};

class wait_queue {
 public:
  wait_queue() {
    heddle::name(lock_, "queue_lock");
    heddle::name(is_active_, "queue_active");
  }

  void prepare_to_wait(wait_queue_entry& mine) {
    const heddle::lock_guard guard{lock_};
    enqueue(mine);
    mine.sleeper.set_current_state(task_state::sleeping);
  }

  void finish_wait(wait_queue_entry& mine) {
    mine.sleeper.set_current_state_relaxed(task_state::running);
    const heddle::lock_guard guard{lock_};
    dequeue(mine);
  }

  // An exclusive waiter gives up. If it was woken meanwhile, the wake-up is another's.
  void abort_exclusive_wait(wait_queue_entry& mine) {
    mine.sleeper.set_current_state_relaxed(task_state::running);
    const heddle::lock_guard guard{lock_};
    if (mine.is_queued) {
      dequeue(mine);
    } else {
      wake_up_locked();
    }
  }

  // False: a signal is pending, and the entry is off the queue. The caller looks at the condition
  // once more, for it may have been woken before.
  template <class Signal>
  bool prepare_to_wait_event(wait_queue_entry& mine, Signal is_pending) {
    const heddle::lock_guard guard{lock_};
    if (is_pending()) {
      dequeue(mine);
      return false;
    }
    enqueue(mine);
    mine.sleeper.set_current_state(task_state::sleeping);
    return true;
  }

  // wait_event.
  template <class Condition>
  void wait_until(wait_queue_entry& mine, Condition condition) {
    for (;;) {
      prepare_to_wait(mine);
      if (condition()) break;
      mine.sleeper.schedule();
    }
    finish_wait(mine);
  }

  // wait_event_interruptible_exclusive. False: a signal is pending, and the condition does not
  // hold.
  template <class Condition, class Signal>
  bool wait_interruptible(wait_queue_entry& mine, on_signal how, Condition condition,
                          Signal is_pending) {
    for (;;) {
      bool leaves = false;
      if (how == on_signal::leave_and_look) {
        leaves = !prepare_to_wait_event(mine, is_pending);
      } else {
        prepare_to_wait(mine);
      }
      if (condition()) {
        finish_wait(mine);
        return true;
      }
      if (leaves) return false;
      if (!is_pending()) {
        mine.sleeper.schedule();
      } else if (how == on_signal::finish_wait) {
        finish_wait(mine);
        return false;
      } else if (how == on_signal::abort_exclusive_wait) {
        abort_exclusive_wait(mine);
        return false;
      }
    }
  }

  // waitqueue_active, without the lock.
  bool is_active() const { return read_once(is_active_); }

  void wake_up() {
    const heddle::lock_guard guard{lock_};
    wake_up_locked();
  }

  bool is_queued(const wait_queue_entry& entry) {
    const heddle::lock_guard guard{lock_};
    return entry.is_queued;
  }

 private:
  // All below: with the lock held.

  void wake_up_locked() {
    const std::vector<wait_queue_entry*> waiting = queue_;
    for (wait_queue_entry* entry : waiting) {
      if (!entry->sleeper.wake_up_process()) continue;
      dequeue(*entry);
      if (entry->is_exclusive) return;
    }
  }

  // Exclusive waiters stand behind the others.
  void enqueue(wait_queue_entry& entry) {
    if (entry.is_queued) return;
    queue_.insert(entry.is_exclusive ? queue_.end() : queue_.begin(), &entry);
    entry.is_queued = true;
    if (queue_.size() == 1) write_once(is_active_, true);
  }

  void dequeue(wait_queue_entry& entry) {
    if (!entry.is_queued) return;
    std::erase(queue_, &entry);
    entry.is_queued = false;
    if (queue_.empty()) write_once(is_active_, false);
  }

  heddle::mutex lock_;
  heddle::atomic<bool> is_active_{false};
  std::vector<wait_queue_entry*> queue_;  // under the lock
};

}  // namespace models::kernel
