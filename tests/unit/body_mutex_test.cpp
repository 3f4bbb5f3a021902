// heddle::mutex and its guards inside a body: they exclude, and cost N! executions, none blocked.
#include <gtest/gtest.h>

#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"
#include "heddle/scenario.hpp"

namespace {

using heddle::check;
using heddle::model;
using heddle::require;
using heddle::verdict_kind;

constexpr model models[] = {model::rc11, model::tso, model::sc};

// `threads` threads run the critical section once each.
template <class Section>
heddle::result critical_sections(model memory_model, int threads, Section section) {
  return check({.memory_model = memory_model}, [threads, section] {
    heddle::mutex mutex;
    heddle::var<int> count{0};
    std::vector<heddle::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back([&] { section(mutex, count); });
    section(mutex, count);
    for (heddle::thread& each : others) each.join();
    require(count == threads, "an addition was lost");
  });
}

TEST(BodyMutex, CriticalSectionsHaveFactorialManyOrdersAndNoneIsBlocked) {
  const auto section = [](heddle::mutex& mutex, heddle::var<int>& count) {
    const heddle::lock_guard guard(mutex);
    ++count;
  };
  for (model m : models) {
    std::uint64_t orders = 1;
    for (int threads = 1; threads <= 5; ++threads) {
      orders *= static_cast<std::uint64_t>(threads);
      const heddle::result r = critical_sections(m, threads, section);
      EXPECT_TRUE(r.is_verified()) << r.report();
      EXPECT_EQ(r.executions, orders);
      EXPECT_EQ(r.blocked, 0u);
    }
  }
}

TEST(BodyMutex, EveryGuardDoesTheSame) {
  const auto holds = [](auto section) {
    const heddle::result r = critical_sections(model::rc11, 3, section);
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 6u);
    EXPECT_EQ(r.blocked, 0u);
  };
  using heddle::mutex;
  using counter = heddle::var<int>;
  holds([](mutex& m, counter& count) {
    m.lock();
    ++count;
    m.unlock();
  });
  holds([](mutex& m, counter& count) {
    heddle::unique_lock lock(m);
    ++count;
  });
  holds([](mutex& m, counter& count) {
    heddle::unique_lock lock(m, heddle::defer_lock);
    require(!lock.owns_lock(), "deferred");
    lock.lock();
    ++count;
    lock.unlock();
  });
  holds([](mutex& m, counter& count) {
    m.lock();
    heddle::unique_lock first(m, heddle::adopt_lock);
    heddle::unique_lock second = std::move(first);
    require(!first && second, "moved");
    ++count;
  });
  holds([](mutex& m, counter& count) {
    heddle::scoped_lock lock(m);
    ++count;
  });
  holds([](mutex& m, counter& count) {
    m.lock();
    heddle::scoped_lock lock(heddle::adopt_lock, m);
    ++count;
  });
  holds([](mutex& m, counter& count) {
    const std::lock_guard lock(m);
    ++count;
  });
  holds([](mutex& m, counter& count) {
    std::unique_lock lock(m);
    ++count;
    lock.unlock();
  });
}

TEST(BodyMutex, TwoSectionsOfEachThreadInterleave) {
  const heddle::result r =
      critical_sections(model::rc11, 2, [](heddle::mutex& mutex, heddle::var<int>& count) {
        mutex.lock();
        const int half = count;
        mutex.unlock();
        mutex.lock();
        count = count + 1;
        mutex.unlock();
        (void)half;
      });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 6u);
  EXPECT_EQ(r.blocked, 0u);
}

constinit heddle::mutex global_mutex;
constinit heddle::mutex other_global_mutex;

