// heddle::timed_mutex and recursive_timed_mutex inside a body: a time-out is explored both ways,
// and blocks nobody.
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"
#include "heddle/scenario.hpp"

namespace {

using heddle::check;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::steady_clock;
using heddle::verdict_kind;
using namespace std::chrono_literals;

constexpr model models[] = {model::rc11, model::tso, model::sc};

// A body verified in so many executions under each memory model, none of them blocked.
template <class Body>
void expect_executions(std::uint64_t executions, std::size_t outcomes, Body body,
                       heddle::spurious_failures spurious = {}) {
  for (const model m : models) {
    const result r = check({.memory_model = m, .spurious = spurious}, body);
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, executions) << to_string(m);
    EXPECT_EQ(r.blocked, 0u) << to_string(m);
    EXPECT_EQ(r.reached.size(), outcomes) << to_string(m);
  }
}

template <class Mutex>
class BodyTimedMutex : public testing::Test {};
using timed =
    testing::Types<heddle::timed_mutex, heddle::recursive_timed_mutex, heddle::shared_timed_mutex>;
TYPED_TEST_SUITE(BodyTimedMutex, timed);

TYPED_TEST(BodyTimedMutex, CriticalSectionsHaveFactorialManyOrders) {
  expect_executions(6, 0, [] {
    TypeParam mutex;
    heddle::var<int> count{0};
    const auto section = [&] {
      const heddle::lock_guard guard(mutex);
      ++count;
    };
    heddle::thread a(section);
    heddle::thread b(section);
    section();
    a.join();
    b.join();
    require(count == 3, "an addition was lost");
  });
}

// Three executions, as for try_lock: the try comes before, within, or after the section of the
// other thread.
template <class Mutex, class Try>
void expect_both_outcomes(Try try_lock, heddle::spurious_failures spurious = {}) {
  expect_executions(
      3, 2,
      [try_lock] {
        Mutex mutex;
        heddle::var<int> count{0};
        heddle::thread t([&] {
          const heddle::lock_guard guard(mutex);
          ++count;
        });
        const auto begin = steady_clock::now();
        if (try_lock(mutex)) {
          ++count;
          mutex.unlock();
          require(steady_clock::now() == begin, "no time has passed");
          heddle::reached("taken");
        } else {
          require(steady_clock::now() == begin + 1s, "the time is over");
          heddle::reached("time-out");
        }
        t.join();
      },
      spurious);
}

TYPED_TEST(BodyTimedMutex, ATimedTryTakesItOrTimesOut) {
  using mutex = TypeParam;
  expect_both_outcomes<mutex>([](mutex& m) { return m.try_lock_for(1s); });
  expect_both_outcomes<mutex>([](mutex& m) { return m.try_lock_until(steady_clock::now() + 1s); });
  expect_both_outcomes<mutex>([](mutex& m) {
    heddle::unique_lock lock(m, 1s);
    return lock.owns_lock() && lock.release() == &m;
  });
  expect_both_outcomes<mutex>([](mutex& m) {
    heddle::unique_lock lock(m, steady_clock::now() + 1000ms);
    return lock.owns_lock() && lock.release() == &m;
  });
  expect_both_outcomes<mutex>([](mutex& m) {
    heddle::unique_lock lock(m, heddle::defer_lock);
    return lock.try_lock_for(1s) && lock.release() == &m;
  });
  expect_both_outcomes<mutex>([](mutex& m) {
    heddle::unique_lock lock(m, heddle::defer_lock);
    return lock.try_lock_until(heddle::system_clock::now() + 1s) && lock.release() == &m;
  });
  expect_both_outcomes<mutex>([](mutex& m) {
    std::unique_lock lock(m, std::chrono::seconds(1));
    return lock.owns_lock() && lock.release() == &m;
  });
}

TYPED_TEST(BodyTimedMutex, ATimedTryDoesNotFailSpuriously) {
  using mutex = TypeParam;
  expect_both_outcomes<mutex>([](mutex& m) { return m.try_lock_for(1s); }, {.try_lock = 1});
}

