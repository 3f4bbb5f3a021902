// heddle::counting_semaphore: what it lets pass, what it orders, and in how many executions.
#include <gtest/gtest.h>

#include <chrono>
#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>
#include <heddle/scenario.hpp>
#include <semaphore>
#include <string>

#include "tests/counting/counting_checks.hpp"

namespace {

using counting::contains;
using counting::expect_executions;
using counting::expect_failure;
using counting::is_line;
using counting::models;
using counting::on_threads;
using heddle::atomic;
using heddle::check;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::thread;
using heddle::var;
using heddle::verdict_kind;
using namespace std::chrono_literals;

static_assert(heddle::counting_semaphore<3>::max() == 3);
static_assert(heddle::binary_semaphore::max() == 1);
static_assert(heddle::counting_semaphore<>::max() == std::counting_semaphore<>::max());

// --- what it counts

TEST(Semaphore, CountsOutsideABody) {
  heddle::counting_semaphore<3> s(1);
  s.acquire();
  EXPECT_FALSE(s.try_acquire());
  EXPECT_THROW(s.acquire(), heddle::usage_error);
  EXPECT_THROW((void)s.try_acquire_for(1ms), heddle::usage_error);
  s.release(2);
  EXPECT_TRUE(s.try_acquire());
  EXPECT_TRUE(s.try_acquire());
  EXPECT_FALSE(s.try_acquire());
}

TEST(Semaphore, CountsInsideABody) {
  expect_executions(1, [] {
    heddle::counting_semaphore<3> s(1);
    s.acquire();
    require(!s.try_acquire(), "none is left");
    s.release(2);
    require(s.try_acquire() && s.try_acquire() && !s.try_acquire(), "two are left");
    s.release(0);
    s.release(3);
    require(s.try_acquire(), "three are left");
  });
}

constinit heddle::counting_semaphore<2> global_slots{2};

TEST(Semaphore, AGlobalOneStartsEachExecutionAfresh) {
  expect_executions(2, [] {
    thread t([] { global_slots.acquire(); });
    global_slots.acquire();
    t.join();
    require(!global_slots.try_acquire(), "both are taken");
  });
}

// --- in how many executions

TEST(Semaphore, OfOneIsALockWithFactorialManyOrders) {
  expect_executions(6, [] {
    heddle::binary_semaphore free{1};
    var<int> sum{0};
    on_threads(3, [&](int) {
      free.acquire();
      sum += 1;
      free.release();
    });
    require(sum == 3, "mutual exclusion");
  });
}

TEST(Semaphore, OfTwoLetsTwoInAndHasTheCountOfTheTable) {
  // tests/litmus/litmus.tsv has the same program. All orders of three acquisitions and three
  // releases, each thread's acquisition before its release, in which no more than two hold: of the
  // 6! / 2^3 = 90 orders, those that start with the three acquisitions are 3! * 3! = 36.
  expect_executions(54, [] {
    heddle::counting_semaphore<2> free{2};
    on_threads(3, [&](int) {
      free.acquire();
      free.release();
    });
    require(free.try_acquire() && free.try_acquire() && !free.try_acquire(), "two are free again");
  });
}

TEST(Semaphore, NoMoreThreadsAreInsideThanTheCount) {
  // `inside` has orders of its own, which count too; so only the verdict is asked for
  for (const model m : models) {
    for (const int count : {1, 2}) {
      const result r = check({.memory_model = m}, [count] {
        heddle::counting_semaphore<2> slots(count);
        atomic<int> inside{0};
        on_threads(3, [&](int) {
          slots.acquire();
          require(inside.fetch_add(1, std::memory_order_relaxed) < count, "too many are inside");
          inside.fetch_sub(1, std::memory_order_relaxed);
          slots.release();
        });
      });
      EXPECT_VERIFIED(r);
      EXPECT_EQ(r.blocked, 0u);
    }
  }
}

TEST(Semaphore, OneReleaseOfSeveralWakesSeveral) {
  expect_executions(2, [] {
    heddle::counting_semaphore<2> s(0);
    var<int> data{0};
    const auto look = [&] {
      s.acquire();
      require(data == 1, "published");
    };
    thread a(look);
    thread b(look);
    data = 1;
    s.release(2);
    a.join();
    b.join();
  });
}

TEST(Semaphore, ARaceOfTriesHasOneWinner) {
  // either takes it; under rc11 no stale value lets both
  expect_executions(2, [] {
    heddle::binary_semaphore s(1);
    atomic<int> winners{0};
    thread t([&] {
      if (s.try_acquire()) winners.store(1, std::memory_order_relaxed);
    });
    const bool won = s.try_acquire();
    t.join();
    require(winners.load() + (won ? 1 : 0) == 1, "one winner");
  });
}

TEST(Semaphore, TryAcquireFailsSpuriouslyIfThatIsAskedFor) {
  const auto body = [] {
    heddle::counting_semaphore<2> s(2);
    (void)s.try_acquire();
    require(s.try_acquire_for(1s), "a timed wait does not");
  };
  expect_executions(1, body);
  expect_executions(2, body, {.try_lock = 1});
}

// --- what it orders

TEST(Semaphore, AReleaseHappensBeforeTheAcquireThatItServes) {
  expect_executions(1, [] {
    heddle::counting_semaphore<> items{0};
    var<int> item{0};
    thread producer([&] {
      item = 42;
      items.release();
    });
    items.acquire();
    require(item == 42, "the item");
    producer.join();
  });
}

TEST(Semaphore, SuccessiveReleasesReachOneAcquirer) {
  // the two releases in either order, and the first acquisition before or after the second of them
  expect_executions(4, [] {
    heddle::counting_semaphore<2> s(0);
    var<int> a{0};
    var<int> b{0};
    thread first([&] {
      a = 1;
      s.release();
    });
    thread second([&] {
      b = 1;
      s.release();
    });
    s.acquire();
    s.acquire();
    require(a == 1 && b == 1, "both are published");
    first.join();
    second.join();
  });
}

TEST(Semaphore, AWriteAfterTheReleaseRaces) {
  expect_failure(verdict_kind::data_race, "data race", [] {
    heddle::binary_semaphore full(0);
    var<int> data{0};
    thread t([&] {
      full.release();
      data = 42;
    });
    full.acquire();
    (void)data.get();
    t.join();
  });
}

TEST(Semaphore, TwoHoldersAtOnceRaceForPlainData) {
  expect_failure(verdict_kind::data_race, "data race", [] {
    heddle::counting_semaphore<2> slots(2);
    var<int> count{0};
    const auto add = [&] {
      slots.acquire();
      ++count;
      slots.release();
    };
    thread t(add);
    add();
    t.join();
  });
}

TEST(Semaphore, ATryAtZeroFailsAndOneThatSucceedsSynchronises) {
  const result r = check([] {
    heddle::counting_semaphore<3> items{0};
    var<int> item{0};
    thread producer([&] {
      item = 42;
      items.release(3);
    });
    const bool got = items.try_acquire();
    heddle::reached(got ? "got one" : "none there");
    if (got) require(item == 42, "the item");
    producer.join();
    require(items.try_acquire(), "at least two are left");
  });
  EXPECT_VERIFIED(r);
  EXPECT_EQ(r.reached.size(), 2u);
}

TEST(Semaphore, ATryThatFailsOrdersNothing) {
  // It fails only at the last 0, which the release with the data leads to. tso and sc order all
  // atomics.
  const result r = check({.memory_model = model::rc11}, [] {
    heddle::counting_semaphore<2> s(1);
    var<int> data{0};
    thread t([&] {
      data = 42;
      s.release();
      s.acquire();
      s.acquire();
    });
    if (s.try_acquire()) {
      s.release();
    } else {
      (void)data.get();
    }
    t.join();
  });
  EXPECT_VIOLATION(r, verdict_kind::data_race);
}

// --- timed waits

TEST(Semaphore, ATimedWaitAcquiresOrTimesOutAndNeverBlocks) {
  // two: the release is before the try, or after it
  int acquired = 0;
  int timed_out = 0;
  expect_executions(2, [&] {
    heddle::binary_semaphore s(0);
    var<int> data{0};
    thread t([&] {
      data = 1;
      s.release();
    });
    const auto start = heddle::steady_clock::now();
    const bool got = s.try_acquire_for(5ms);
    require(heddle::steady_clock::now() - start == (got ? 0ms : 5ms),
            "time passes only by timing out");
    if (got) require(data == 1, "published");
    ++(got ? acquired : timed_out);
    t.join();
  });
  EXPECT_EQ(acquired, 3);  // once for each model
  EXPECT_EQ(timed_out, 3);
}

TEST(Semaphore, ATimedWaitTimesOutIfNobodyReleases) {
  expect_executions(1, [] {
    heddle::binary_semaphore s(0);
    const auto end = heddle::steady_clock::now() + 2s;
    require(!s.try_acquire_until(end), "nobody releases");
    require(heddle::steady_clock::now() == end, "the time has passed");
    require(!s.try_acquire_until(end) && !s.try_acquire_for(-1s), "at once");
    require(heddle::steady_clock::now() == end, "no time has passed");
    s.release();
    require(s.try_acquire_until(end), "a deadline in the past is no obstacle");
  });
}

// --- how it fails

TEST(Semaphore, WhenNobodyReleasesTheReportSaysWhatIsWaitedFor) {
  const result r =
      expect_failure(verdict_kind::deadlock, "waits for the semaphore slots, whose count is 0", [] {
        heddle::counting_semaphore<2> slots(1);
        heddle::name(slots, "slots");
        thread t([&] { slots.acquire(); });
        slots.acquire();
        slots.release();
        slots.acquire();
        t.join();
      });
  for (const char* phrase : {"acquire slots -> 0", "release slots -> 1",
                             "waits for the semaphore slots, whose count is 0 since #"})
    EXPECT_TRUE(contains(r.report(), phrase)) << phrase << '\n' << r.report();
}

TEST(Semaphore, AReleaseAboveTheMaximumIsMisuse) {
  int line = 0;
  int other = 0;
  const result r = expect_failure(
      verdict_kind::misuse,
      "a semaphore is released above its maximum of 1: the count is 1 and 1 is added", [&] {
        heddle::binary_semaphore s(0);
        s.release();
        s.acquire();
        other = __LINE__ + 1;
        s.release();
        line = __LINE__ + 1;
        s.release();
      });
  EXPECT_TRUE(is_line(r.where, __FILE__, line));
  EXPECT_TRUE(is_line(r.other, __FILE__, other));
  EXPECT_TRUE(contains(r.report(), "-> 2")) << r.report();
}

TEST(Semaphore, AReleaseAboveTheMaximumByAnotherThreadNamesBothLines) {
  int main_line = 0;
  int thread_line = 0;
  const result r = expect_failure(verdict_kind::misuse, "above its maximum of 2", [&] {
    heddle::counting_semaphore<2> s(0);
    thread t([&] {
      thread_line = __LINE__ + 1;
      s.release(2);
    });
    main_line = __LINE__ + 1;
    s.release();
    t.join();
  });
  const bool main_is_last =
      is_line(r.where, __FILE__, main_line) && is_line(r.other, __FILE__, thread_line);
  const bool thread_is_last =
      is_line(r.where, __FILE__, thread_line) && is_line(r.other, __FILE__, main_line);
  EXPECT_TRUE(main_is_last || thread_is_last) << r.where << " and " << r.other;
}

TEST(Semaphore, AFirstReleaseAboveTheMaximumNamesTheConstruction) {
  int made = 0;
  const result r = expect_failure(verdict_kind::misuse, "the count is 1 and 2 are added", [&] {
    made = __LINE__ + 1;
    heddle::counting_semaphore<2> s(1);
    s.release(2);
  });
  EXPECT_TRUE(is_line(r.other, __FILE__, made));
}

constexpr int global_full_line = __LINE__ + 1;
constinit heddle::binary_semaphore global_full{1};

TEST(Semaphore, AGlobalOneNamesItsLineToo) {
  const result first = expect_failure(verdict_kind::misuse, "the count is 1 and 1 is added",
                                      [] { global_full.release(); });
  EXPECT_TRUE(is_line(first.other, __FILE__, global_full_line));
  int other = 0;
  const result second = expect_failure(verdict_kind::misuse, "the count is 1 and 1 is added", [&] {
    global_full.acquire();
    other = __LINE__ + 1;
    global_full.release();
    global_full.release();
  });
  EXPECT_TRUE(is_line(second.other, __FILE__, other));
}

TEST(Semaphore, ANegativeReleaseIsMisuse) {
  expect_failure(verdict_kind::misuse, "a semaphore is released -1 times", [] {
    heddle::counting_semaphore<2> s(1);
    s.release(-1);
  });
}

TEST(Semaphore, ACountOutOfItsRangeIsMisuse) {
  int line = 0;
  const result r = expect_failure(verdict_kind::misuse,
                                  "constructed with the count -1, which is not in 0..1", [&] {
                                    line = __LINE__ + 1;
                                    heddle::binary_semaphore s(-1);
                                  });
  EXPECT_TRUE(is_line(r.where, __FILE__, line));
  expect_failure(verdict_kind::misuse, "constructed with the count 4, which is not in 0..3",
                 [] { heddle::counting_semaphore<3> s(4); });
}

TEST(Semaphore, OutsideABodyWhatWouldBeMisuseIsTheErrorAndChangesNothing) {
  EXPECT_THROW(heddle::binary_semaphore(2), heddle::usage_error);
  EXPECT_THROW(heddle::binary_semaphore(-1), heddle::usage_error);
  heddle::counting_semaphore<2> s(1);
  EXPECT_THROW(s.release(-1), heddle::usage_error);
  const int line = __LINE__ + 2;
  try {
    s.release(2);
    FAIL();
  } catch (const heddle::usage_error& error) {
    EXPECT_TRUE(contains(error.what(),
                         "semaphore_test.cpp:" + std::to_string(line) +
                             ": a semaphore is released above its maximum of 2: the count is 1"))
        << error.what();
  }
  EXPECT_TRUE(s.try_acquire());
  EXPECT_FALSE(s.try_acquire());
}

}  // namespace
