// Waiting for log space: a grant head with a queue of tickets, each of them a task that sleeps.
//
// fs/xfs/xfs_log.c of v4.18 (xlog_grant_head_check, _wait, _wake, _wake_all, xfs_log_space_wake)
// and "xfs: Use wake_q for waking up log space waiters" (Long, Aug 2018, never merged), which takes
// a ticket off the queue when it collects its wake-up, and issues the wake-ups after the unlock.
// The rules below are the steps in which the versions, and their repairs, differ. log_ticket.hpp
// has the tickets, log_grant_reference.hpp a design in which nothing of this goes wrong.
//
// Left out: pushing the AIL, which hides a lost wake-up as long as there is something to push; the
// second grant head.
//
// Orders: queue and states are guarded by the lock. Space is relaxed; the emptiness test outside
// the lock is list_empty_careful, an acquire load. Together with the queueing under the lock that
// is store buffering: `fences` are the two smp_mb that close it.
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

struct log_grant_rules {
  // The posted patch: the waker dequeues and wakes after the unlock; a woken ticket that finds too
  // little space queues again, at the tail. Otherwise a ticket stays queued until it is granted.
  bool dequeue_when_woken = false;
  // Go by the space there is once the lock is held, not by a sample from before.
  bool sample_under_lock = false;
  // A newcomer looks at the space once more after queueing, if it is first in the queue.
  bool recheck_when_queued = false;
  // smp_mb in the newcomer between queueing and the recheck, and around the freer's add.
  bool fences = false;
  // The two repairs of the posted patch: shutdown dequeues whom it wakes; or a woken task tests for
  // shutdown before it goes back to sleep for being still queued.
  bool shutdown_dequeues = false;
  bool test_shutdown_first = false;
  // A ticket stays queued and is marked when it is woken; who is marked already has its space set
  // aside, and is not woken again in this sleep.
  bool mark_woken = false;
};

class log_grant_head {
 public:
  log_grant_head(int space, log_grant_rules rules) : space_{space}, rules_{rules} {
    heddle::name(lock_, "head_lock");
    heddle::name(space_, "space");
    heddle::name(queue_empty_, "queue_empty");
    heddle::name(shut_down_, "shut_down");
  }

  // Waits for space; returns what is left of it after taking, nothing if the log was shut down.
  std::optional<int> reserve(log_ticket& mine) {
    int free = space_.load(std::memory_order_relaxed);
    const bool nobody_waits = queue_empty_.load(std::memory_order_acquire);
    if (nobody_waits && free >= mine.needs) return take(mine);
    lock_.lock();
    if (rules_.sample_under_lock) free = space_.load(std::memory_order_relaxed);
    kernel::wake_queue collected;
    const bool woke_all = wake_waiters(free, collected);
    if (!collected.empty()) {
      lock_.unlock();
      collected.wake_up_all();
      lock_.lock();
    }
    if (woke_all && free >= mine.needs) return take_and_unlock(mine);
    enqueue(mine);
    if (rules_.recheck_when_queued && enough_for_first(mine)) return take_and_unlock(mine);
    return wait(mine, wake_reason::too_little_space);
  }

  // Takes space only if it need not wait.
  bool try_reserve(log_ticket& mine) {
    const int free = space_.load(std::memory_order_relaxed);
    const bool nobody_waits = queue_empty_.load(std::memory_order_acquire);
    if (!nobody_waits || free < mine.needs) return false;
    take(mine);
    return true;
  }

  // To start from the middle: the ticket is queued and its task asleep. For the body, before it has
  // other threads; the ticket's own thread goes on with `resume`.
  void put_to_sleep(log_ticket& ticket) {
    enqueue(ticket);
    ticket.task.set_current_state_relaxed(kernel::task_state::sleeping);
  }
  std::optional<int> resume(log_ticket& mine) {
    const wake_reason woken = sleep(mine);
    return wait(mine, woken);
  }

  // The tail of the log has moved: there is more space.
  void release(int bytes) {
    if (rules_.fences) heddle::atomic_thread_fence(std::memory_order_seq_cst);
    space_.fetch_add(bytes, std::memory_order_relaxed);
    if (rules_.fences) heddle::atomic_thread_fence(std::memory_order_seq_cst);
    if (shut_down_.load(std::memory_order_relaxed)) return;
    if (queue_empty_.load(std::memory_order_acquire)) return;
    lock_.lock();
    int free = space_.load(std::memory_order_relaxed);
    kernel::wake_queue collected;
    wake_waiters(free, collected);
    lock_.unlock();
    collected.wake_up_all();
  }

