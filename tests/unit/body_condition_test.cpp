// heddle::condition_variable inside a body: who is woken, in which orders, and what is lost.
#include <gtest/gtest.h>

#include <memory>
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

TEST(BodyCondition, AWaiterSeesWhatWasDoneUnderTheMutex) {
  // two: the flag is set before the waiter looks, or while it waits
  expect_executions(2, [] {
    gate g;
    heddle::thread t([&] {
      {
        const heddle::lock_guard guard(g.mutex);
        g.open = true;
      }
      g.changed.notify_one();
    });
    g.wait();
    require(g.open, "open");
    t.join();
  });
}

TEST(BodyCondition, NotifyingUnderTheMutexDoesTheSame) {
  expect_executions(2, [] {
    gate g;
    heddle::thread t([&] {
      const heddle::lock_guard guard(g.mutex);
      g.open = true;
      g.changed.notify_all();
    });
    g.wait();
    require(g.open, "open");
    t.join();
  });
}

TEST(BodyCondition, AFlagSetWithoutTheMutexLosesTheWakeUp) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::mutex mutex;
      heddle::condition_variable changed;
      heddle::name(changed, "changed");
      heddle::atomic<bool> open{false};
      heddle::thread t([&] {
        open = true;  // between the waiter's look at it and its wait
        changed.notify_one();
      });
      heddle::unique_lock lock(mutex);
      while (!open) changed.wait(lock);
      lock.unlock();
      t.join();
    });
    EXPECT_EQ(r.verdict, verdict_kind::lost_wakeup) << r.report();
    EXPECT_TRUE(contains(r.message, "thread 0 sleeps on changed: the last notify, by thread 1 at"))
        << r.message;
    EXPECT_TRUE(contains(r.message, "came when it was not asleep yet")) << r.message;
  }
}

TEST(BodyCondition, LockingTheMutexOnceBeforeTheNotifyIsEnough) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::mutex mutex;
      heddle::condition_variable changed;
      heddle::atomic<bool> open{false};
      heddle::thread t([&] {
        open.store(true, std::memory_order_relaxed);
        { const heddle::lock_guard guard(mutex); }
        changed.notify_one();
      });
      {
        heddle::unique_lock lock(mutex);
        changed.wait(lock, [&] { return open.load(std::memory_order_relaxed); });
      }
      t.join();
      require(true, "woken");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.blocked, 0u);
  }
}

// What is notified becomes known by the mutex only.
TEST(BodyCondition, ANotifySynchronisesWithNobody) {
  const auto body = [] {
    heddle::mutex mutex;
    heddle::condition_variable changed;
    heddle::var<int> data{0};
    heddle::var<bool> waiting{false};
    heddle::thread t([&] {
      bool seen = false;
      {
        const heddle::lock_guard guard(mutex);
        seen = waiting;
      }
      if (!seen) return;
      data = 1;
      changed.notify_one();
    });
    heddle::unique_lock lock(mutex);
    waiting = true;
    if (changed.wait_for(lock, 1s) == cv_status::no_timeout) require(data == 1, "data");
    lock.unlock();
    t.join();
  };
  EXPECT_EQ(check({.memory_model = model::rc11}, body).verdict, verdict_kind::data_race);
  // in sequential consistency all that communicates is ordered
  EXPECT_TRUE(check({.memory_model = model::sc}, body).is_verified());
}

TEST(BodyCondition, ANotifyOfNobodyIsForgotten) {
  for (const bool all : {false, true}) {
    const result r = check([all] {
      heddle::mutex mutex;
      heddle::condition_variable changed;
      if (all) {
        changed.notify_all();
      } else {
        changed.notify_one();
      }
      heddle::unique_lock lock(mutex);
      changed.wait(lock);
    });
    EXPECT_TRUE(r.verdict == verdict_kind::lost_wakeup || r.verdict == verdict_kind::deadlock)
        << r.report();
  }
}

