// Waiting for log space without a lost wake-up, in queue order: what log_grant.hpp's versions lack,
// put together.
//
// Not in the kernel. Everyone queues, says that it will sleep, looks, and sleeps only then. Only
// the head of the queue takes space, under the lock and in one compare_exchange. Freers wake the
// head alone; who leaves wakes the next if there is space for it too (chain wake). Wake-ups are
// issued after the unlock. Shutdown wakes all, and each look asks for it.
//
// Orders: queue and states are guarded by the lock; space is relaxed. The freer adds and then asks,
// without the lock, whether anyone waits; the waiter queues and then looks at the space: store
// buffering, so both have a full barrier in between, the waiter's being that of set_current_state.
#pragma once

#include <algorithm>
#include <heddle/atomic.hpp>
#include <heddle/mutex.hpp>
#include <heddle/name.hpp>
#include <optional>
#include <vector>

#include "models/kernel/task.hpp"
#include "models/kernel/wake_queue.hpp"
#include "models/log_ticket.hpp"

namespace models {

struct log_grant_reference_rules {
  bool waiter_fence = true;
  bool chain_wake = true;
};

class log_grant_reference {
 public:
  explicit log_grant_reference(int space, log_grant_reference_rules rules = {})
      : space_{space}, rules_{rules} {
    heddle::name(lock_, "head_lock");
    heddle::name(space_, "space");
    heddle::name(queue_empty_, "queue_empty");
    heddle::name(shut_down_, "shut_down");
  }

  // Waits for space; returns what is left of it after taking, nothing if the log was shut down.
  std::optional<int> reserve(log_ticket& mine) {
    lock_.lock();
    enqueue(mine);
    return wait(mine);
  }

  // To start from the middle: the ticket is queued and its task asleep. For the body, before it has
  // other threads; the ticket's own thread goes on with `resume`.
  void put_to_sleep(log_ticket& ticket) {
    enqueue(ticket);
    ticket.task.set_current_state_relaxed(kernel::task_state::sleeping);
  }
  std::optional<int> resume(log_ticket& mine) {
    mine.task.schedule();
    lock_.lock();
    return wait(mine);
  }

  // The tail of the log has moved: there is more space.
  void release(int bytes) {
    heddle::atomic_thread_fence(std::memory_order_seq_cst);
    space_.fetch_add(bytes, std::memory_order_relaxed);
    heddle::atomic_thread_fence(std::memory_order_seq_cst);
    if (queue_empty_.load(std::memory_order_acquire)) return;
    kernel::wake_queue collected;
    lock_.lock();
    collect_head(collected);
    lock_.unlock();
    collected.wake_up_all();
  }

  void shut_down() {
    shut_down_.store(true, std::memory_order_relaxed);
    kernel::wake_queue collected;
    lock_.lock();
    for (log_ticket* ticket : queue_) collected.add(ticket->task);
    lock_.unlock();
    collected.wake_up_all();
  }

 private:
  // All below: with the lock held, which `wait` releases.

  std::optional<int> wait(log_ticket& mine) {
    for (;;) {
      if (rules_.waiter_fence) {
        mine.task.set_current_state(kernel::task_state::sleeping);
      } else {
        mine.task.set_current_state_relaxed(kernel::task_state::sleeping);
      }
      if (shut_down_.load(std::memory_order_relaxed)) return leave(mine, std::nullopt);
      if (queue_.front() == &mine) {
        if (const std::optional<int> left = take(mine.needs)) return leave(mine, left);
      }
      lock_.unlock();
      mine.task.schedule();
      lock_.lock();
    }
  }

  std::optional<int> leave(log_ticket& mine, std::optional<int> left) {
    mine.task.set_current_state_relaxed(kernel::task_state::running);
    if (left) order_.grant(mine);
    dequeue(mine);
    kernel::wake_queue collected;
    if (rules_.chain_wake) collect_head(collected);
    lock_.unlock();
    collected.wake_up_all();
    return left;
  }

  // What is left, or nothing if there is too little; freers add at any time.
  std::optional<int> take(int bytes) {
    int free = space_.load(std::memory_order_relaxed);
    while (free >= bytes) {
      if (space_.compare_exchange_strong(free, free - bytes, std::memory_order_relaxed)) {
        return free - bytes;
      }
    }
    return std::nullopt;
  }

  void collect_head(kernel::wake_queue& collected) {
    if (queue_.empty()) return;
    log_ticket& head = *queue_.front();
    if (space_.load(std::memory_order_relaxed) >= head.needs) collected.add(head.task);
  }

  void enqueue(log_ticket& ticket) {
    queue_.push_back(&ticket);
    if (queue_.size() == 1) queue_empty_.store(false, std::memory_order_relaxed);
  }

  void dequeue(log_ticket& ticket) {
    std::erase(queue_, &ticket);
    if (queue_.empty()) queue_empty_.store(true, std::memory_order_relaxed);
  }

  heddle::mutex lock_;
  heddle::atomic<int> space_;
  heddle::atomic<bool> queue_empty_{true};
  heddle::atomic<bool> shut_down_{false};
  std::vector<log_ticket*> queue_;  // under the lock
  grant_order order_;
  const log_grant_reference_rules rules_;
};

}  // namespace models
