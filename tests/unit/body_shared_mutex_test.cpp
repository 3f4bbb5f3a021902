// heddle::shared_mutex, shared_timed_mutex and shared_lock inside a body: one holds it alone, or
// any number share it.
#include <gtest/gtest.h>

#include <chrono>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <system_error>
#include <utility>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"
#include "heddle/scenario.hpp"
#include "tests/unit/shared_table.hpp"

namespace {

using heddle::check;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::steady_clock;
using heddle::verdict_kind;
using tests::expect_executions;
using tests::models;
using tests::table;
using tests::writers_and_readers;
using namespace std::chrono_literals;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <class Mutex>
class BodySharedMutex : public testing::Test {};
using shared = testing::Types<heddle::shared_mutex, heddle::shared_timed_mutex>;
TYPED_TEST_SUITE(BodySharedMutex, shared);

TYPED_TEST(BodySharedMutex, WritersHaveFactorialManyOrders) {
  expect_executions(1, 0, [] { writers_and_readers<TypeParam>(1, 0); });
  expect_executions(2, 0, [] { writers_and_readers<TypeParam>(2, 0); });
  expect_executions(6, 0, [] { writers_and_readers<TypeParam>(3, 0); });
  expect_executions(24, 0, [] { writers_and_readers<TypeParam>(4, 0); });
}

// Readers' comings and goings are ordered: 6 ways for two readers, (2n)!/2^n for n. A writer fits
// in wherever nobody shares: in the 2 ways without overlap in 3 places, in the other 4 in 2 places.
TYPED_TEST(BodySharedMutex, ReadersComeAndGoInAnyOrder) {
  expect_executions(6, 0, [] { writers_and_readers<TypeParam>(0, 2); });
  expect_executions(90, 0, [] { writers_and_readers<TypeParam>(0, 3); });
  expect_executions(2, 0, [] { writers_and_readers<TypeParam>(1, 1); });
  expect_executions(14, 0, [] { writers_and_readers<TypeParam>(1, 2); });
  // the two writers together in one of the 14 places, in 2 orders, or apart: 3 places make 6 + 3 *
  // 2 of it, 2 places 4 + 2
  expect_executions(2 * 12 + 4 * 6, 0, [] { writers_and_readers<TypeParam>(2, 2); });
}

TYPED_TEST(BodySharedMutex, ReadersShareIt) {
  const result r = check([] {
    TypeParam mutex;
    heddle::atomic<int> inside{0};
    const auto section = [&] {
      const heddle::shared_lock guard(mutex);
      if (inside.fetch_add(1) == 1) heddle::reached("together");
      inside.fetch_sub(1);
    };
    heddle::thread t(section);
    section();
    t.join();
    require(true, "end");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.reached.size(), 1u);
}

TYPED_TEST(BodySharedMutex, WritingWhileSharingIsADataRace) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      table<TypeParam> t;
      const auto section = [&] {
        const heddle::shared_lock guard(t.mutex);
        ++t.first;
      };
      heddle::thread other(section);
      section();
      other.join();
    });
    EXPECT_EQ(r.verdict, verdict_kind::data_race) << r.report();
  }
}

// What each reader did before it left is known to the writer after them: one release sequence. The
// count says that both were there, and orders nothing.
TYPED_TEST(BodySharedMutex, AWriterKnowsWhatAllReadersDid) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      TypeParam mutex;
      heddle::var<int> of_a{0};
      heddle::var<int> of_b{0};
      heddle::atomic<int> count{0};
      const auto reader = [&](heddle::var<int>& mine) {
        const heddle::shared_lock guard(mutex);
        mine = 1;
        count.fetch_add(1, heddle::memory_order_relaxed);
      };
      heddle::thread a([&] { reader(of_a); });
      heddle::thread b([&] { reader(of_b); });
      {
        const heddle::lock_guard guard(mutex);
        if (count.load(heddle::memory_order_relaxed) == 2) {
          require(of_a == 1 && of_b == 1, "both are known");
          heddle::reached("both");
        }
      }
      a.join();
      b.join();
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.reached.size(), 1u);
  }
}

