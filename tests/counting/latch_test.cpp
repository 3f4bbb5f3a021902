// heddle::latch: what it orders, and in how many executions.
#include <gtest/gtest.h>

#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>
#include <latch>
#include <string>
#include <vector>

#include "tests/counting/counting_checks.hpp"

namespace {

using counting::contains;
using counting::expect_executions;
using counting::expect_failure;
using counting::is_line;
using counting::on_threads;
using heddle::check;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::thread;
using heddle::var;
using heddle::verdict_kind;

static_assert(heddle::latch::max() == std::latch::max());

TEST(Latch, CountsOutsideABody) {
  heddle::latch start(2);
  EXPECT_FALSE(start.try_wait());
  EXPECT_THROW(start.wait(), heddle::usage_error);
  start.count_down();
  start.arrive_and_wait();
  EXPECT_TRUE(start.try_wait());
  start.wait();
}

TEST(Latch, CountsInsideABody) {
  expect_executions(1, [] {
    heddle::latch start(3);
    start.count_down(0);
    require(!start.try_wait(), "three are left");
    start.count_down(2);
    require(!start.try_wait(), "one is left");
    start.arrive_and_wait();
    require(start.try_wait(), "none is left");
    start.wait();
    heddle::latch open(0);
    open.wait();
  });
}

constinit heddle::latch global_latch{2};

TEST(Latch, AGlobalOneStartsEachExecutionAfresh) {
  expect_executions(2, [] {
    thread t([] { global_latch.arrive_and_wait(); });
    global_latch.arrive_and_wait();
    t.join();
  });
}

TEST(Latch, ThreadsThatCountDownCostTheirOrders) {
  // N! orders of the count_downs; a wait can read only the last of them
  std::uint64_t orders = 1;
  for (int threads = 1; threads <= 4; ++threads) {
    orders *= static_cast<std::uint64_t>(threads);
    expect_executions(orders, [threads] {
      heddle::latch done(threads);
      std::vector<thread> others;
      for (int i = 0; i < threads; ++i) others.emplace_back([&] { done.count_down(); });
      done.wait();
      for (thread& each : others) each.join();
    });
  }
}

TEST(Latch, WaitersCostNothing) {
  expect_executions(1, [] {
    heddle::latch start(1);
    var<int> data{0};
    const auto look = [&] {
      start.wait();
      require(data == 1, "published");
    };
    thread a(look);
    thread b(look);
    thread c(look);
    data = 1;
    start.count_down();
    a.join();
    b.join();
    c.join();
  });
}

TEST(Latch, ArriveAndWaitMeetsTheOthers) {
  expect_executions(6, [] {
    heddle::latch all{3};
    std::vector<var<int>> done(3);
    on_threads(3, [&](int t) {
      done[static_cast<std::size_t>(t)] = 1;
      all.arrive_and_wait();
      require(done[0] + done[1] + done[2] == 3, "what the others did");
    });
  });
}

// --- what it orders

TEST(Latch, EveryCountDownHappensBeforeTheWaits) {
  expect_executions(2, [] {  // the two orders of counting down
    heddle::latch ready{2};
    var<int> first{0};
    var<int> second{0};
    thread a([&] {
      first = 1;
      ready.count_down();
    });
    thread b([&] {
      second = 2;
      ready.count_down();
    });
    ready.wait();
    require(first + second == 3, "what the others did");
    a.join();
    b.join();
  });
}

TEST(Latch, AWriteAfterTheCountDownRaces) {
  expect_failure(verdict_kind::data_race, "data race", [] {
    heddle::latch done(1);
    var<int> data{0};
    thread t([&] {
      done.count_down();
      data = 1;
    });
    done.wait();
    (void)data.get();
    t.join();
  });
}

// What the thread that counts down second may know of the first. tso and sc order all atomics, so
// there the flag is enough.
template <class Second>
result after_a_count_down(Second second) {
  return check({.memory_model = model::rc11}, [second] {
    heddle::latch done(3);
    var<int> data{0};
    heddle::atomic<bool> has{false};
    thread t([&] {
      data = 1;
      done.count_down();
      has.store(true, std::memory_order_relaxed);
    });
    heddle::await(
        has, [](bool value) { return value; }, std::memory_order_relaxed);
    second(done);
    (void)data.get();
    t.join();
  });
}

TEST(Latch, CountDownsDoNotOrderTheirThreads) {
  const result r = after_a_count_down([](heddle::latch& done) { done.count_down(); });
  EXPECT_VIOLATION(r, verdict_kind::data_race);
}

TEST(Latch, ATryWaitThatFailsOrdersNothing) {
  // it reads what this thread has counted down to, and that comes after the other's release
  const result r = after_a_count_down([](heddle::latch& done) {
    done.count_down();
    require(!done.try_wait(), "one is left");
  });
  EXPECT_VIOLATION(r, verdict_kind::data_race);
  const result opened = after_a_count_down([](heddle::latch& done) {
    done.count_down(2);
    require(done.try_wait(), "none is left");
  });
  EXPECT_VERIFIED(opened);
}

TEST(Latch, TryWaitSeesZeroOrNotAndSynchronisesIfItDoes) {
  int opened = 0;
  expect_executions(2, [&] {
    heddle::latch done(1);
    var<int> data{0};
    thread t([&] {
      data = 1;
      done.count_down();
    });
    if (done.try_wait()) {
      require(data == 1, "published");
      ++opened;
    }
    t.join();
    require(done.try_wait(), "down now");
  });
  EXPECT_EQ(opened, 3);  // once for each model
}

TEST(Latch, TryWaitFailsSpuriouslyIfThatIsAskedFor) {
  const auto body = [] {
    heddle::latch done(0);
    (void)done.try_wait();
    done.wait();
  };
  expect_executions(1, body);
  expect_executions(2, body, {.try_lock = 1});
}

// --- how it fails

TEST(Latch, WhenTooFewCountDownTheReportSaysHowManyAreLeft) {
  const result r =
      expect_failure(verdict_kind::deadlock, "waits at the latch start, whose count is 2", [] {
        heddle::latch start(5);
        heddle::name(start, "start");
        thread t([&] { start.count_down(3); });
        start.wait();
        t.join();
      });
  for (const char* phrase :
       {"count_down start by 3 -> 2", "waits at the latch start, whose count is 2 since #2",
        "initially start = 5"})
    EXPECT_TRUE(contains(r.report(), phrase)) << phrase << '\n' << r.report();
}

TEST(Latch, BelowZeroIsMisuse) {
  int line = 0;
  int other = 0;
  const result r =
      expect_failure(verdict_kind::misuse,
                     "a latch is counted down below zero: the count is 1 and 2 are taken off", [&] {
                       heddle::latch done(2);
                       other = __LINE__ + 1;
                       done.count_down();
                       line = __LINE__ + 1;
                       done.count_down(2);
                     });
  EXPECT_TRUE(is_line(r.where, __FILE__, line));
  EXPECT_TRUE(is_line(r.other, __FILE__, other));
  EXPECT_TRUE(contains(r.report(), "-> -1")) << r.report();
}

TEST(Latch, BelowZeroByTwoThreadsNamesBothLines) {
  int main_line = 0;
  int thread_line = 0;
  const result r = expect_failure(verdict_kind::misuse, "below zero: the count is 0", [&] {
    heddle::latch done(1);
    thread t([&] {
      thread_line = __LINE__ + 1;
      done.count_down();
    });
    main_line = __LINE__ + 1;
    done.count_down();
    t.join();
  });
  const bool main_is_last =
      is_line(r.where, __FILE__, main_line) && is_line(r.other, __FILE__, thread_line);
  const bool thread_is_last =
      is_line(r.where, __FILE__, thread_line) && is_line(r.other, __FILE__, main_line);
  EXPECT_TRUE(main_is_last || thread_is_last) << r.where << " and " << r.other;
}

TEST(Latch, AFirstCountDownBelowZeroNamesTheConstruction) {
  int made = 0;
  const result r = expect_failure(verdict_kind::misuse, "the count is 0 and 1 is taken off", [&] {
    made = __LINE__ + 1;
    heddle::latch done(0);
    done.count_down();
  });
  EXPECT_TRUE(is_line(r.other, __FILE__, made));
}

constexpr int global_open_line = __LINE__ + 1;
constinit heddle::latch global_open{1};

TEST(Latch, AGlobalOneNamesItsLineToo) {
  const result first = expect_failure(verdict_kind::misuse, "the count is 1 and 2 are taken off",
                                      [] { global_open.count_down(2); });
  EXPECT_TRUE(is_line(first.other, __FILE__, global_open_line));
  int other = 0;
  const result second =
      expect_failure(verdict_kind::misuse, "the count is 0 and 1 is taken off", [&] {
        other = __LINE__ + 1;
        global_open.count_down();
        global_open.count_down();
      });
  EXPECT_TRUE(is_line(second.other, __FILE__, other));
}

TEST(Latch, NegativeNumbersAreMisuse) {
  expect_failure(verdict_kind::misuse, "a latch is counted down by -1", [] {
    heddle::latch done(1);
    done.count_down(-1);
  });
  expect_failure(verdict_kind::misuse,
                 "a latch is constructed with the count -1, which is not in 0..",
                 [] { heddle::latch done(-1); });
}

TEST(Latch, OutsideABodyWhatWouldBeMisuseIsTheErrorAndChangesNothing) {
  EXPECT_THROW(heddle::latch(-1), heddle::usage_error);
  heddle::latch done(1);
  EXPECT_THROW(done.count_down(-1), heddle::usage_error);
  EXPECT_THROW(done.count_down(2), heddle::usage_error);
  EXPECT_FALSE(done.try_wait());
  done.count_down();
  EXPECT_TRUE(done.try_wait());
}

}  // namespace
