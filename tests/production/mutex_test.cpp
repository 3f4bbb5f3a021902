// The source of tests/unit/body_{recursive,timed,shared}_mutex_test.cpp on real threads: the
// mutexes and their guards do what the checked ones do.
#include <gtest/gtest.h>

#include <chrono>

#include "heddle/heddle.hpp"

namespace {

using namespace std::chrono_literals;
using heddle::steady_clock;

// Two threads add under the lock; what they do within it is `section`.
template <class Mutex, class Section>
int count_of_two(Mutex& mutex, Section section) {
  heddle::var<int> count{0};
  const auto add = [&] {
    for (int i = 0; i < 1000; ++i) section(mutex, count);
  };
  heddle::thread t(add);
  add();
  t.join();
  return count;
}

// What another thread gets while this one has the lock.
template <class Try>
bool gets(Try try_it) {
  bool got = false;
  heddle::thread t([&] { got = try_it(); });
  t.join();
  return got;
}

TEST(ProductionMutex, ARecursiveOneIsTakenAgainByItsHolder) {
  heddle::recursive_mutex mutex;
  EXPECT_EQ(count_of_two(mutex,
                         [](heddle::recursive_mutex& m, heddle::var<int>& count) {
                           const heddle::lock_guard outer(m);
                           const heddle::unique_lock inner(m);
                           ++count;
                         }),
            2000);
  mutex.lock();
  ASSERT_TRUE(mutex.try_lock());
  mutex.unlock();
  EXPECT_FALSE(gets([&] { return mutex.try_lock(); }));
  mutex.unlock();
}

template <class Mutex>
void expect_time_out() {
  Mutex mutex;
  EXPECT_EQ(count_of_two(mutex,
                         [](Mutex& m, heddle::var<int>& count) {
                           const heddle::unique_lock lock(m, 1h);
                           ++count;
                         }),
            2000);
  mutex.lock();
  const auto begin = steady_clock::now();
  EXPECT_FALSE(gets([&] { return mutex.try_lock_for(1ms); }));
  EXPECT_FALSE(gets([&] { return mutex.try_lock_until(begin + 2ms); }));
  EXPECT_FALSE(gets([&] {
    heddle::unique_lock lock(mutex, heddle::defer_lock);
    return lock.try_lock_for(1ms) || lock.try_lock_until(begin);
  }));
  EXPECT_GE(steady_clock::now(), begin + 2ms);
  mutex.unlock();
}

TEST(ProductionMutex, ATimedOneTimesOut) { expect_time_out<heddle::timed_mutex>(); }

TEST(ProductionMutex, ARecursiveTimedOneTimesOutAndIsTakenAgain) {
  expect_time_out<heddle::recursive_timed_mutex>();
  heddle::recursive_timed_mutex mutex;
  mutex.lock();
  EXPECT_TRUE(mutex.try_lock_for(1ms));
  mutex.unlock();
  mutex.unlock();
}

template <class Mutex>
void expect_sharing() {
  Mutex mutex;
  EXPECT_EQ(count_of_two(mutex,
                         [](Mutex& m, heddle::var<int>& count) {
                           { const heddle::shared_lock reader(m); }
                           const heddle::lock_guard writer(m);
                           ++count;
                         }),
            2000);
  heddle::shared_lock shared(mutex);
  EXPECT_TRUE(gets([&] { return heddle::shared_lock(mutex, heddle::try_to_lock).owns_lock(); }));
  EXPECT_FALSE(gets([&] { return mutex.try_lock(); }));
  shared.unlock();
  const heddle::unique_lock alone(mutex);
  EXPECT_FALSE(gets([&] { return mutex.try_lock_shared(); }));
}

TEST(ProductionMutex, ASharedOneIsSharedOrHeldAlone) { expect_sharing<heddle::shared_mutex>(); }

TEST(ProductionMutex, ASharedTimedOneTimesOutBothWays) {
  expect_sharing<heddle::shared_timed_mutex>();
  expect_time_out<heddle::shared_timed_mutex>();
  heddle::shared_timed_mutex mutex;
  const heddle::lock_guard guard(mutex);
  EXPECT_FALSE(gets([&] { return mutex.try_lock_shared_for(1ms); }));
  EXPECT_FALSE(gets([&] { return heddle::shared_lock(mutex, 1ms).owns_lock(); }));
}

TEST(ProductionMutex, AConditionVariableAnyWaitsWithASharedLock) {
  heddle::shared_mutex mutex;
  heddle::condition_variable_any changed;
  heddle::var<bool> open{false};
  heddle::thread t([&] {
    {
      const heddle::lock_guard guard(mutex);
      open = true;
    }
    changed.notify_all();
  });
  {
    heddle::shared_lock lock(mutex);
    changed.wait(lock, [&] { return open.get(); });
    EXPECT_TRUE(open);
  }
  t.join();
}

}  // namespace
