// Spin loops as people write them: the same outcomes as their await forms, an end to the search,
// and no false livelock.
#include <gtest/gtest.h>

#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>
#include <heddle/scenario.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

using heddle::atomic;
using heddle::check;
using heddle::model;
using heddle::options;
using heddle::result;
using heddle::thread;
using heddle::var;
using heddle::verdict_kind;

// Sorted, so that two searches can be compared.
std::set<std::string> outcomes(const result& r) { return {r.reached.begin(), r.reached.end()}; }

void expect_same(const result& spun, const result& awaited) {
  EXPECT_VERIFIED(spun);
  EXPECT_VERIFIED(awaited);
  EXPECT_EQ(outcomes(spun), outcomes(awaited));
  EXPECT_FALSE(spun.reached.empty());
}

class BodySpin : public testing::TestWithParam<model> {
 protected:
  options with() const { return {.memory_model = GetParam()}; }
};
INSTANTIATE_TEST_SUITE_P(models, BodySpin, testing::Values(model::sc, model::tso, model::rc11),
                         [](const auto& m) { return std::string{to_string(m.param)}; });

TEST_P(BodySpin, AFlagLoopIsAsGoodAsAnAwait) {
  const auto body = [](bool spins) {
    return [spins] {
      atomic<int> flag{0};
      var<int> data{0};
      thread writer([&] {
        data = 1;
        flag.store(1, std::memory_order_release);
      });
      if (spins) {
        while (flag.load(std::memory_order_acquire) == 0) {
        }
      } else {
        heddle::await(
            flag, [](int f) { return f != 0; }, std::memory_order_acquire);
      }
      heddle::require(data == 1, "the data is not there");
      heddle::reached("seen");
      writer.join();
    };
  };
  const result spun = check(with(), body(true));
  const result awaited = check(with(), body(false));
  expect_same(spun, awaited);
  EXPECT_EQ(spun.executions, awaited.executions);
}

TEST_P(BodySpin, AYieldInTheLoopChangesNothing) {
  const result r = check(with(), [] {
    atomic<bool> flag{false};
    thread writer([&] { flag.store(true, std::memory_order_relaxed); });
    while (!flag.load(std::memory_order_relaxed)) heddle::this_thread::yield();
    heddle::require(flag.load(std::memory_order_relaxed), "it was set");
    writer.join();
  });
  EXPECT_VERIFIED(r);
  // a compiler may leave something in a register, so that the first failed round counts
  EXPECT_LE(r.executions, 2u);
}

// The value of the writer that is seen last depends on the order, not on the number of rounds.
TEST_P(BodySpin, ItDoesNotMultiplyWithTheValuesThatPassBy) {
  const auto body = [](bool spins) {
    return [spins] {
      atomic<int> x{0};
      thread writer([&] {
        for (int i = 1; i <= 4; ++i) x.store(i, std::memory_order_relaxed);
      });
      if (spins) {
        while (x.load(std::memory_order_relaxed) != 4) {
        }
      } else {
        heddle::await(
            x, [](int v) { return v == 4; }, std::memory_order_relaxed);
      }
      heddle::require(x.load(std::memory_order_relaxed) == 4, "gone back");
      heddle::reached("four");
      writer.join();
    };
  };
  const result spun = check(with(), body(true));
  const result awaited = check(with(), body(false));
  expect_same(spun, awaited);
  EXPECT_EQ(spun.executions, awaited.executions);
}

