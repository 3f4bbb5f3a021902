// What sleeps and wakes comes out the same in a search over all interleavings, which knows nothing
// of graphs, revisits and parked waits.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <cstdint>
#include <string>
#include <vector>

#include "heddle/check.hpp"
#include "heddle/futex.hpp"
#include "heddle/heddle.hpp"
#include "heddle/scenario.hpp"

namespace {

using heddle::model;
using heddle::require;
using heddle::result;
using namespace std::chrono_literals;

std::vector<std::string> outcomes(const result& r) {
  std::vector<std::string> sorted(r.reached.begin(), r.reached.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

// The outcomes of both searches are the same; `executions` is what the reduced one needs.
template <class Body>
void expect_agreement(std::uint64_t executions, Body body,
                      heddle::spurious_failures spurious = {}) {
  const result reduced = heddle::check({.memory_model = model::sc, .spurious = spurious}, body);
  const result all = heddle::check(
      {.memory_model = model::sc, .search = heddle::strategy::interleavings, .spurious = spurious},
      body);
  EXPECT_TRUE(reduced.is_verified()) << reduced.report();
  EXPECT_TRUE(all.is_verified()) << all.report();
  EXPECT_EQ(outcomes(reduced), outcomes(all));
  EXPECT_EQ(reduced.executions, executions);
  EXPECT_EQ(reduced.blocked, 0u);
  EXPECT_GE(all.executions, executions);
}

TEST(BodySleepSearch, AtomicWait) {
  // the two orders of the critical sections
  expect_agreement(2, [] {
    heddle::atomic<int> x{0};
    heddle::mutex mutex;
    int order = 0;
    const auto pass = [&](int who) {
      x.wait(0);
      const heddle::lock_guard guard(mutex);
      order = order * 10 + who;
    };
    heddle::thread a(pass, 1);
    heddle::thread b(pass, 2);
    x = 1;
    x.notify_all();
    a.join();
    b.join();
    require(order == 12 || order == 21, "both");
    heddle::reached(std::to_string(order));
  });
}

TEST(BodySleepSearch, NotifyOneOfTwo) {
  expect_agreement(14, [] {
    heddle::mutex mutex;
    heddle::condition_variable changed;
    int tokens = 0;
    int order = 0;
    const auto take = [&](int who) {
      heddle::unique_lock lock(mutex);
      changed.wait(lock, [&] { return tokens > 0; });
      --tokens;
      order = order * 10 + who;
    };
    heddle::thread a(take, 1);
    heddle::thread b(take, 2);
    {
      const heddle::lock_guard guard(mutex);
      tokens = 2;
      changed.notify_one();
    }
    changed.notify_one();
    a.join();
    b.join();
    require(tokens == 0, "taken");
    heddle::reached(std::to_string(order));
  });
}

TEST(BodySleepSearch, ATimedWait) {
  const auto body = [] {
    heddle::mutex mutex;
    heddle::condition_variable changed;
    int state = 0;
    heddle::thread t([&] {
      heddle::unique_lock lock(mutex);
      const bool timed_out = changed.wait_for(lock, 1s) == heddle::cv_status::timeout;
      heddle::reached((timed_out ? "timeout " : "woken ") + std::to_string(state));
    });
    {
      const heddle::lock_guard guard(mutex);
      state = 1;
    }
    changed.notify_one();
    t.join();
    require(state == 1, "set");
  };
  expect_agreement(6, body);
  expect_agreement(10, body, {.wakeups = 1});
}

TEST(BodySleepSearch, CallbacksOfAStop) {
  expect_agreement(7, [] {
    heddle::stop_source source;
    int ran = 0;
    heddle::thread t([&] { source.request_stop(); });
    {
      const heddle::stop_callback first(source.get_token(), [&] { ran = 1; });
      const heddle::stop_callback second(source.get_token(), [&] { ran += 2; });
    }
    heddle::reached(std::to_string(ran));
    t.join();
    require(ran <= 3, "each at most once");
  });
}

TEST(BodySleepSearch, Futexes) {
  expect_agreement(19, [] {
    heddle::atomic<std::uint32_t> word{0};
    heddle::thread a([&] { heddle::reached("a" + std::to_string(heddle::futex_wait(word, 0))); });
    heddle::thread b(
        [&] { heddle::reached("b" + std::to_string(heddle::futex_wait_for(word, 0, 1s))); });
    word = 1;
    heddle::reached("woken " + std::to_string(heddle::futex_wake(word, INT_MAX)));
    a.join();
    b.join();
    require(word == 1, "stored");
  });
  expect_agreement(4, [] {
    heddle::atomic<std::uint32_t> word{0};
    heddle::atomic<std::uint32_t> other{0};
    heddle::thread a(
        [&] { heddle::reached("a" + std::to_string(heddle::futex_wait_for(word, 0, 1s))); });
    heddle::reached("moved " + std::to_string(heddle::futex_requeue(word, 0, 1, other)));
    heddle::reached("woken " + std::to_string(heddle::futex_wake(other, 1)));
    a.join();
    require(word == 0, "unchanged");
  });
}

}  // namespace