TEST(BodyMutex, AGlobalOneIsFreeAtTheStartOfEachExecution) {
  const heddle::result r = check([] {
    heddle::thread t([] { const heddle::lock_guard guard(global_mutex); });
    global_mutex.lock();  // and never unlocked: allowed, as nobody waits after that
    require(true, "held");
    heddle::assume(heddle::choose(2) == 0);
    global_mutex.unlock();
    t.join();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

TEST(BodyMutex, SeveralAtOnceDoNotDeadlock) {
  const heddle::result scoped = check([] {
    heddle::mutex a;
    heddle::mutex b;
    heddle::var<int> count{0};
    heddle::thread t([&] {
      heddle::scoped_lock both(a, b);
      ++count;
    });
    {
      heddle::scoped_lock both(b, a);
      ++count;
    }
    t.join();
    require(count == 2, "both");
  });
  EXPECT_TRUE(scoped.is_verified()) << scoped.report();
  EXPECT_EQ(scoped.blocked, 0u);

  const heddle::result function = check([] {
    std::vector<heddle::mutex> mutexes(3);
    heddle::var<int> count{0};
    const auto add = [&](int first) {
      auto& a = mutexes[static_cast<std::size_t>(first)];
      auto& b = mutexes[static_cast<std::size_t>((first + 1) % 3)];
      auto& c = mutexes[static_cast<std::size_t>((first + 2) % 3)];
      heddle::lock(a, b, c);
      ++count;
      for (heddle::mutex& each : mutexes) each.unlock();
    };
    heddle::thread t(add, 1);
    add(2);
    t.join();
    require(count == 2, "both");
  });
  EXPECT_TRUE(function.is_verified()) << function.report();
  EXPECT_EQ(function.blocked, 0u);
}

TEST(BodyMutex, SeveralAtOnceBesideOneThatHoldsAlone) {
  const heddle::result r = check([] {
    heddle::mutex a;
    heddle::mutex b;
    heddle::var<int> of_a{0};
    heddle::var<int> of_b{0};
    heddle::thread t([&] {
      heddle::scoped_lock both(a, b);
      ++of_a;
      ++of_b;
    });
    {
      const heddle::lock_guard guard(b);
      ++of_b;
    }
    t.join();
    require(of_a == 1 && of_b == 2, "all");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyMutex, TryLockFailsExactlyWhileItIsHeld) {
  for (model m : models) {
    const heddle::result r = check({.memory_model = m}, [] {
      heddle::mutex mutex;
      heddle::var<int> count{0};
      heddle::thread t([&] {
        const heddle::lock_guard guard(mutex);
        ++count;
      });
      if (mutex.try_lock()) {
        ++count;
        mutex.unlock();
        heddle::reached("taken");
      } else {
        heddle::reached("refused");
      }
      t.join();
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 3u);
    EXPECT_EQ(r.blocked, 0u);
    EXPECT_EQ(r.reached.size(), 2u);
  }
}

TEST(BodyMutex, AFailedTryLockSynchronisesWithNobody) {
  const heddle::result r = check([] {
    heddle::mutex mutex;
    heddle::atomic<int> data{0};
    heddle::thread t([&] {
      mutex.lock();
      data.store(1, std::memory_order_relaxed);
      mutex.unlock();
      mutex.lock();
      mutex.unlock();
    });
    if (!mutex.try_lock()) {
      require(data.load(std::memory_order_relaxed) == 1, "not even known to be unlocked once");
    } else {
      mutex.unlock();
    }
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::assertion);
}

TEST(BodyMutex, TryLockOfSeveralNamesTheOneThatFailed) {
  const heddle::result r = check([] {
    heddle::mutex a;
    heddle::mutex b;
    b.lock();
    heddle::thread t([&] {
      require(heddle::try_lock(a, b) == 1, "b is held");
      require(a.try_lock(), "and a was given up");
      a.unlock();
    });
    t.join();
    b.unlock();
    require(heddle::try_lock(a, b) == -1, "both free");
    a.unlock();
    b.unlock();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyMutex, OneTakenOutsideIsHeldInside) {
  static heddle::mutex mutex;
  ASSERT_TRUE(mutex.try_lock());
  const auto take = [] {
    mutex.lock();
    mutex.unlock();
  };
  EXPECT_EQ(heddle::check(take).verdict, heddle::verdict_kind::deadlock);
  mutex.unlock();
  EXPECT_EQ(heddle::check(take).verdict, heddle::verdict_kind::verified);
}

TEST(BodyMutex, AThreadMayHoldSeveral) {
  const heddle::result r = check([] {
    const heddle::lock_guard first(global_mutex);
    const heddle::lock_guard second(other_global_mutex);
    heddle::thread t([] { require(!global_mutex.try_lock(), "held"); });
    t.join();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyMutex, OnTheHeapAndDestroyedFree) {
  const heddle::result r = check([] {
    const auto mutex = std::make_shared<heddle::mutex>();
    heddle::thread t([mutex] { const heddle::lock_guard guard(*mutex); });
    { const heddle::lock_guard guard(*mutex); }
    t.join();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

TEST(BodyMutex, GuardsUnlockWhenAnExceptionPasses) {
  const heddle::result r = check([] {
    heddle::mutex mutex;
    heddle::var<int> count{0};
    const auto add = [&] {
      try {
        const heddle::lock_guard guard(mutex);
        ++count;
        throw 1;
      } catch (int) {
        const heddle::lock_guard guard(mutex);
        ++count;
      }
    };
    heddle::thread t(add);
    add();
    t.join();
    require(count == 4, "all");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 6u);
  EXPECT_EQ(r.blocked, 0u);
}

}  // namespace