TYPED_TEST(BodyTimedMutex, ADeadlineInThePastIsATry) {
  expect_executions(1, 0, [] {
    TypeParam mutex;
    require(mutex.try_lock_for(-1s), "free");
    heddle::thread t([&] {
      require(!mutex.try_lock_for(0s), "held");
      require(!mutex.try_lock_until(steady_clock::time_point(-1s)), "held");
      require(steady_clock::now().time_since_epoch() == 0s, "no time has passed");
      require(!mutex.try_lock_until(std::chrono::steady_clock::time_point()), "held");
      require(steady_clock::now().time_since_epoch() == 0s, "another clock");
    });
    t.join();
    mutex.unlock();
  });
}

TYPED_TEST(BodyTimedMutex, WhoeverTakesItInTimeSeesWhatWasDoneUnderIt) {
  expect_executions(2, 0, [] {
    TypeParam mutex;
    heddle::var<int> data{0};
    mutex.lock();
    heddle::thread t([&] {
      if (!mutex.try_lock_for(1s)) return;
      require(data == 1, "data");
      mutex.unlock();
    });
    data = 1;
    mutex.unlock();
    t.join();
  });
}

// Opposite orders, where one side gives up and leaves the other alone.
TYPED_TEST(BodyTimedMutex, GivingUpAvoidsADeadlock) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      TypeParam a;
      TypeParam b;
      heddle::thread t([&] {
        const heddle::lock_guard first(b);
        heddle::unique_lock second(a, 1s);
        heddle::reached(second.owns_lock() ? "both" : "gave up");
      });
      {
        const heddle::lock_guard first(a);
        const heddle::lock_guard second(b);
      }
      t.join();
      require(true, "end");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.blocked, 0u);
    EXPECT_EQ(r.reached.size(), 2u);
  }
}

// Each round of the loop is at another time, so it is not recognised as one that only spins.
TYPED_TEST(BodyTimedMutex, ALoopOfTimeOutsIsCutAndNeverALivelock) {
  const result r = check({.max_steps = 40}, [] {
    TypeParam mutex;
    heddle::thread t([&] { const heddle::lock_guard guard(mutex); });
    while (!mutex.try_lock_for(1s)) {
    }
    mutex.unlock();
    t.join();
    require(true, "end");
  });
  EXPECT_EQ(r.verdict, verdict_kind::incomplete) << r.report();
  EXPECT_GT(r.executions, 2u);
}

TYPED_TEST(BodyTimedMutex, AnotherThreadWaitingForEverIsADeadlock) {
  const result r = check([] {
    TypeParam mutex;
    heddle::name(mutex, "mutex");
    mutex.lock();
    heddle::thread t([&] {
      require(!mutex.try_lock_for(1h), "never free");
      mutex.lock();
    });
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::deadlock);
  EXPECT_NE(r.message.find("thread 1 waits for the lock mutex, which thread 0 holds"),
            std::string::npos)
      << r.message;
}

TYPED_TEST(BodyTimedMutex, AConditionVariableAnyWaitsWithIt) {
  // the flag is set before the waiter looks or while it waits
  expect_executions(2, 0, [] {
    TypeParam mutex;
    heddle::condition_variable_any changed;
    heddle::var<bool> open{false};
    heddle::thread t([&] {
      const heddle::lock_guard guard(mutex);
      open = true;
      changed.notify_one();
    });
    {
      heddle::unique_lock lock(mutex);
      changed.wait(lock, [&] { return open.get(); });
    }
    t.join();
  });
}

TYPED_TEST(BodyTimedMutex, OutsideABodyATimedTryIsAnError) {
  TypeParam mutex;
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  EXPECT_THROW((void)mutex.try_lock_for(1s), heddle::usage_error);
  EXPECT_THROW((void)mutex.try_lock_until(steady_clock::now()), heddle::usage_error);
  EXPECT_THROW(mutex.lock(), heddle::usage_error);
}

TEST(BodyRecursiveTimedMutex, ItsHolderTakesItAgainInNoTime) {
  expect_executions(2, 0, [] {
    heddle::recursive_timed_mutex mutex;
    heddle::var<int> count{0};
    const auto section = [&] {
      mutex.lock();
      require(mutex.try_lock_for(1s) && mutex.try_lock_until(steady_clock::now()), "by the holder");
      require(mutex.try_lock(), "by the holder");
      for (int i = 0; i < 4; ++i) {
        ++count;
        mutex.unlock();
      }
    };
    heddle::thread t(section);
    section();
    t.join();
    require(count == 8, "an addition was lost");
  });
}

}  // namespace