struct ticket_lock {
  explicit ticket_lock(bool awaits) : awaits_{awaits} {}
  void lock() {
    const int mine = next_.fetch_add(1, std::memory_order_relaxed);
    if (awaits_) {
      heddle::await(
          serving_, [mine](int s) { return s == mine; }, std::memory_order_acquire);
    } else {
      while (serving_.load(std::memory_order_acquire) != mine) {
      }
    }
  }
  void unlock() {
    serving_.store(serving_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  bool awaits_;
  atomic<int> next_{0};
  atomic<int> serving_{0};
};

struct test_and_set_lock {
  explicit test_and_set_lock(bool awaits) : awaits_{awaits} {}
  void lock() {
    if (awaits_) {
      for (;;) {
        heddle::await(
            taken_, [](int t) { return t == 0; }, std::memory_order_relaxed);
        if (taken_.exchange(1, std::memory_order_acquire) == 0) return;
      }
    }
    while (taken_.exchange(1, std::memory_order_acquire) != 0) {
    }
  }
  void unlock() { taken_.store(0, std::memory_order_release); }
  bool awaits_;
  atomic<int> taken_{0};
};

struct test_and_test_and_set_lock : test_and_set_lock {
  using test_and_set_lock::test_and_set_lock;
  void lock() {
    if (awaits_) return test_and_set_lock::lock();
    for (;;) {
      while (taken_.load(std::memory_order_relaxed) != 0) {
      }
      if (taken_.exchange(1, std::memory_order_acquire) == 0) return;
    }
  }
};

struct compare_exchange_lock : test_and_set_lock {
  using test_and_set_lock::test_and_set_lock;
  void lock() {
    if (awaits_) return test_and_set_lock::lock();
    int free = 0;
    while (!taken_.compare_exchange_weak(free, 1, std::memory_order_acquire,
                                         std::memory_order_relaxed))
      free = 0;
  }
};

// Threads enter a critical section; the order in which they do is the outcome.
template <class Lock>
auto critical_sections(bool awaits, int threads) {
  return [awaits, threads] {
    Lock lock{awaits};
    var<int> order{0};
    const auto enter = [&](int who) {
      lock.lock();
      order = order * 10 + who;
      lock.unlock();
    };
    std::vector<thread> others;
    for (int t = 2; t <= threads; ++t) others.emplace_back(enter, t);
    enter(1);
    for (thread& t : others) t.join();
    heddle::reached("order " + std::to_string(order.get()));
    heddle::require(order > 0, "nobody entered");
  };
}

template <class Lock>
class SpinLock : public testing::Test {};
using locks = testing::Types<ticket_lock, test_and_set_lock, test_and_test_and_set_lock,
                             compare_exchange_lock>;
TYPED_TEST_SUITE(SpinLock, locks);

TYPED_TEST(SpinLock, HasTheOutcomesOfItsAwaitForm) {
  for (const model m : {model::sc, model::tso, model::rc11}) {
    const result spun = check({.memory_model = m}, critical_sections<TypeParam>(false, 3));
    const result awaited = check({.memory_model = m}, critical_sections<TypeParam>(true, 3));
    expect_same(spun, awaited);
    EXPECT_EQ(outcomes(spun).size(), 6u) << "all orders of three threads";
  }
}

TYPED_TEST(SpinLock, ThatNobodyReleasesIsALivelock) {
  const result r = check([] {
    TypeParam lock{false};
    thread other([&] { lock.lock(); });
    lock.lock();
    other.join();
  });
  EXPECT_VIOLATION(r, verdict_kind::livelock);
  EXPECT_NE(r.message.find("body_spin_test.cpp"), std::string::npos) << "the loop's lines";
}

struct seqlock {
  void write(int value) {
    const unsigned s = sequence.load(std::memory_order_relaxed);
    sequence.store(s + 1, std::memory_order_relaxed);
    heddle::atomic_thread_fence(std::memory_order_release);
    first.store(value, std::memory_order_relaxed);
    second.store(value, std::memory_order_relaxed);
    sequence.store(s + 2, std::memory_order_release);
  }
  int read() {
    for (;;) {
      const unsigned before = sequence.load(std::memory_order_acquire);
      if (before % 2 != 0) continue;
      const int a = first.load(std::memory_order_relaxed);
      const int b = second.load(std::memory_order_relaxed);
      heddle::atomic_thread_fence(std::memory_order_acquire);
      if (sequence.load(std::memory_order_relaxed) != before) continue;
      heddle::require(a == b, "a torn read");
      return a;
    }
  }
  int awaited_read() {
    int a = 0;
    heddle::await([&] {
      const unsigned before = sequence.load(std::memory_order_acquire);
      if (before % 2 != 0) return false;
      a = first.load(std::memory_order_relaxed);
      const int b = second.load(std::memory_order_relaxed);
      if (b != a) return false;
      return sequence.load(std::memory_order_acquire) == before;
    });
    return a;
  }
  atomic<unsigned> sequence{0};
  atomic<int> first{0};
  atomic<int> second{0};
};

TEST_P(BodySpin, ASeqlockHasTheOutcomesOfItsAwaitForm) {
  const auto body = [](bool spins) {
    return [spins] {
      seqlock lock;
      thread writer([&] {
        lock.write(1);
        lock.write(2);
      });
      const int seen = spins ? lock.read() : lock.awaited_read();
      heddle::reached("value " + std::to_string(seen));
      writer.join();
      heddle::require(seen <= 2, "out of thin air");
    };
  };
  const result spun = check(with(), body(true));
  const result awaited = check(with(), body(false));
  expect_same(spun, awaited);
  EXPECT_EQ(outcomes(spun).size(), 3u);
}

TEST_P(BodySpin, ALoopThatNobodyEndsIsALivelock) {
  const result r = check(with(), [] {
    atomic<int> flag{0};
    thread t([&] {
      while (flag.load() != 2) {
      }
    });
    flag.store(1);
    t.join();
  });
  EXPECT_VIOLATION(r, verdict_kind::livelock);
  EXPECT_LT(r.events, 100u) << "it was followed to max_steps";
}

// --- what must not be taken for spinning

TEST_P(BodySpin, ABoundedNumberOfTriesGivesUp) {
  const result r = check(with(), [] {
    atomic<int> flag{0};
    thread t([&] { flag.store(1); });
    int tries = 0;
    while (tries < 5 && flag.load() == 0) ++tries;
    heddle::reached("tries " + std::to_string(tries));
    t.join();
    heddle::require(tries <= 5, "counted too far");
  });
  EXPECT_VERIFIED(r);
  EXPECT_EQ(outcomes(r).size(), 6u) << "0 to 5 tries";
}

TEST_P(BodySpin, WhatAFailedRoundRemembersIsNotLost) {
  const result r = check(with(), [] {
    atomic<int> flag{0};
    thread t([&] { flag.store(1); });
    bool waited = false;
    while (flag.load() == 0) waited = true;
    heddle::reached(waited ? "waited" : "did not wait");
    t.join();
    heddle::require(flag.load() == 1, "set");
  });
  EXPECT_VERIFIED(r);
  EXPECT_EQ(outcomes(r).size(), 2u);
}

struct counted {
  int rounds = 0;
};

TEST_P(BodySpin, WhatAFailedRoundWritesElsewhereIsNotLost) {
  const result r = check({.memory_model = GetParam(), .max_steps = 30}, [] {
    atomic<int> flag{0};
    auto* heap = new counted;  // another function's memory, too
    thread t([&] { flag.store(1); });
    while (flag.load() == 0) {
      if (heap->rounds < 3) ++heap->rounds;
    }
    heddle::reached("rounds " + std::to_string(heap->rounds));
    t.join();
    heddle::require(flag.load() == 1, "set");
    delete heap;
  });
  EXPECT_VERIFIED(r);
  EXPECT_EQ(outcomes(r).size(), 4u) << "0 to 3";
}

TEST_P(BodySpin, AStoreInTheLoopIsSeenByOthers) {
  const result r = check({.memory_model = GetParam(), .max_steps = 12}, [] {
    atomic<int> flag{0};
    atomic<int> beat{0};
    thread t([&] {
      if (beat.load() == 2) flag.store(1);
    });
    for (int i = 1; flag.load() == 0 && i <= 3; ++i) beat.store(i);
    heddle::reached(flag.load() == 1 ? "ended" : "gave up");
    t.join();
    heddle::require(beat.load() <= 3, "counted");
  });
  EXPECT_VERIFIED(r);
  EXPECT_EQ(outcomes(r).size(), 2u);
}

// A loop with an effect in every round is not recognised: it is followed to the bound.
TEST_P(BodySpin, AnUnboundedLoopThatCountsIsIncomplete) {
  const result r = check({.memory_model = GetParam(), .max_steps = 20}, [] {
    atomic<int> flag{0};
    thread t([&] { flag.store(1); });
    int rounds = 0;
    while (flag.load() == 0) ++rounds;
    t.join();
    heddle::require(rounds != 1'000'000, "counted");
  });
  EXPECT_EQ(r.verdict, verdict_kind::incomplete);
  EXPECT_NE(r.bound.find("max_steps"), std::string::npos);
}

TEST_P(BodySpin, TwoThreadsThatWaitForEachOtherLivelock) {
  const result r = check(with(), [] {
    atomic<int> a{0};
    atomic<int> b{0};
    thread t([&] {
      while (a.load() == 0) heddle::this_thread::yield();
      b.store(1);
    });
    while (b.load() == 0) heddle::this_thread::yield();
    a.store(1);
    t.join();
  });
  EXPECT_VIOLATION(r, verdict_kind::livelock);
}

// Waiting for what a sleeping thread should do: nobody ends the loop either.
TEST_P(BodySpin, InterleavingsAgree) {
  const auto body = [] {
    atomic<int> flag{0};
    atomic<int> x{0};
    thread t([&] {
      x.store(1);
      flag.store(1);
      x.store(2);
    });
    while (flag.load() == 0) {
    }
    heddle::reached("x " + std::to_string(x.load()));
    t.join();
    heddle::require(x.load() == 2, "the last");
  };
  const result one = check({.memory_model = model::sc}, body);
  const result other =
      check({.memory_model = model::sc, .search = heddle::strategy::interleavings}, body);
  expect_same(one, other);
}

}  // namespace
