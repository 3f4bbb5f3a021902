// Futexes inside a body: what a C library builds on them, right and wrong.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
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

using heddle::check;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::verdict_kind;
using namespace std::chrono_literals;

using word = heddle::atomic<std::uint32_t>;

constexpr model models[] = {model::rc11, model::tso, model::sc};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

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

TEST(BodyFutex, AWaitForAnotherValueReturnsAtOnce) {
  expect_executions(1, [] {
    word w{3};
    require(heddle::futex_wait(w, 4) == -EAGAIN, "for ever");
    require(heddle::futex_wait_for(w, 4, 1s) == -EAGAIN, "for a time");
    require(heddle::futex_wait_for(w, 3, 0s) == -ETIMEDOUT, "for no time");
    require(heddle::futex_wake(w, 1) == 0 && heddle::futex_wake(w, INT_MAX) == 0, "nobody waits");
  });
}

TEST(BodyFutex, AWaiterIsWokenOrSeesTheChange) {
  // Four: it sees the change before it waits; it sleeps and is woken; or the value changes between
  // the two, which the kernel sees, before or after the wake.
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      word w{0};
      heddle::var<int> data{0};
      heddle::thread t([&] {
        data = 1;
        w.store(1, std::memory_order_release);
        heddle::reached(heddle::futex_wake(w, 1) == 1 ? "woke" : "nobody");
      });
      while (w.load(std::memory_order_acquire) == 0) {
        const int how = heddle::futex_wait(w, 0);
        heddle::reached(how == 0 ? "woken" : "changed");
        require(how == 0 || how == -EAGAIN, "what else");
      }
      require(data == 1, "data");
      t.join();
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 4u) << to_string(m);
    EXPECT_EQ(r.blocked, 0u);
    EXPECT_EQ(r.reached.size(), 4u);
  }
}

TEST(BodyFutex, AWakeSynchronisesWithTheWaiter) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      word w{0};
      heddle::var<int> data{0};
      heddle::thread t([&] {
        data = 1;
        w.store(1, std::memory_order_relaxed);
        heddle::futex_wake(w, 1);
      });
      if (heddle::futex_wait(w, 0) == 0) require(data == 1, "data");
      t.join();
      require(w == 1, "stored");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 3u) << to_string(m);
    EXPECT_EQ(r.blocked, 0u);
  }
}

TEST(BodyFutex, AWakeBeforeTheChangeIsLost) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      word w{0};
      heddle::name(w, "w");
      heddle::thread t([&] {
        heddle::futex_wake(w, 1);
        w = 1;
      });
      while (w == 0) heddle::futex_wait(w, 0);
      t.join();
    });
    EXPECT_EQ(r.verdict, verdict_kind::lost_wakeup) << r.report();
    EXPECT_TRUE(contains(r.message, "thread 0 sleeps on w")) << r.message;
    // it may have slept already, or not
    EXPECT_TRUE(contains(r.message, "woke it from an earlier wait") ||
                contains(r.message, "came when it was not asleep yet"))
        << r.message;
    EXPECT_TRUE(contains(r.report(), "futex_wake w -> ")) << r.report();
    EXPECT_TRUE(contains(r.report(), "futex_wait w")) << r.report();
  }
}

// --- who is woken

// `waiters` threads sleep on a word, one thread wakes `count` of them and then all.
result woken(model memory_model, int waiters, int count) {
  return check({.memory_model = memory_model}, [waiters, count] {
    word w{0};
    heddle::atomic<int> asleep{0};
    heddle::atomic<std::uint32_t> up{0};
    std::vector<heddle::thread> threads;
    for (int i = 0; i < waiters; ++i) {
      threads.emplace_back([&, i] {
        asleep.fetch_add(1, std::memory_order_relaxed);
        if (heddle::futex_wait(w, 0) == 0) up.fetch_or(1u << i, std::memory_order_relaxed);
      });
      // asleep, one after the other
      heddle::await(asleep, [i](int n) { return n == i + 1; });
    }
    const int first = heddle::futex_wake(w, count);
    heddle::assume(first == std::min(count, waiters));
    const int rest = heddle::futex_wake(w, INT_MAX);
    heddle::assume(first + rest == waiters);
    heddle::reached("so");
    for (heddle::thread& each : threads) each.join();
    require(up == (1u << waiters) - 1, "all are up");
  });
}

