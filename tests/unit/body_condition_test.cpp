// heddle::condition_variable inside a body: who is woken, in which orders, and what is lost.
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
    // under rc11 a woken waiter may still see the flag unset: a notify orders nothing
    EXPECT_TRUE(contains(r.message, m == model::rc11 ? "woke it from an earlier wait"
                                                     : "came when it was not asleep yet"))
        << r.message;
  }
}

TEST(BodyCondition, ANotifyThatEndedAnEarlierWaitIsToldFromOneThatCameTooEarly) {
  for (const bool all : {false, true}) {
    const result r = check([all] {
      heddle::mutex mutex;
      heddle::condition_variable changed;
      bool asleep = false;
      heddle::thread t([&] {
        heddle::unique_lock lock(mutex);
        asleep = true;
        changed.wait(lock);
        changed.wait(lock);
      });
      for (bool seen = false; !seen;) {
        const heddle::lock_guard guard(mutex);
        seen = asleep;
        if (!seen) heddle::assume(false);
        all ? changed.notify_all() : changed.notify_one();
      }
      t.join();
    });
    EXPECT_EQ(r.verdict, verdict_kind::lost_wakeup) << r.report();
    EXPECT_TRUE(contains(r.message, "woke it from an earlier wait")) << r.message;
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

// --- elsewhere

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
