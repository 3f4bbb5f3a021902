// Waits on heddle::condition_variable that end by themselves: time-outs and spurious wake-ups.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"
#include "heddle/scenario.hpp"

namespace {

using heddle::check;
using heddle::cv_status;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::verdict_kind;
using namespace std::chrono_literals;

constexpr model models[] = {model::rc11, model::tso, model::sc};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A body verified in so many executions under each memory model, none of them blocked.
template <class Body>
void expect_executions(std::uint64_t executions, Body body,
                       heddle::spurious_failures spurious = {}) {
  for (const model m : models) {
    const result r = check({.memory_model = m, .spurious = spurious}, body);
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, executions) << to_string(m);
    EXPECT_EQ(r.blocked, 0u) << to_string(m);
  }
}

// A flag that is set under its mutex, as it should be.
struct gate {
  heddle::mutex mutex;
  heddle::condition_variable changed;
  heddle::var<bool> open{false};

  void wait() {
    heddle::unique_lock lock(mutex);
    changed.wait(lock, [this] { return open.get(); });
  }
};

TEST(BodyConditionTime, ATimedWaitTimesOutOrIsNotified) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::mutex mutex;
      heddle::condition_variable changed;
      heddle::thread t([&] { changed.notify_one(); });
      heddle::unique_lock lock(mutex);
      const auto before = heddle::steady_clock::now();
      const cv_status status = changed.wait_for(lock, 5ms);
      require(lock.owns_lock(), "relocked");
      const auto waited = heddle::steady_clock::now() - before;
      if (status == cv_status::timeout) {
        require(waited == 5ms, "the clock has moved");
        heddle::reached("timeout");
      } else {
        require(waited == 0ms, "the clock stands still");
        heddle::reached("notified");
      }
      lock.unlock();
      t.join();
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    // notified before it waits, while it waits, and after the time-out
    EXPECT_EQ(r.executions, 3u) << to_string(m);
    EXPECT_EQ(r.blocked, 0u);
    EXPECT_EQ(r.reached.size(), 2u);
  }
}

TEST(BodyConditionTime, ATimedWaitThatNobodyNotifiesTimesOut) {
  expect_executions(1, [] {
    heddle::mutex mutex;
    heddle::condition_variable changed;
    heddle::unique_lock lock(mutex);
    require(changed.wait_for(lock, 1s) == cv_status::timeout, "for");
    require(!changed.wait_for(lock, 1s, [] { return false; }), "for, never true");
    require(changed.wait_for(lock, 1s, [] { return true; }), "for, true at once");
    const auto end = heddle::steady_clock::now() + 1s;
    require(changed.wait_until(lock, end) == cv_status::timeout, "until");
    require(heddle::steady_clock::now() == end, "then");
    require(!changed.wait_until(lock, heddle::system_clock::now() + 1h, [] { return false; }),
            "of the system clock");
    require(heddle::steady_clock::now() == end + 1h, "there is one time");
    const auto real = std::chrono::steady_clock::now() - 1h;
    require(changed.wait_until(lock, real) == cv_status::timeout, "a clock that is not ours");
    require(heddle::steady_clock::now() == end + 1h, "and does not move");
    using forever = std::chrono::duration<double, std::ratio<86400>>;
    require(changed.wait_for(lock, forever(1e300)) == cv_status::timeout, "saturates");
  });
}

TEST(BodyConditionTime, APointThatHasPassedIsNoWait) {
  // four places for the other critical section: the mutex is given away twice
  expect_executions(4, [] {
    heddle::mutex mutex;
    heddle::condition_variable changed;
    heddle::var<int> count{0};
    heddle::thread t([&] {
      const heddle::lock_guard guard(mutex);
      changed.notify_one();
      count += 1;
    });
    heddle::unique_lock lock(mutex);
    count += 1;
    require(changed.wait_for(lock, 0s) == cv_status::timeout, "now");
    require(changed.wait_until(lock, heddle::steady_clock::time_point{}) == cv_status::timeout,
            "then");
    lock.unlock();
    t.join();
    require(count == 2, "both");
  });
}

TEST(BodyConditionTime, ANotifyTakenByATimedOutWaiterIsNotLost) {
  // of two waiters one may time out; the other gets the notify then, or the token is taken
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::mutex mutex;
      heddle::condition_variable changed;
      heddle::var<int> tokens{0};
      heddle::thread timed([&] {
        heddle::unique_lock lock(mutex);
        if (changed.wait_for(lock, 1s, [&] { return tokens > 0; })) tokens += -1;
      });
      heddle::thread waiter([&] {
        heddle::unique_lock lock(mutex);
        changed.wait(lock, [&] { return tokens > 0; });
        tokens += -1;
      });
      for (int i = 0; i < 2; ++i) {
        const heddle::lock_guard guard(mutex);
        tokens += 1;
        changed.notify_one();
      }
      timed.join();
      waiter.join();
      require(tokens <= 1, "taken");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.blocked, 0u);
  }
}

// --- spurious wake-ups

TEST(BodyConditionTime, WakesForNoReasonOnlyIfAsked) {
  const auto body = [] {
    heddle::mutex mutex;
    heddle::condition_variable changed;
    heddle::var<bool> open{false};
    heddle::thread t([&] {
      const heddle::lock_guard guard(mutex);
      open = true;
      changed.notify_one();
    });
    {
      heddle::unique_lock lock(mutex);
      if (!open) changed.wait(lock);
      require(open, "woken for no reason");
    }
    t.join();
  };
  expect_executions(2, body);
  for (const model m : models) {
    const result r = check({.memory_model = m, .spurious = {{.wakeups = 1}}}, body);
    EXPECT_EQ(r.verdict, verdict_kind::assertion) << r.report();
    EXPECT_TRUE(contains(r.report(), "spurious wake-up")) << r.report();
  }
}

TEST(BodyConditionTime, ALoopWithstandsSpuriousWakeUps) {
  const auto body = [] {
    gate g;
    heddle::thread t([&] {
      const heddle::lock_guard guard(g.mutex);
      g.open = true;
      g.changed.notify_one();
    });
    g.wait();
    t.join();
    require(g.open, "open");
  };
  // each failure may come before the flag is set or after; then it was to be woken anyway
  expect_executions(2, body);
  expect_executions(4, body, {.wakeups = 1});
  expect_executions(6, body, {.wakeups = 2});
}

TEST(BodyConditionTime, ASpuriousWakeUpOfATimedWaitIsNoTimeout) {
  const result r = check({.spurious = {{.wakeups = 1}}}, [] {
    heddle::mutex mutex;
    heddle::condition_variable changed;
    heddle::unique_lock lock(mutex);
    if (changed.wait_for(lock, 1s) == cv_status::no_timeout) {
      require(heddle::steady_clock::now().time_since_epoch() == 0s, "no time has passed");
      heddle::reached("woken");
    } else {
      heddle::reached("timeout");
    }
    require(true, "end");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
  EXPECT_EQ(r.reached.size(), 2u);
}

}  // namespace