TYPED_TEST(BodySharedMutex, AFailedTrySynchronisesWithNobody) {
  const auto with = [](auto try_it) {
    return check({.memory_model = model::rc11}, [try_it] {
      TypeParam mutex;
      heddle::atomic<int> data{0};
      heddle::thread t([&] {
        mutex.lock();
        data.store(1, heddle::memory_order_relaxed);
        mutex.unlock();
        mutex.lock();
        mutex.unlock();
      });
      if (!try_it(mutex)) require(data.load(heddle::memory_order_relaxed) == 1, "not even once");
      t.join();
    });
  };
  const auto alone = [](TypeParam& m) { return m.try_lock() ? (m.unlock(), true) : false; };
  const auto sharing = [](TypeParam& m) {
    return m.try_lock_shared() ? (m.unlock_shared(), true) : false;
  };
  EXPECT_EQ(with(alone).verdict, verdict_kind::assertion);
  EXPECT_EQ(with(sharing).verdict, verdict_kind::assertion);
}

// --- tries

// Each thread may fail once: 2 * 2.
TYPED_TEST(BodySharedMutex, ATryFailsSpuriouslyIfAsked) {
  expect_executions(4, 4,
                    [] {
                      TypeParam mutex;
                      const bool alone = mutex.try_lock();
                      if (alone) mutex.unlock();
                      bool sharing = false;
                      heddle::thread t([&] {
                        sharing = mutex.try_lock_shared();
                        if (sharing) mutex.unlock_shared();
                      });
                      t.join();
                      heddle::reached(std::string(alone ? "alone, " : "refused, ") +
                                      (sharing ? "shared" : "refused"));
                    },
                    {.try_lock = 1});
}

// A timed one does not.
template <class Try>
void expect_both_outcomes(Try try_lock) {
  expect_executions(3, 2,
                    [try_lock] {
                      table<heddle::shared_timed_mutex> table;
                      heddle::thread t([&] { table.write(); });
                      const auto begin = steady_clock::now();
                      if (try_lock(table.mutex)) {
                        require(table.first == table.second, "half written");
                        table.mutex.unlock_shared();
                        require(steady_clock::now() == begin, "no time has passed");
                        heddle::reached("shared");
                      } else {
                        require(steady_clock::now() == begin + 1s, "the time is over");
                        heddle::reached("time-out");
                      }
                      t.join();
                    },
                    {.try_lock = 1});
}

TEST(BodySharedTimedMutex, ATimedTrySharesItOrTimesOut) {
  using mutex = heddle::shared_timed_mutex;
  using heddle::shared_lock;
  const auto taken = [](auto& lock) { return lock.owns_lock() && lock.release() != nullptr; };
  expect_both_outcomes([](mutex& m) { return m.try_lock_shared_for(1s); });
  expect_both_outcomes([](mutex& m) { return m.try_lock_shared_until(steady_clock::now() + 1s); });
  expect_both_outcomes([taken](mutex& m) {
    shared_lock lock(m, 1s);
    return taken(lock);
  });
  expect_both_outcomes([taken](mutex& m) {
    shared_lock lock(m, steady_clock::now() + 1s);
    return taken(lock);
  });
  expect_both_outcomes([taken](mutex& m) {
    shared_lock lock(m, heddle::defer_lock);
    return lock.try_lock_for(1s) && taken(lock);
  });
  expect_both_outcomes([taken](mutex& m) {
    shared_lock lock(m, heddle::defer_lock);
    return lock.try_lock_until(steady_clock::now() + 1s) && taken(lock);
  });
  expect_both_outcomes([taken](mutex& m) {
    std::shared_lock lock(m, std::chrono::seconds(1));
    return taken(lock);
  });
}

