// Violations that a body commits by itself, with message and source line: assertion, deadlock,
// livelock, exception, misuse of a primitive. Data races stand in body_var_test.cpp.
#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"

namespace {

using heddle::check;
using heddle::require;
using heddle::result;
using heddle::verdict_kind;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A place on one of the lines of this file from `first` to `last`.
testing::AssertionResult stands_at(const std::string& where, int first, int last) {
  for (int line = first; line <= last; ++line)
    if (where.ends_with("unit/verdict_violation_test.cpp:" + std::to_string(line)))
      return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << '"' << where << "\" is not on the lines " << first << " to " << last;
}

// A report tells the kind, the message, the place and the counts, and never says verified.
void expect_report(const result& r) {
  EXPECT_TRUE(contains(r.report(), std::string{to_string(r.verdict)})) << r.report();
  EXPECT_TRUE(contains(r.report(), r.message)) << r.report();
  EXPECT_TRUE(r.where.empty() || contains(r.report(), r.where)) << r.report();
  EXPECT_FALSE(contains(r.report(), "verified")) << r.report();
  EXPECT_GE(r.runs, 1u);
  EXPECT_NE(r.counterexample, "");
}

// --- assertion

TEST(VerdictAssertion, HasMessagePlaceAndWhatLedThere) {
  int line = 0;
  const result r = check([&line] {
    heddle::atomic<int> total{0};
    heddle::name(total, "total");
    const auto add = [&] { total.store(total.load() + 1); };
    heddle::thread a(add);
    heddle::thread b(add);
    a.join();
    b.join();
    line = __LINE__ + 1;
    require(total.load() == 2, "an addition was lost");
  });
  EXPECT_EQ(r.verdict, verdict_kind::assertion);
  EXPECT_EQ(r.message, "an addition was lost");
  EXPECT_TRUE(stands_at(r.where, line, line));
  EXPECT_TRUE(contains(r.counterexample, "total"));
  EXPECT_GE(r.executions, 1u) << "those before it count";
  EXPECT_GT(r.events, 10u);
  expect_report(r);
}

// --- deadlock

TEST(VerdictDeadlock, AbBaNamesBothLocksAndTheirOwners) {
  int first = 0;
  int second = 0;
  const result r = check([&] {
    heddle::mutex a;
    heddle::mutex b;
    heddle::name(a, "left");
    heddle::name(b, "right");
    heddle::thread t([&] {
      const heddle::lock_guard outer(a);
      first = __LINE__ + 1;
      const heddle::lock_guard inner(b);
    });
    heddle::thread u([&] {
      const heddle::lock_guard outer(b);
      second = __LINE__ + 1;
      const heddle::lock_guard inner(a);
    });
    t.join();
    u.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::deadlock);
  EXPECT_TRUE(contains(r.message, "thread 1 waits for the lock right, which thread 2 holds"))
      << r.message;
  EXPECT_TRUE(contains(r.message, "thread 2 waits for the lock left, which thread 1 holds"))
      << r.message;
  EXPECT_TRUE(stands_at(r.where, first, first) || stands_at(r.where, second, second)) << r.where;
  expect_report(r);
}

TEST(VerdictDeadlock, AForgottenUnlockNamesTheThreadThatHasTheLock) {
  int line = 0;
  const result r = check([&line] {
    static constinit heddle::mutex mutex;
    heddle::name(mutex, "door");
    heddle::thread t([] { mutex.lock(); });
    t.join();
    line = __LINE__ + 1;
    mutex.lock();
  });
  EXPECT_EQ(r.verdict, verdict_kind::deadlock);
  EXPECT_TRUE(contains(r.message, "thread 0 waits for the lock door, which thread 1 holds"))
      << r.message;
  EXPECT_TRUE(stands_at(r.where, line, line));
  expect_report(r);
}

TEST(VerdictDeadlock, AJoinOfAThreadThatWaitsForEver) {
  int line = 0;
  const result r = check([&line] {
    heddle::atomic<int> x{0};
    heddle::thread t([&] {
      line = __LINE__ + 1;
      heddle::await(x, [](int value) { return value == 1; });
    });
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::deadlock);
  EXPECT_TRUE(contains(r.message, "thread 0 waits for thread 1 to end")) << r.message;
  EXPECT_TRUE(contains(r.message, "thread 1 waits for object")) << r.message;
  EXPECT_TRUE(stands_at(r.where, line, line)) << "the cause, not the join";
  expect_report(r);
}

TEST(VerdictDeadlock, OnlyInSomeExecutions) {
  const result r = check([] {
    heddle::mutex mutex;
    heddle::atomic<int> x{0};
    heddle::thread t([&] {
      const heddle::lock_guard guard(mutex);
      x = 1;
    });
    mutex.lock();
    heddle::await(x, [](int value) { return value == 1; });
    mutex.unlock();
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::deadlock);
  expect_report(r);
}

TEST(VerdictDeadlock, TheInterleavingsFindThemToo) {
  const heddle::options with{.memory_model = heddle::model::sc,
                             .search = heddle::strategy::interleavings};
  const result locks = check(with, [] {
    heddle::mutex a;
    heddle::mutex b;
    heddle::thread t([&] {
      const heddle::lock_guard outer(a);
      const heddle::lock_guard inner(b);
    });
    const heddle::lock_guard outer(b);
    const heddle::lock_guard inner(a);
    t.join();
  });
  EXPECT_EQ(locks.verdict, verdict_kind::deadlock) << locks.report();
  expect_report(locks);
  const result sleeps = check(with, [] {
    heddle::atomic<int> x{0};
    heddle::thread t([&] { heddle::await(x, [](int value) { return value == 1; }); });
    t.join();
  });
  EXPECT_EQ(sleeps.verdict, verdict_kind::deadlock) << sleeps.report();
  const result stuck = check(with, [] {
    heddle::atomic<int> x{0};
    heddle::thread t([&] { heddle::assume(x == 1); });
    t.join();
  });
  EXPECT_TRUE(stuck.is_verified()) << "a wait for a stuck thread: " << stuck.report();
  EXPECT_EQ(stuck.blocked, 1u);
}

// --- livelock

TEST(VerdictLivelock, ASpinLoopThatNobodyEnds) {
  int line = 0;
  const result r = check([&line] {
    heddle::atomic<bool> stop{false};
    heddle::thread t([&] {
      line = __LINE__ + 1;
      while (!stop.load()) heddle::this_thread::yield();
    });
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::livelock);
  EXPECT_TRUE(contains(r.message, "thread 1 loops for ever")) << r.message;
  EXPECT_TRUE(stands_at(r.where, line, line));
  expect_report(r);
}

TEST(VerdictLivelock, TwoThatWaitForEachOther) {
  const result r = check({.max_steps = 50}, [] {
    heddle::atomic<int> x{0};
    heddle::atomic<int> y{0};
    heddle::thread t([&] {
      while (x.load() == 0) {
      }
      y = 1;
    });
    while (y.load() == 0) {
    }
    x = 1;
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::livelock) << r.report();
}

// --- exception

TEST(VerdictException, OfTheBodyStandsWhereItIsThrown) {
  int line = 0;
  const result r = check([&line] {
    heddle::atomic<int> x{0};
    x = 1;
    line = __LINE__ + 1;
    throw std::runtime_error("the disk is full");
  });
  EXPECT_EQ(r.verdict, verdict_kind::exception);
  EXPECT_TRUE(contains(r.message, "the disk is full")) << r.message;
  EXPECT_TRUE(stands_at(r.where, line, line));
  EXPECT_GT(r.events, 0u);
  expect_report(r);
}

TEST(VerdictException, OfAThreadNamesItsStartToo) {
  int line = 0;
  int start = 0;
  const result r = check([&] {
    start = __LINE__ + 1;
    heddle::thread t([&] {
      line = __LINE__ + 1;
      throw 5;
    });
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::exception);
  EXPECT_TRUE(contains(r.message, "no std::exception")) << r.message;
  EXPECT_TRUE(stands_at(r.where, line, line));
  EXPECT_TRUE(stands_at(r.other, start, start + 3));
  expect_report(r);
}

TEST(VerdictException, OfTheStandardLibraryStandsAtTheUsersCall) {
  int line = 0;
  const result r = check([&line] {
    const std::vector<int> three(3);
    line = __LINE__ + 1;
    require(three.at(7) == 0, "never evaluated");
  });
  EXPECT_EQ(r.verdict, verdict_kind::exception);
  EXPECT_TRUE(stands_at(r.where, line, line));
}

TEST(VerdictException, AmongOthersThatAreCaught) {
  int line = 0;
  const result r = check([&line] {
    const auto catches = [] {
      for (int i = 0; i < 3; ++i) {
        try {
          throw std::logic_error("caught");
        } catch (const std::logic_error&) {
        }
      }
    };
    catches();
    try {
      line = __LINE__ + 1;
      throw std::runtime_error("kept");
    } catch (...) {
      catches();
      throw;
    }
  });
  EXPECT_EQ(r.verdict, verdict_kind::exception);
  EXPECT_TRUE(contains(r.message, "kept")) << r.message;
  EXPECT_TRUE(stands_at(r.where, line, line));
}

TEST(VerdictException, InSomeExecutionOnly) {
  const result r = check([] {
    if (heddle::choose(3) == 2) throw std::runtime_error("two");
  });
  EXPECT_EQ(r.verdict, verdict_kind::exception);
}

TEST(VerdictException, ErrorsOfUniqueLockAreStds) {
  int line = 0;
  const result r = check([&line] {
    heddle::mutex mutex;
    heddle::unique_lock lock(mutex);
    line = __LINE__ + 1;
    lock.lock();
  });
  EXPECT_EQ(r.verdict, verdict_kind::exception);
  EXPECT_TRUE(stands_at(r.where, line, line));
}

}  // namespace