TEST(BodyCondition, NotifyOneWakesAnyWaiter) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::mutex mutex;
      heddle::condition_variable changed;
      heddle::var<int> waiting{0};
      heddle::var<int> tokens{0};
      heddle::var<int> taken_by{0};
      const auto take = [&](int who) {
        heddle::unique_lock lock(mutex);
        waiting += 1;
        changed.wait(lock, [&] { return tokens > 0; });
        tokens += -1;
        taken_by = taken_by * 10 + who;
      };
      heddle::thread a(take, 1);
      heddle::thread b(take, 2);
      {
        const heddle::lock_guard guard(mutex);
        heddle::assume(waiting == 2);
        tokens = 1;
        changed.notify_one();
      }
      {
        const heddle::lock_guard guard(mutex);
        heddle::assume(tokens == 0);
        heddle::reached(taken_by == 1 ? "first" : "second");
        tokens = 1;
        changed.notify_one();
      }
      a.join();
      b.join();
      require(taken_by == 12 || taken_by == 21, "one token each");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    // two orders of going to sleep, two choices of whom to wake
    EXPECT_EQ(r.executions, 4u) << to_string(m);
    EXPECT_EQ(r.reached.size(), 2u);
  }
}

TEST(BodyCondition, NotifyOneForTwoWhoAreBothNeededIsFound) {
  // two kinds of waiters on one condition: the token for one of them wakes the other
  const auto body = [](bool all) {
    return check([all] {
      heddle::mutex mutex;
      heddle::condition_variable changed;
      heddle::var<int> token{0};
      const auto take = [&](int mine) {
        heddle::unique_lock lock(mutex);
        changed.wait(lock, [&] { return token == mine; });
      };
      heddle::thread a(take, 1);
      heddle::thread b(take, 2);
      for (const int next : {1, 2}) {
        const heddle::lock_guard guard(mutex);
        token = next;
        if (all) {
          changed.notify_all();
        } else {
          changed.notify_one();
        }
      }
      a.join();
      b.join();
    });
  };
  EXPECT_EQ(body(false).verdict, verdict_kind::lost_wakeup);
  // the first token may be overwritten before it is seen
  EXPECT_EQ(body(true).verdict, verdict_kind::lost_wakeup);
}

TEST(BodyCondition, NotifyAllWakesThemInAllOrders) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      gate g;
      heddle::var<int> order{0};
      const auto pass = [&](int who) {
        heddle::unique_lock lock(g.mutex);
        g.changed.wait(lock, [&] { return g.open.get(); });
        order = order * 10 + who;
      };
      heddle::thread a(pass, 1);
      heddle::thread b(pass, 2);
      {
        const heddle::lock_guard guard(g.mutex);
        g.open = true;
        g.changed.notify_all();
      }
      a.join();
      b.join();
      heddle::reached(order == 12 ? "12" : "21");
      require(order == 12 || order == 21, "both");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    // Before the flag is set nobody waits (2 orders of passing), one of the two does (2, 2 orders
    // each), or both do (2 orders of going to sleep, 2 of passing).
    EXPECT_EQ(r.executions, 10u) << to_string(m);
    EXPECT_EQ(r.blocked, 0u);
    EXPECT_EQ(r.reached.size(), 2u);
  }
}

TEST(BodyCondition, ThreadsPassABallBackAndForth) {
  // each takes its turn by waiting for the other
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::mutex mutex;
      heddle::condition_variable changed;
      heddle::var<int> turn{0};
      const auto play = [&](int me) {
        for (int round = 0; round < 2; ++round) {
          heddle::unique_lock lock(mutex);
          changed.wait(lock, [&] { return turn % 2 == me; });
          turn += 1;
          changed.notify_one();
        }
      };
      heddle::thread t(play, 1);
      play(0);
      t.join();
      require(turn == 4, "all rounds");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.blocked, 0u);
  }
}