// --- shared_lock

TYPED_TEST(BodySharedMutex, ASharedLockIsMovedSwappedAndReleased) {
  expect_executions(1, 0, [] {
    TypeParam mutex;
    heddle::shared_lock<TypeParam> none;
    require(!none && none.mutex() == nullptr, "none");
    heddle::shared_lock first(mutex);
    require(first.owns_lock() && first.mutex() == &mutex, "shares");
    heddle::shared_lock second = std::move(first);
    require(!first && second, "moved");
    none = std::move(second);
    swap(none, first);
    require(!none && first, "swapped");
    first.unlock();
    require(!first && first.mutex() == &mutex, "unlocked");
    first.lock();
    first.unlock();
    require(first.try_lock(), "nobody holds it");
    require(first.release() == &mutex && !first, "given away");
    heddle::shared_lock third(mutex, heddle::adopt_lock);
    require(third.owns_lock(), "adopted");
  });
}

TYPED_TEST(BodySharedMutex, ASharedLockThrowsAsStds) {
  expect_executions(1, 0, [] {
    TypeParam mutex;
    const auto code_of = [](auto call) {
      try {
        call();
      } catch (const std::system_error& error) {
        return error.code() == std::errc::operation_not_permitted         ? 1
               : error.code() == std::errc::resource_deadlock_would_occur ? 2
                                                                          : 3;
      }
      return 0;
    };
    heddle::shared_lock<TypeParam> none;
    require(code_of([&] { none.lock(); }) == 1, "no mutex");
    require(code_of([&] { none.unlock(); }) == 1, "no mutex");
    heddle::shared_lock lock(mutex);
    require(code_of([&] { lock.lock(); }) == 2, "owned already");
    require(code_of([&] { (void)lock.try_lock(); }) == 2, "owned already");
  });
}

TYPED_TEST(BodySharedMutex, StdsGuardsWorkToo) {
  expect_executions(2, 0, [] {
    table<TypeParam> t;
    heddle::thread writer([&] {
      const std::scoped_lock guard(t.mutex);
      ++t.first;
      ++t.second;
    });
    {
      const std::shared_lock guard(t.mutex);
      require(t.first == t.second, "half written");
    }
    writer.join();
  });
}

TYPED_TEST(BodySharedMutex, AConditionVariableAnyWaitsWithItShared) {
  // the flag is set before the waiter looks, or while it waits
  expect_executions(2, 0, [] {
    TypeParam mutex;
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
    }
    t.join();
  });
}

TYPED_TEST(BodySharedMutex, AConditionVariableAnyWaitsWithItAlone) {
  expect_executions(2, 0, [] {
    TypeParam mutex;
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
      heddle::unique_lock lock(mutex);
      changed.wait(lock, [&] { return open.get(); });
    }
    t.join();
  });
}

TEST(BodySharedMutexGlobal, OneTakenOutsideIsTakenInside) {
  static heddle::shared_mutex mutex;
  const auto alone = [] {
    mutex.lock();
    mutex.unlock();
  };
  const auto sharing = [] {
    const heddle::shared_lock first(mutex);
    heddle::thread t([] { const heddle::shared_lock second(mutex); });
    t.join();
  };
  ASSERT_TRUE(mutex.try_lock_shared());
  ASSERT_TRUE(mutex.try_lock_shared());
  ASSERT_FALSE(mutex.try_lock());
  EXPECT_EQ(check(alone).verdict, verdict_kind::deadlock);
  EXPECT_TRUE(check(sharing).is_verified());
  mutex.unlock_shared();
  EXPECT_EQ(check(alone).verdict, verdict_kind::deadlock);
  mutex.unlock_shared();
  EXPECT_TRUE(check(alone).is_verified());
  ASSERT_TRUE(mutex.try_lock());
  ASSERT_FALSE(mutex.try_lock_shared());
  EXPECT_EQ(check(sharing).verdict, verdict_kind::deadlock);
  mutex.unlock();
  EXPECT_TRUE(check(sharing).is_verified());
  EXPECT_THROW(mutex.lock(), heddle::usage_error);
  EXPECT_THROW(mutex.lock_shared(), heddle::usage_error);
  heddle::shared_timed_mutex timed;
  EXPECT_THROW((void)timed.try_lock_shared_for(1s), heddle::usage_error);
  EXPECT_THROW((void)timed.try_lock_shared_until(steady_clock::now()), heddle::usage_error);
}

