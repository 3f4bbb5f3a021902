// Litmus tests in the kernel's vocabulary: threads on a few cells, and an outcome that is reached
// or not.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "heddle/check.hpp"
#include "heddle/gtest.hpp"
#include "heddle/heddle.hpp"
#include "heddle/scenario.hpp"
#include "models/kernel/atomic.hpp"
#include "models/kernel/lock.hpp"

namespace kernel_litmus {

// x, y and z start at 0. Registers are each one thread's, and read when all have ended.
struct cells {
  cells() {
    heddle::name(x, "x");
    heddle::name(y, "y");
    heddle::name(z, "z");
  }

  models::kernel::atomic_t x{0};
  models::kernel::atomic_t y{0};
  models::kernel::atomic_t z{0};
  models::kernel::spinlock_t lock;
  int r0 = -1;
  int r1 = -1;
  int r2 = -1;
  int r3 = -1;
};

enum class outcome { forbidden, allowed, undecided };

inline void PrintTo(outcome what, std::ostream* out) {
  *out << (what == outcome::forbidden ? "forbidden"
           : what == outcome::allowed ? "allowed"
                                      : "undecided");
}

// `exists` is asked of the cells after the threads have ended. Undecided: the check was cut, or
// found something else.
template <class Exists, class... Thread>
outcome litmus(heddle::model memory_model, Exists exists, Thread... threads) {
  const heddle::result found = heddle::check({.memory_model = memory_model}, [=] {
    cells at;
    {
      std::vector<heddle::thread> running;
      (running.emplace_back([&at, threads] { threads(at); }), ...);
      for (heddle::thread& each : running) each.join();
    }
    if (exists(at)) heddle::reached("outcome");
  });
  if (found.verdict != heddle::verdict_kind::verified || found.executions == 0) {
    ADD_FAILURE() << found.report();
    return outcome::undecided;
  }
  const bool reached = std::count(found.reached.begin(), found.reached.end(), "outcome") != 0;
  return reached ? outcome::allowed : outcome::forbidden;
}

// In every model.
template <class Exists, class... Thread>
void expect_forbidden(Exists exists, Thread... threads) {
  for (const heddle::model memory_model :
       {heddle::model::rc11, heddle::model::tso, heddle::model::sc}) {
    EXPECT_EQ(litmus(memory_model, exists, threads...), outcome::forbidden)
        << to_string(memory_model);
  }
}

// By rc11 and x86.
template <class Exists, class... Thread>
void expect_allowed_on_x86(Exists exists, Thread... threads) {
  EXPECT_EQ(litmus(heddle::model::rc11, exists, threads...), outcome::allowed) << "rc11";
  EXPECT_EQ(litmus(heddle::model::tso, exists, threads...), outcome::allowed) << "tso";
  EXPECT_EQ(litmus(heddle::model::sc, exists, threads...), outcome::forbidden) << "sc";
}

// By rc11, and not by x86.
template <class Exists, class... Thread>
void expect_allowed_by_rc11(Exists exists, Thread... threads) {
  EXPECT_EQ(litmus(heddle::model::rc11, exists, threads...), outcome::allowed) << "rc11";
  EXPECT_EQ(litmus(heddle::model::tso, exists, threads...), outcome::forbidden) << "tso";
}

}  // namespace kernel_litmus
