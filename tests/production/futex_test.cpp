// The futex functions of the production build are the kernel's.
#include "heddle/futex.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdint>

#include "heddle/heddle.hpp"

namespace {

using word = heddle::atomic<std::uint32_t>;

TEST(ProductionFutex, ReturnsWhatTheKernelDoes) {
  word w{0};
  word other{7};
  EXPECT_EQ(heddle::futex_wait(w, 1), -EAGAIN);
  EXPECT_EQ(heddle::futex_wait_for(w, 1, std::chrono::seconds(1)), -EAGAIN);
  EXPECT_EQ(heddle::futex_wait_for(w, 0, std::chrono::milliseconds(1)), -ETIMEDOUT);
  EXPECT_EQ(heddle::futex_wake(w, 1), 0);
  EXPECT_EQ(heddle::futex_wake(w, INT_MAX), 0);
  EXPECT_EQ(heddle::futex_requeue(w, 1, INT_MAX, other), 0);
  EXPECT_EQ(heddle::futex_cmp_requeue(w, 1, 1, INT_MAX, other), -EAGAIN);
  EXPECT_EQ(heddle::futex_cmp_requeue(w, 0, 1, INT_MAX, other), 0);
}

// The source of tests/unit/body_futex_test.cpp, on real threads.
TEST(ProductionFutex, WakesAWaiter) {
  word w{0};
  int data = 0;
  heddle::thread t([&] {
    data = 1;
    w.store(1, std::memory_order_release);
    heddle::futex_wake(w, 1);
  });
  while (w.load(std::memory_order_acquire) == 0) {
    const int how = heddle::futex_wait(w, 0);
    EXPECT_TRUE(how == 0 || how == -EAGAIN) << how;
  }
  EXPECT_EQ(data, 1);
  t.join();
}

TEST(ProductionFutex, MovesAWaiter) {
  word from{0};
  word to{0};
  heddle::thread t([&] { EXPECT_EQ(heddle::futex_wait(from, 0), 0); });
  while (heddle::futex_requeue(from, 0, 1, to) == 0) heddle::this_thread::yield();
  EXPECT_EQ(heddle::futex_wake(from, 1), 0);
  EXPECT_EQ(heddle::futex_wake(to, 1), 1);
  t.join();
}

}  // namespace
