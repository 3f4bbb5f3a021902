// Threads: thread and this_thread, with std's names and signatures, and daemon_thread.
//
// Production: they are std's. Checked: a thread of the body, which the engine runs on a fiber; what
// differs for the user is said in checked/thread.hpp.
//
// daemon_thread(f, args...), in both builds: starts a thread that may sleep for ever. That it still
// waits when all others have ended is no deadlock. It is joined or detached like any thread,
// usually `heddle::daemon_thread(f).detach()`.
#pragma once

#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/this_thread.hpp"
#include "heddle/checked/thread.hpp"
#else

#include <thread>
#include <utility>

namespace heddle {

using std::thread;

namespace this_thread {

using std::this_thread::get_id;
using std::this_thread::sleep_for;
using std::this_thread::sleep_until;
using std::this_thread::yield;

}  // namespace this_thread

template <class Function, class... Args>
[[nodiscard]] thread daemon_thread(Function&& function, Args&&... args) {
  return thread(std::forward<Function>(function), std::forward<Args>(args)...);
}

}  // namespace heddle
#endif