// --- reports

TYPED_TEST(BodySharedMutex, ADeadlockNamesWhoSharesIt) {
  const result r = check([] {
    TypeParam mutex;
    heddle::name(mutex, "table");
    heddle::thread a([&] { mutex.lock_shared(); });
    heddle::thread b([&] { mutex.lock_shared(); });
    a.join();
    b.join();
    mutex.lock();
  });
  EXPECT_EQ(r.verdict, verdict_kind::deadlock);
  EXPECT_EQ(r.message, "thread 0 waits for the lock table, which threads 1, 2 share");
  const std::string text = r.report();
  EXPECT_TRUE(contains(text, "lock_shared table")) << text;
  EXPECT_TRUE(contains(text, "waits to lock table, shared by thread 1 since #")) << text;
  EXPECT_TRUE(contains(text, " and thread 2 since #")) << text;
}

TYPED_TEST(BodySharedMutex, ADeadlockNamesWhoHoldsIt) {
  const result r = check([] {
    TypeParam mutex;
    heddle::name(mutex, "table");
    heddle::thread t([&] { mutex.lock(); });
    t.join();
    mutex.lock_shared();
  });
  EXPECT_EQ(r.verdict, verdict_kind::deadlock);
  EXPECT_EQ(r.message, "thread 0 waits for the lock table, which thread 1 holds");
  EXPECT_TRUE(contains(r.report(), "waits to lock_shared table, held by thread 1 since #"))
      << r.report();
}

// Two threads share it, and each wants it alone without giving up its share elsewhere.
TYPED_TEST(BodySharedMutex, ReadersThatWantToWriteDeadlock) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      TypeParam a;
      TypeParam b;
      heddle::name(a, "a");
      heddle::name(b, "b");
      heddle::thread t([&] {
        const heddle::shared_lock share(b);
        const heddle::lock_guard alone(a);
      });
      {
        const heddle::shared_lock share(a);
        const heddle::lock_guard alone(b);
      }
      t.join();
    });
    EXPECT_EQ(r.verdict, verdict_kind::deadlock);
    EXPECT_EQ(r.message,
              "thread 0 waits for the lock b, which thread 1 shares; "
              "thread 1 waits for the lock a, which thread 0 shares");
  }
}

TYPED_TEST(BodySharedMutex, AReportSaysWhatIsDoneToIt) {
  const result r = check([] {
    TypeParam mutex;
    heddle::name(mutex, "table");
    mutex.lock();
    heddle::thread t([&] { require(!mutex.try_lock_shared(), "held"); });
    t.join();
    mutex.unlock();
    mutex.lock_shared();
    heddle::thread u([&] { require(!mutex.try_lock(), "shared"); });
    u.join();
    mutex.unlock_shared();
    require(mutex.try_lock(), "free");
    mutex.unlock();
    require(mutex.try_lock_shared(), "free");
    mutex.unlock_shared();
    require(false, "shown");
  });
  EXPECT_EQ(r.verdict, verdict_kind::assertion);
  const std::string text = r.report();
  for (const char* phrase :
       {" lock table", "try_lock_shared table fails", "unlock table", " lock_shared table",
        "try_lock table fails", "unlock_shared table", "try_lock table", "try_lock_shared table"})
    EXPECT_TRUE(contains(text, phrase)) << phrase << '\n' << text;
}

}  // namespace