TEST(BodyFutex, AWakeTakesAnyWaiters) {
  for (const model m : models) {
    EXPECT_EQ(woken(m, 2, 1).verdict, verdict_kind::verified);
    EXPECT_EQ(woken(m, 2, 1).reached.size(), 1u);
  }
  // Two waiters, one wake: either of them, found by its own word.
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      word w{0};
      word count{0};
      heddle::var<int> first{0};
      const auto sleep = [&](int who) {
        count.fetch_add(1);
        if (heddle::futex_wait(w, 0) != 0) return;
        if (w == 1) first = who;
        w = 2;
        heddle::futex_wake(w, 1);
      };
      heddle::thread a(sleep, 1);
      heddle::thread b(sleep, 2);
      heddle::await(count, [](std::uint32_t n) { return n == 2; });
      w = 1;
      const int up = heddle::futex_wake(w, 1);
      heddle::await(w, [up](std::uint32_t value) { return up == 0 || value == 2; });
      w = 2;
      heddle::futex_wake(w, INT_MAX);
      a.join();
      b.join();
      if (up == 1) heddle::reached(first == 1 ? "a" : first == 2 ? "b" : "?");
      require(true, "end");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.reached.size(), 2u) << to_string(m);
    EXPECT_EQ(r.blocked, 0u);
  }
}

// --- a mutex of a C library: 0 free, 1 held, 2 held and perhaps waited for

struct futex_mutex {
  word state{0};
  bool forgets_waiters = false;

  void lock() {
    std::uint32_t seen = 0;
    if (state.compare_exchange_strong(seen, 1, std::memory_order_acquire)) return;
    if (forgets_waiters) {
      while (!state.compare_exchange_strong(seen = 0, 1, std::memory_order_acquire)) {
        state.exchange(2, std::memory_order_relaxed);
        heddle::futex_wait(state, 2);
      }
      return;
    }
    while (state.exchange(2, std::memory_order_acquire) != 0) heddle::futex_wait(state, 2);
  }
  void unlock() {
    if (state.exchange(0, std::memory_order_release) == 2) heddle::futex_wake(state, 1);
  }
};

TEST(BodyFutex, AMutexOfItExcludesAndLosesNoWakeUp) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      futex_mutex mutex;
      heddle::var<int> count{0};
      const auto section = [&] {
        mutex.lock();
        ++count;
        mutex.unlock();
      };
      heddle::thread t(section);
      section();
      t.join();
      require(count == 2, "both");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.blocked, 0u);
  }
}

TEST(BodyFutex, AMutexOfItThatStealsTheStateIsFound) {
  const result r = check([] {
    futex_mutex mutex;
    mutex.forgets_waiters = true;
    const auto section = [&] {
      mutex.lock();
      mutex.unlock();
    };
    heddle::thread t(section);
    section();
    t.join();
  });
  EXPECT_FALSE(r.is_verified()) << r.report();
  EXPECT_NE(r.verdict, verdict_kind::error) << r.report();
}

// --- requeue

TEST(BodyFutex, ARequeuedWaiterIsWokenOnTheOtherWord) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      word from{0};
      word to{0};
      heddle::atomic<int> up{0};
      const auto sleep = [&] {
        if (heddle::futex_wait(from, 0) == 0) up.fetch_add(1, std::memory_order_relaxed);
      };
      heddle::thread a(sleep);
      heddle::thread b(sleep);
      const int moved = heddle::futex_requeue(from, 1, INT_MAX, to);
      require(moved <= 2, "no more than wait");
      from = 1;
      const int here = heddle::futex_wake(from, INT_MAX);
      const int there = heddle::futex_wake(to, INT_MAX);
      require(there == (moved == 2 ? 1 : 0), "those who were moved");
      a.join();
      b.join();
      require(up == here + moved, "all who slept are up");
      heddle::reached("moved " + std::to_string(moved));
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.blocked, 0u);
    EXPECT_EQ(r.reached.size(), 3u) << to_string(m);
  }
}

TEST(BodyFutex, ARequeueComparesFirst) {
  expect_executions(1, [] {
    word from{5};
    word to{0};
    require(heddle::futex_cmp_requeue(from, 4, 1, 1, to) == -EAGAIN, "another value");
    require(heddle::futex_cmp_requeue(from, 5, 1, 1, to) == 0, "nobody waits");
    require(heddle::futex_cmp_requeue(to, 0, 0, INT_MAX, from) == 0, "the other way round");
  });
}

