// Wake-ups collected under a lock and issued after it has been released.
//
// DEFINE_WAKE_Q, wake_q_add, wake_up_q. Here a plain list on the waker's stack, for wakers that
// never collect one task twice; the kernel's is threaded through the tasks, with races of its own.
#pragma once

#include <vector>

#include "models/kernel/task.hpp"

namespace models::kernel {

class wake_queue {
 public:
  void add(task& sleeper) { sleepers_.push_back(&sleeper); }
  bool empty() const { return sleepers_.empty(); }

  // wake_up_q and wake_q_init.
  void wake_up_all() {
    for (task* sleeper : sleepers_) sleeper->wake_up();
    sleepers_.clear();
  }

 private:
  std::vector<task*> sleepers_;
};

}  // namespace models::kernel
