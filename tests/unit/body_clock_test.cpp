// The clocks of a body: virtual time that only sleeping and timing out moves.
#include <gtest/gtest.h>

#include <chrono>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"
#include "heddle/scenario.hpp"

namespace {

using heddle::check;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::steady_clock;
using heddle::system_clock;
using namespace std::chrono_literals;

constexpr model models[] = {model::rc11, model::tso, model::sc};

// A body verified in so many executions under each memory model, none of them blocked.
template <class Body>
void expect_executions(std::uint64_t executions, Body body) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, body);
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, executions) << to_string(m);
    EXPECT_EQ(r.blocked, 0u) << to_string(m);
  }
}

static_assert(std::chrono::is_clock_v<steady_clock> && steady_clock::is_steady);
static_assert(std::chrono::is_clock_v<system_clock>);
static_assert(std::chrono::is_clock_v<heddle::high_resolution_clock>);

TEST(BodyClock, StandsStillUntilAThreadSleeps) {
  expect_executions(1, [] {
    require(steady_clock::now() == steady_clock::time_point{}, "starts at 0");
    require(steady_clock::now() == steady_clock::now(), "stands still");
    heddle::this_thread::sleep_for(5ms);
    require(steady_clock::now().time_since_epoch() == 5ms, "slept");
    heddle::this_thread::sleep_for(-1s);
    heddle::this_thread::sleep_until(steady_clock::time_point{});
    require(steady_clock::now().time_since_epoch() == 5ms, "never backwards");
    heddle::this_thread::sleep_until(system_clock::time_point(1s));
    require(system_clock::now().time_since_epoch() == 1s, "slept until then");
    require(steady_clock::now().time_since_epoch() == 1s, "there is one time");
    require(heddle::high_resolution_clock::now() == steady_clock::now(), "on all clocks");
    heddle::this_thread::sleep_until(std::chrono::system_clock::now() + 24h);
    require(steady_clock::now().time_since_epoch() == 1s, "a clock that is not ours");
    require(system_clock::to_time_t(system_clock::now()) == 1, "time_t");
    require(system_clock::from_time_t(1) == system_clock::now(), "and back");
    using float_years = std::chrono::duration<float, std::ratio<31556952>>;
    heddle::this_thread::sleep_for(float_years(1e30f));
    require(steady_clock::now() == steady_clock::time_point::max(), "the end of time");
    heddle::this_thread::sleep_for(1h);
    require(steady_clock::now() == steady_clock::time_point::max(), "nothing comes after it");
  });
}

TEST(BodyClock, PassesOnWithHappensBefore) {
  expect_executions(1, [] {
    heddle::this_thread::sleep_for(1ms);
    heddle::thread t([] {
      require(steady_clock::now().time_since_epoch() == 1ms, "inherited");
      heddle::this_thread::sleep_for(1ms);
    });
    require(steady_clock::now().time_since_epoch() == 1ms, "another's sleep is not seen yet");
    t.join();
    require(steady_clock::now().time_since_epoch() == 2ms, "now it is");
  });
}

TEST(BodyClock, TwoSleepersAreNotOrderedByTheirTimes) {
  // the longer sleep may end first: what a time-out costs is not known to a program
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::atomic<int> last{0};
      heddle::thread a([&] {
        heddle::this_thread::sleep_for(1ms);
        last = 1;
      });
      heddle::thread b([&] {
        heddle::this_thread::sleep_for(1h);
        last = 2;
      });
      a.join();
      b.join();
      require(steady_clock::now().time_since_epoch() == 1h, "the later of the two");
      heddle::reached(last == 1 ? "a" : "b");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 2u);
    EXPECT_EQ(r.reached.size(), 2u);
  }
}

TEST(BodyClock, ADeadlineOfSeveralWaitsIsReachedOnce) {
  expect_executions(1, [] {
    heddle::mutex mutex;
    heddle::condition_variable changed;
    heddle::unique_lock lock(mutex);
    const auto end = steady_clock::now() + 10ms;
    int waits = 0;
    while (steady_clock::now() < end) {
      changed.wait_until(lock, end);
      ++waits;
    }
    require(waits == 1, "one time-out");
  });
}

TEST(BodyClock, OutsideABodyItIsStds) {
  const auto real = std::chrono::steady_clock::now().time_since_epoch();
  EXPECT_GE(steady_clock::now().time_since_epoch(), real);
  EXPECT_GT(system_clock::to_time_t(system_clock::now()), 1'000'000'000);
}

}  // namespace