  void shut_down() {
    shut_down_.store(true, std::memory_order_relaxed);
    lock_.lock();
    const std::vector<log_ticket*> waiting = queue_;
    for (log_ticket* ticket : waiting) {
      if (rules_.shutdown_dequeues) dequeue(*ticket);
      count_wake(*ticket);
      ticket->task.wake_up_process();
    }
    lock_.unlock();
  }

  // When all is over: the most wake-ups that one sleep was given.
  int most_wakes_of_a_sleep() const { return most_wakes_; }

 private:
  enum class wake_reason { granted, too_little_space, shut_down };

  // All below: with the lock held, which `wait` and `take_and_unlock` release.

  std::optional<int> wait(log_ticket& mine, wake_reason woken) {
    while (woken == wake_reason::too_little_space) {
      if (!mine.queued) enqueue(mine);
      if (shut_down_.load(std::memory_order_relaxed)) {
        woken = wake_reason::shut_down;
      } else {
        fall_asleep_and_unlock(mine);
        woken = sleep(mine);
      }
    }
    if (woken == wake_reason::granted) return take_and_unlock(mine);
    dequeue(mine);
    lock_.unlock();
    return std::nullopt;
  }

  void fall_asleep_and_unlock(log_ticket& mine) {
    mine.wakes = 0;
    mine.woken = false;
    mine.task.set_current_state_relaxed(kernel::task_state::sleeping);
    lock_.unlock();
  }

  // Takes the lock once it is woken.
  wake_reason sleep(log_ticket& mine) {
    mine.task.schedule();
    lock_.lock();
    while (woken_too_early(mine)) {
      fall_asleep_and_unlock(mine);
      mine.task.schedule();
      lock_.lock();
    }
    if (shut_down_.load(std::memory_order_relaxed)) return wake_reason::shut_down;
    const int free = space_.load(std::memory_order_relaxed);
    return free >= mine.needs ? wake_reason::granted : wake_reason::too_little_space;
  }

  // The posted patch: "The current task should have been dequeued from the list before it is waken
  // up", else it goes back to sleep.
  bool woken_too_early(const log_ticket& mine) const {
    if (!rules_.dequeue_when_woken || !mine.queued) return false;
    return !rules_.test_shutdown_first || !shut_down_.load(std::memory_order_relaxed);
  }

  bool enough_for_first(const log_ticket& mine) const {
    if (rules_.fences) heddle::atomic_thread_fence(std::memory_order_seq_cst);
    const int free = space_.load(std::memory_order_relaxed);
    return queue_.front() == &mine && free >= mine.needs;
  }

  // Wakes from the head while `free` lasts; true if it lasts for all.
  bool wake_waiters(int& free, kernel::wake_queue& collected) {
    const std::vector<log_ticket*> waiting = queue_;
    for (log_ticket* ticket : waiting) {
      if (free < ticket->needs) return false;
      free -= ticket->needs;
      if (rules_.mark_woken && ticket->woken) continue;
      count_wake(*ticket);
      if (rules_.dequeue_when_woken) {
        collected.add(ticket->task);
        dequeue(*ticket);
      } else {
        ticket->task.wake_up_process();
      }
    }
    return true;
  }

  void count_wake(log_ticket& ticket) {
    ticket.woken = true;
    ++ticket.wakes;
    most_wakes_ = std::max(most_wakes_, ticket.wakes);
  }

  void enqueue(log_ticket& ticket) {
    queue_.push_back(&ticket);
    ticket.queued = true;
    if (queue_.size() == 1) queue_empty_.store(false, std::memory_order_relaxed);
  }

  void dequeue(log_ticket& ticket) {
    if (!ticket.queued) return;
    std::erase(queue_, &ticket);
    ticket.queued = false;
    if (queue_.empty()) queue_empty_.store(true, std::memory_order_relaxed);
  }

  // The space is checked under the lock but taken after it, by design: xlog_grant_add_space.
  int take_and_unlock(log_ticket& mine) {
    order_.grant(mine);
    dequeue(mine);
    lock_.unlock();
    return take_space(mine.needs);
  }

  // The rest needs no lock.

  int take(log_ticket& mine) {
    order_.grant(mine);
    return take_space(mine.needs);
  }

  int take_space(int bytes) {
    const int before = space_.fetch_sub(bytes, std::memory_order_relaxed);
    return before - bytes;
  }

  heddle::mutex lock_;
  heddle::atomic<int> space_;
  heddle::atomic<bool> queue_empty_{true};
  heddle::atomic<bool> shut_down_{false};
  // Under the lock:
  std::vector<log_ticket*> queue_;
  int most_wakes_ = 0;

  grant_order order_;
  const log_grant_rules rules_;
};

}  // namespace models
