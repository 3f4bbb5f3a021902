// A kernel task, as far as sleeping, waking and its lifetime go.
//
// kernel/sched/core.c, include/linux/sched.h and sched/task.h. A sleeping task is a thread that
// waits for its state to become running; one kind of sleep stands for all. A task is freed when its
// last reference is put: it has one of its own, which it puts at exit.
//
// Orders: set_current_state is smp_store_mb, a store and a full barrier; __set_current_state, the
// store alone, is enough where the condition and the wake-up share a lock. schedule and
// wake_up_process execute a full barrier before they look at the state, also if there is nothing
// to do; being woken acquires what the waker did before. Putting a reference releases, and the last
// put acquires: refcount_dec_and_test.
#pragma once

#include <heddle/atomic.hpp>
#include <heddle/await.hpp>
#include <heddle/name.hpp>
#include <heddle/var.hpp>

#include "models/kernel/atomic.hpp"

namespace models::kernel {

class wake_queue;

enum class task_state { running, sleeping };

class task {
 public:
  explicit task(std::memory_order put_order = std::memory_order_acq_rel) : put_order_{put_order} {
    heddle::name(state_, "task_state");
    heddle::name(wake_q_next_, "wake_q_next");
    heddle::name(references_, "references");
  }

  // By the task itself: it will sleep at its next schedule(), unless it is woken before.
  void set_current_state(task_state state) { smp_store_mb(state_, state); }
  // __set_current_state.
  void set_current_state_relaxed(task_state state) { write_once(state_, state); }

  void schedule() {
    smp_mb();
    const auto woken = [](task_state state) { return state == task_state::running; };
    heddle::await_wakeup(state_, woken, std::memory_order_acquire);
  }

  // Does nothing to a task that runs, and returns false.
  bool wake_up_process() {
    use();
    smp_mb();
    task_state state = task_state::sleeping;
    return try_cmpxchg_release(state_, state, task_state::running);
  }

  // get_task_struct; by one who has a reference, or knows that the task cannot exit.
  void get() {
    use();
    atomic_inc(references_);
  }
  // put_task_struct.
  void put() {
    use();
    if (references_.fetch_sub(1, put_order_) == 1) freed_ = true;
  }

  // When all is over:
  int references() const { return atomic_read(references_); }
  bool is_freed() const { return freed_; }

 private:
  friend class wake_queue;

  // Freeing writes what every use reads, so a use after free, or unordered with it, is a data race.
  void use() const { static_cast<void>(freed_.get()); }

  heddle::atomic<task_state> state_{task_state::running};
  heddle::atomic<int> wake_q_next_{0};
  atomic_t references_{1};
  heddle::var<bool> freed_{false};
  const std::memory_order put_order_;
};

}  // namespace models::kernel
