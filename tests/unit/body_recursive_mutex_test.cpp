// heddle::recursive_mutex inside a body: it excludes like a mutex, and its holder may take it
// again.
#include <gtest/gtest.h>

#include <mutex>
#include <string>
#include <vector>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"

namespace {

using heddle::check;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::verdict_kind;

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

TEST(BodyRecursiveMutex, NestedSectionsHaveFactorialManyOrdersAndNoneIsBlocked) {
  std::uint64_t orders = 1;
  for (int threads = 1; threads <= 4; ++threads) {
    orders *= static_cast<std::uint64_t>(threads);
    // only the outermost pair is seen by others, so it is N! as for a plain mutex
    expect_executions(orders, [threads] {
      heddle::recursive_mutex mutex;
      heddle::var<int> count{0};
      const auto section = [&] {
        const heddle::lock_guard outer(mutex);
        ++count;
        {
          heddle::unique_lock inner(mutex);
          ++count;
          require(mutex.try_lock(), "by the holder");
          ++count;
          mutex.unlock();
        }
        ++count;  // still held
      };
      std::vector<heddle::thread> others;
      for (int i = 1; i < threads; ++i) others.emplace_back(section);
      section();
      for (heddle::thread& each : others) each.join();
      require(count == 4 * threads, "an addition was lost");
    });
  }
}

TEST(BodyRecursiveMutex, ItIsFreeOnlyAfterTheLastUnlock) {
  expect_executions(1, [] {
    heddle::recursive_mutex mutex;
    const auto is_free = [&] {
      bool taken = false;
      heddle::thread t([&] {
        taken = mutex.try_lock();
        if (taken) mutex.unlock();
      });
      t.join();
      return taken;
    };
    mutex.lock();
    mutex.lock();
    require(!is_free(), "held twice");
    mutex.unlock();
    require(!is_free(), "held once");
    mutex.unlock();
    require(is_free(), "free");
    require(mutex.try_lock(), "taken by a try");
    require(mutex.try_lock(), "and again");
    mutex.unlock();
    mutex.unlock();
  });
}

// The second thread tries before, within, or after the section.
TEST(BodyRecursiveMutex, TryLockFailsExactlyWhileAnotherHoldsIt) {
  expect_executions(3, [] {
    heddle::recursive_mutex mutex;
    heddle::var<int> count{0};
    heddle::thread t([&] {
      const heddle::lock_guard outer(mutex);
      const heddle::lock_guard inner(mutex);
      ++count;
    });
    if (mutex.try_lock()) {
      ++count;
      mutex.unlock();
    }
    t.join();
    require(count >= 1, "counted");
  });
}

TEST(BodyRecursiveMutex, TwoOfThemInOppositeOrderDeadlock) {
  const result r = check([] {
    heddle::recursive_mutex a;
    heddle::recursive_mutex b;
    heddle::name(a, "a");
    heddle::name(b, "b");
    heddle::thread t([&] {
      const heddle::lock_guard first(b);
      const heddle::lock_guard again(b);
      const heddle::lock_guard second(a);
    });
    {
      const heddle::lock_guard first(a);
      const heddle::lock_guard second(b);
    }
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::deadlock);
  EXPECT_NE(r.message.find("thread 0 waits for the lock b, which thread 1 holds"),
            std::string::npos)
      << r.message;
  EXPECT_NE(r.message.find("thread 1 waits for the lock a, which thread 0 holds"),
            std::string::npos)
      << r.message;
}

constinit heddle::recursive_mutex global_mutex;

TEST(BodyRecursiveMutex, AGlobalOneIsFreeAtTheStartOfEachExecution) {
  expect_executions(2, [] {
    heddle::thread t([] {
      const heddle::lock_guard outer(global_mutex);
      const std::lock_guard inner(global_mutex);
    });
    global_mutex.lock();
    global_mutex.lock();
    global_mutex.unlock();
    global_mutex.unlock();
    t.join();
    require(true, "end");
  });
}

TEST(BodyRecursiveMutex, OutsideABodyItIsTriedAndCounted) {
  heddle::recursive_mutex mutex;
  ASSERT_TRUE(mutex.try_lock());
  ASSERT_TRUE(mutex.try_lock());
  const auto tries = [&] { require(!mutex.try_lock(), "held by nobody here"); };
  mutex.unlock();
  EXPECT_TRUE(check(tries).is_verified());
  mutex.unlock();
  EXPECT_EQ(check(tries).verdict, verdict_kind::assertion);
  EXPECT_THROW(mutex.lock(), heddle::usage_error);
}

// Its predicate may use the mutex itself, one level deeper.
TEST(BodyRecursiveMutex, AConditionVariableAnyWaitsWithIt) {
  expect_executions(2, [] {
    heddle::recursive_mutex mutex;
    heddle::condition_variable_any changed;
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
      changed.wait(lock, [&] {
        const heddle::lock_guard inner(mutex);
        return open.get();
      });
    }
    t.join();
  });
}

}  // namespace