TEST(BodyFutex, ATimedWaiterThatWasMovedTimesOutThere) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      word from{0};
      word to{0};
      heddle::thread t([&] {
        const int how = heddle::futex_wait_for(from, 0, 1s);
        heddle::reached(how == 0 ? "woken" : how == -ETIMEDOUT ? "timed out" : "changed");
      });
      const int moved = heddle::futex_cmp_requeue(from, 0, 0, 1, to);
      const int awake = heddle::futex_wake(to, 1);
      require(awake <= moved, "only if it was moved");
      t.join();
      if (moved == 1) heddle::reached(awake == 1 ? "moved and woken" : "moved and timed out");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.blocked, 0u);
    EXPECT_EQ(r.reached.size(), 4u) << to_string(m);
  }
}

// A condition variable of a sequence number, whose broadcast moves all but one to the mutex.
TEST(BodyFutex, ABroadcastByRequeueWakesAll) {
  const result r = check({.memory_model = model::sc}, [] {
    futex_mutex mutex;
    word sequence{0};
    heddle::var<bool> open{false};
    const auto pass = [&] {
      mutex.lock();
      while (!open) {
        const std::uint32_t seen = sequence.load();
        mutex.unlock();
        heddle::futex_wait(sequence, seen);
        // it may have been moved to the mutex, with others
        while (mutex.state.exchange(2, std::memory_order_acquire) != 0)
          heddle::futex_wait(mutex.state, 2);
      }
      mutex.unlock();
    };
    heddle::thread a(pass);
    mutex.lock();
    open = true;
    sequence.fetch_add(1);
    heddle::futex_requeue(sequence, 0, INT_MAX, mutex.state);
    mutex.state.exchange(2, std::memory_order_relaxed);
    mutex.unlock();
    a.join();
    require(open, "open");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.blocked, 0u);
}

// --- time, wake-ups for no reason, misuse

TEST(BodyFutex, ATimedWaitTimesOutOrIsWoken) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      word w{0};
      heddle::thread t([&] { heddle::futex_wake(w, 1); });
      const auto before = heddle::steady_clock::now();
      const int how = heddle::futex_wait_for(w, 0, 3ms);
      require((heddle::steady_clock::now() - before == 3ms) == (how == -ETIMEDOUT), "the clock");
      heddle::reached(how == 0 ? "woken" : "timed out");
      t.join();
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    // woken before it waits, while it waits, after it has timed out
    EXPECT_EQ(r.executions, 3u) << to_string(m);
    EXPECT_EQ(r.blocked, 0u);
    EXPECT_EQ(r.reached.size(), 2u);
  }
}

TEST(BodyFutex, WakesForNoReasonOnlyIfAsked) {
  const auto body = [] {
    word w{0};
    heddle::thread t([&] {
      w = 1;
      heddle::futex_wake(w, 1);
    });
    if (heddle::futex_wait(w, 0) == 0) require(w == 1, "woken for no reason");
    t.join();
    require(w == 1, "end");
  };
  EXPECT_TRUE(check(body).is_verified());
  const result r = check({.spurious = {{.wakeups = 1}}}, body);
  EXPECT_EQ(r.verdict, verdict_kind::assertion);
  EXPECT_TRUE(contains(r.report(), "spurious wake-up")) << r.report();
}

TEST(BodyFutex, ToWakeNobodyOrRequeueToItselfIsMisuse) {
  const result none = check([] {
    word w{0};
    heddle::futex_wake(w, 0);
  });
  EXPECT_EQ(none.verdict, verdict_kind::misuse);
  EXPECT_TRUE(contains(none.where, "body_futex_test.cpp")) << none.where;
  const result itself = check([] {
    word w{0};
    heddle::futex_requeue(w, 1, 1, w);
  });
  EXPECT_EQ(itself.verdict, verdict_kind::misuse);
}

TEST(BodyFutex, OutsideABodyNobodyWaits) {
  word w{0};
  EXPECT_EQ(heddle::futex_wait(w, 1), -EAGAIN);
  EXPECT_EQ(heddle::futex_wake(w, 1), 0);
  EXPECT_THROW(heddle::futex_wait(w, 0), heddle::usage_error);
  EXPECT_THROW(heddle::futex_wait_for(w, 0, 1s), heddle::usage_error);
}

}  // namespace
