// The loop in which a task sleeps until a condition holds, and the ways to get it wrong.
//
// Right: say that you will sleep, then look, then sleep: a wake-up in between sets the state back,
// and schedule() returns at once. Saying and looking against the waker's setting and waking is
// store buffering: set_current_state has the full barrier of this side, wake_up_process that of
// the other.
//
// Orders: the condition's are the caller's; relaxed is enough for the wake-up.
#pragma once

#include "models/kernel/task.hpp"

namespace models::kernel {

enum class sleep_loop {
  set_then_check,       // set_current_state; look; schedule
  check_then_set,       // look; set_current_state; schedule (xfsaild before 8375f922aaa6)
  set_without_barrier,  // __set_current_state; look; schedule
  check_once,           // `if` instead of `while`: believes in every wake-up
};

template <sleep_loop Loop = sleep_loop::set_then_check, class Condition>
void sleep_until(task& current, Condition condition) {
  if constexpr (Loop == sleep_loop::check_then_set) {
    while (!condition()) {
      current.set_current_state(task_state::sleeping);
      current.schedule();
    }
    return;
  }
  for (;;) {
    if constexpr (Loop == sleep_loop::set_without_barrier) {
      current.set_current_state_relaxed(task_state::sleeping);
    } else {
      current.set_current_state(task_state::sleeping);
    }
    if (condition()) break;
    current.schedule();
    if constexpr (Loop == sleep_loop::check_once) break;
  }
  current.set_current_state_relaxed(task_state::running);
}

}  // namespace models::kernel