TEST(BodyCondition, ABoundedBufferLosesNothing) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::mutex mutex;
      heddle::condition_variable not_full;
      heddle::condition_variable not_empty;
      heddle::var<int> count{0};
      heddle::var<int> sum{0};
      heddle::thread producer([&] {
        for (int i = 1; i <= 3; ++i) {
          heddle::unique_lock lock(mutex);
          not_full.wait(lock, [&] { return count == 0; });
          count = i;
          not_empty.notify_one();
        }
      });
      for (int i = 1; i <= 3; ++i) {
        heddle::unique_lock lock(mutex);
        not_empty.wait(lock, [&] { return count != 0; });
        sum += count;
        count = 0;
        not_full.notify_one();
      }
      producer.join();
      require(sum == 6, "all");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.blocked, 0u);
  }
}

// --- time

TEST(BodyCondition, ATimedWaitTimesOutOrIsNotified) {
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

TEST(BodyCondition, ATimedWaitThatNobodyNotifiesTimesOut) {
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

TEST(BodyCondition, APointThatHasPassedIsNoWait) {
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

TEST(BodyCondition, ANotifyTakenByATimedOutWaiterIsNotLost) {
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

TEST(BodyCondition, WakesForNoReasonOnlyIfAsked) {
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

TEST(BodyCondition, ALoopWithstandsSpuriousWakeUps) {
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

TEST(BodyCondition, ASpuriousWakeUpOfATimedWaitIsNoTimeout) {
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

// --- misuse

// Where a body says that its misuse and the second place stand.
struct lines {
  int where = 0;
  int other = 0;
};

template <class Body>
void expect_misuse(const std::string& message, Body body) {
  lines at;
  const result r = check([&at, body] { body(at); });
  EXPECT_EQ(r.verdict, verdict_kind::misuse) << r.report();
  EXPECT_TRUE(contains(r.message, message)) << r.message;
  EXPECT_TRUE(r.where.ends_with("body_condition_test.cpp:" + std::to_string(at.where))) << r.where;
  EXPECT_TRUE(r.other.ends_with("body_condition_test.cpp:" + std::to_string(at.other))) << r.other;
}

TEST(BodyCondition, WaitingWithoutTheMutexIsMisuse) {
  expect_misuse("with a lock that does not own its mutex", [](lines& at) {
    heddle::mutex mutex;
    heddle::condition_variable changed;
    heddle::unique_lock lock(mutex);
    at.other = __LINE__ + 1;
    lock.unlock();
    at.where = __LINE__ + 1;
    changed.wait(lock);
  });
  expect_misuse("with a lock that does not own its mutex", [](lines& at) {
    heddle::mutex mutex;
    heddle::condition_variable changed;
    heddle::unique_lock lock(mutex);
    at.other = __LINE__ + 1;
    lock.unlock();
    at.where = __LINE__ + 1;
    changed.wait_for(lock, 1s);
  });
}

TEST(BodyCondition, WaitingWithTwoMutexesIsMisuse) {
  expect_misuse("with different mutexes", [](lines& at) {
    heddle::mutex first;
    heddle::mutex second;
    heddle::condition_variable changed;
    heddle::atomic<bool> waits{false};
    heddle::thread t([&] {
      heddle::unique_lock lock(first);
      waits = true;
      at.other = __LINE__ + 1;
      changed.wait(lock);
    });
    heddle::await(waits, [](bool value) { return value; });
    { const heddle::lock_guard guard(first); }
    heddle::unique_lock lock(second);
    at.where = __LINE__ + 1;
    changed.wait(lock);
  });
}

TEST(BodyCondition, AnotherMutexLaterIsAllowed) {
  expect_executions(1, [] {
    heddle::condition_variable changed;
    for (int i = 0; i < 2; ++i) {
      heddle::mutex mutex;
      heddle::unique_lock lock(mutex);
      changed.wait_for(lock, 1s);
    }
    require(true, "end");
  });
}

TEST(BodyCondition, DestructionWhileSomebodyWaitsIsMisuse) {
  expect_misuse("a condition variable is destroyed while", [](lines& at) {
    heddle::mutex mutex;
    auto changed = std::make_unique<heddle::condition_variable>();
    heddle::atomic<bool> waits{false};
    heddle::thread t([&] {
      heddle::unique_lock lock(mutex);
      waits = true;
      at.other = __LINE__ + 1;
      changed->wait(lock);
    });
    heddle::await(waits, [](bool value) { return value; });
    { const heddle::lock_guard guard(mutex); }
    at.where = __LINE__ + 1;
    changed.reset();
    t.join();
  });
}

// The thread that notifies has set the flag, and may still be on its way to the notify.
TEST(BodyCondition, DestructionBeforeTheNotifyIsOverIsMisuse) {
  const result r = check([] {
    heddle::mutex mutex;
    auto changed = std::make_unique<heddle::condition_variable>();
    heddle::var<bool> open{false};
    heddle::thread t([&] {
      {
        const heddle::lock_guard guard(mutex);
        open = true;
      }
      changed->notify_one();
    });
    {
      heddle::unique_lock lock(mutex);
      changed->wait(lock, [&] { return open.get(); });
    }
    changed.reset();
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::misuse) << r.report();
}

TEST(BodyCondition, DestructionAfterAllWereNotifiedIsAllowed) {
  expect_executions(2, [] {
    heddle::mutex mutex;
    heddle::var<bool> open{false};
    auto changed = std::make_unique<heddle::condition_variable>();
    heddle::thread t([&] {
      heddle::unique_lock lock(mutex);
      if (!open) changed->wait(lock);
    });
    {
      const heddle::lock_guard guard(mutex);
      open = true;
      changed->notify_all();
      changed.reset();  // the waiter has still to lock the mutex
    }
    t.join();
    require(open, "open");
  });
}

heddle::mutex global_mutex;
heddle::condition_variable global_condition;

TEST(BodyCondition, AGlobalOneHasNoWaitersAtTheStartOfEachExecution) {
  expect_executions(2, [] {
    heddle::var<bool> open{false};
    heddle::thread t([&] {
      const heddle::lock_guard guard(global_mutex);
      open = true;
      global_condition.notify_all();
    });
    {
      heddle::unique_lock lock(global_mutex);
      global_condition.wait(lock, [&] { return open.get(); });
    }
    t.join();
    require(open, "open");
  });
}

TEST(BodyCondition, OutsideABodyNobodyIsNotifiedAndWaitingIsAnError) {
  heddle::mutex mutex;
  heddle::condition_variable changed;
  changed.notify_one();
  changed.notify_all();
  heddle::unique_lock lock(mutex, heddle::try_to_lock);
  EXPECT_TRUE(lock.owns_lock());
  EXPECT_THROW(changed.wait(lock), heddle::usage_error);
  EXPECT_THROW(changed.wait_for(lock, 1s), heddle::usage_error);
  EXPECT_THROW(changed.wait_for(lock, 1s, [] { return false; }), heddle::usage_error);
}

TEST(BodyCondition, TheReportTellsWhoWokeWhom) {
  const result r = check([] {
    gate g;
    heddle::name(g.mutex, "mutex");
    heddle::name(g.changed, "changed");
    heddle::thread t([&] { g.wait(); });
    {
      const heddle::lock_guard guard(g.mutex);
      g.open = true;
      g.changed.notify_one();
      g.changed.notify_all();
    }
    t.join();
    require(heddle::choose(2) == 0, "shown");
    g.mutex.lock();
    g.mutex.unlock();
    require(false, "end");
  });
  const std::string text = r.report();
  EXPECT_TRUE(contains(text, "notify_one changed -> ")) << text;
  EXPECT_TRUE(contains(text, "notify_all changed -> ")) << text;
}

}  // namespace
