// A kernel task, as far as sleeping and waking go: a state, and the barriers that go with it.
//
// kernel/sched/core.c. Until the checker has sleeping tasks of its own, a sleeping task is a thread
// that waits for its state to become running.
//
// Orders: set_state is __set_current_state, a relaxed store, enough where the condition and the
// wake-up share a lock; schedule and wake_up_process execute a full barrier before they look at the
// state; being woken acquires what the waker did before.
#pragma once

#include <heddle/atomic.hpp>
#include <heddle/await.hpp>
#include <heddle/name.hpp>

namespace models::kernel {

enum class task_state { running, uninterruptible };

class task {
 public:
  task() { heddle::name(state_, "task_state"); }

  // By the task itself: it will sleep at its next schedule(), unless it is woken before.
  void set_state(task_state state) { state_.store(state, std::memory_order_relaxed); }

  void schedule() {
    heddle::atomic_thread_fence(std::memory_order_seq_cst);
    const auto woken = [](task_state state) { return state == task_state::running; };
    heddle::await(state_, woken, std::memory_order_acquire);
  }

  // wake_up_process: does nothing to a task that runs.
  void wake_up() {
    heddle::atomic_thread_fence(std::memory_order_seq_cst);
    task_state sleeping = task_state::uninterruptible;
    state_.compare_exchange_strong(sleeping, task_state::running, std::memory_order_release,
                                   std::memory_order_relaxed);
  }

 private:
  heddle::atomic<task_state> state_{task_state::running};
};

}  // namespace models::kernel
