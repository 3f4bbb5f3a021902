// What heddle adds to std works in the production build: await, require, daemon_thread, var.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

#include "heddle/heddle.hpp"

namespace {

TEST(ProductionAwait, ReturnsTheValueThatHolds) {
  heddle::atomic<int> object(0);
  heddle::thread other([&] {
    for (int i = 1; i <= 3; ++i) object.store(i, heddle::memory_order_release);
  });
  EXPECT_EQ(heddle::await(
                object, [](int value) { return value == 3; }, heddle::memory_order_acquire),
            3);
  other.join();
}

TEST(ProductionAwait, WaitsForAFlag) {
  heddle::atomic_flag flag;
  heddle::thread other([&] { flag.test_and_set(); });
  EXPECT_TRUE(heddle::await(flag, [](bool set) { return set; }));
  other.join();
}

TEST(ProductionAwait, WaitsForAnyNumberOfLoads) {
  heddle::atomic<int> a(0);
  heddle::atomic<int> b(0);
  heddle::thread other([&] {
    a = 1;
    b = 1;
  });
  heddle::await([&] { return a.load() + b.load() == 2; });
  EXPECT_EQ(a, 1);
  other.join();
}

TEST(ProductionAwait, OutlastsTheSpinning) {
  heddle::atomic<bool> go(false);
  heddle::atomic<bool> waiting(false);
  heddle::thread other([&] {
    waiting = true;
    heddle::await(go, [](bool value) { return value; });
  });
  while (!waiting) heddle::this_thread::yield();
  for (int i = 0; i < 1000; ++i) heddle::this_thread::yield();
  go = true;
  other.join();
}

// The source of tests/unit/body_condition_test.cpp, on real threads.
TEST(ProductionCondition, WakesAWaiterAndTimesOut) {
  heddle::mutex mutex;
  heddle::condition_variable changed;
  heddle::var<bool> open{false};
  heddle::thread t([&] {
    {
      const heddle::lock_guard guard(mutex);
      open = true;
    }
    changed.notify_one();
  });
  {
    heddle::unique_lock lock(mutex);
    changed.wait(lock, [&] { return open.get(); });
    const auto end = heddle::steady_clock::now() + std::chrono::milliseconds(1);
    EXPECT_FALSE(changed.wait_until(lock, end, [] { return false; }));
    EXPECT_EQ(changed.wait_until(lock, end), heddle::cv_status::timeout);
    EXPECT_GE(heddle::steady_clock::now(), end);
  }
  t.join();
}

TEST(ProductionStop, EndsAWaitAndJoins) {
  heddle::mutex mutex;
  heddle::condition_variable_any changed;
  bool stopped = false;
  int ran = 0;
  {
    heddle::jthread t([&](heddle::stop_token token) {
      heddle::unique_lock lock(mutex);
      stopped = !changed.wait(lock, token, [] { return false; });
    });
    heddle::stop_callback callback(t.get_stop_token(), [&] { ++ran; });
    EXPECT_TRUE(t.request_stop());
    EXPECT_FALSE(t.request_stop());
  }
  EXPECT_TRUE(stopped);
  EXPECT_EQ(ran, 1);
}

TEST(ProductionRequire, HoldsSilently) { heddle::require(1 + 1 == 2, "arithmetic"); }

TEST(ProductionRequireDeathTest, AbortsWithMessageAndPlace) {
  EXPECT_DEATH(heddle::require(false, "objects were lost"),
               "behaviour_test.cpp:[0-9]+: required: objects were lost");
}

TEST(ProductionDaemon, IsAThread) {
  heddle::atomic<int> ran(0);
  heddle::thread daemon = heddle::daemon_thread([&ran](int by) { ran += by; }, 2);
  daemon.join();
  EXPECT_EQ(ran, 2);
}

TEST(ProductionVar, IsItsValue) {
  heddle::var<std::string> text{"some"};
  text.write([](std::string& value) { value += " text"; });
  EXPECT_EQ(text.read([](const std::string& value) { return value.size(); }), 9u);
  const heddle::var<std::string> moved = std::move(text);
  EXPECT_EQ(moved.get(), "some text");

  std::pair<int, int> pair{1, 2};
  heddle::var<std::pair<int, int>*> pointer{&pair};
  EXPECT_EQ(pointer->second, 2);

  heddle::var<unsigned char> narrow{255};
  narrow += 2;
  EXPECT_EQ(narrow, 1);
}

// The same bodies are in tests/counting/.
TEST(ProductionSemaphore, LetsInAsManyAsItCounts) {
  heddle::counting_semaphore<2> free{2};
  heddle::atomic<int> inside{0};
  const auto work = [&] {
    free.acquire();
    EXPECT_LE(inside.fetch_add(1) + 1, 2);
    inside.fetch_sub(1);
    free.release();
  };
  heddle::thread a(work);
  heddle::thread b(work);
  work();
  a.join();
  b.join();
  EXPECT_TRUE(free.try_acquire());
  EXPECT_TRUE(free.try_acquire_for(std::chrono::milliseconds(1)));
  EXPECT_FALSE(free.try_acquire());
}

TEST(ProductionLatch, OrdersWhatWasBeforeIt) {
  heddle::latch ready{1};
  heddle::var<int> value{0};
  heddle::thread t([&] {
    value = 1;
    ready.count_down();
  });
  ready.wait();
  EXPECT_EQ(value, 1);
  t.join();
}

TEST(ProductionBarrier, CompletesEachPhaseOnce) {
  int phases = 0;
  const auto count = [&phases]() noexcept { ++phases; };
  heddle::barrier meeting(2, count);
  const auto work = [&] {
    for (int phase = 1; phase <= 2; ++phase) {
      meeting.arrive_and_wait();
      EXPECT_GE(phases, phase);
    }
  };
  heddle::thread t(work);
  work();
  t.join();
  EXPECT_EQ(phases, 2);
}

TEST(ProductionOnce, RunsOnce) {
  heddle::once_flag flag;
  int value = 0;
  const auto work = [&] {
    heddle::call_once(
        flag, [&](int by) { value += by; }, 42);
    EXPECT_EQ(value, 42);
  };
  heddle::thread t(work);
  work();
  t.join();
}

}  // namespace
