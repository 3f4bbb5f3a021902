// choose, assume, require and both forms of await inside a body.
#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"
#include "heddle/scenario.hpp"

namespace {

using heddle::assume;
using heddle::await;
using heddle::check;
using heddle::choose;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::verdict_kind;

constexpr model models[] = {model::rc11, model::tso, model::sc};

TEST(BodyChoose, AllValuesAndAllCombinations) {
  for (model m : models) {
    std::vector<std::pair<int, int>> seen;
    const result r = check({.memory_model = m}, [&seen] {
      const int first = choose(3);
      const int second = choose(first + 1);
      seen.emplace_back(first, second);
      require(second <= first, "below");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 6u);
    EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), 6u);
  }
}

TEST(BodyChoose, CountsMultiply) {
  const result r = check([] {
    heddle::atomic<int> x{0};
    heddle::thread t([&] { x.fetch_add(choose(3)); });
    x.fetch_add(10 * choose(4));
    t.join();
    require(x <= 32, "in range");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u * 3 * 4);
}

TEST(BodyChoose, TakesAnyIntegerTypeAndReturnsIt) {
  const result r = check([] {
    static_assert(std::is_same_v<decltype(choose(std::uint8_t{2})), std::uint8_t>);
    static_assert(std::is_same_v<decltype(choose(std::size_t{2})), std::size_t>);
    require(choose(std::uint8_t{1}) == 0 && choose(1L) == 0 && choose(std::size_t{1}) == 0,
            "the only value");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 1u);
}

TEST(BodyAssume, WhatDoesNotHoldIsCountedAsBlocked) {
  for (model m : models) {
    const result r = check({.memory_model = m}, [] {
      const int n = choose(5);
      assume(n % 2 == 0);
      require(n != 1 && n != 3, "assumed away");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 3u);
    EXPECT_EQ(r.blocked, 2u);
  }
}

TEST(BodyAssume, WaitingForAStuckThreadIsNoDeadlock) {
  const result r = check([] {
    heddle::mutex mutex;
    heddle::atomic<int> x{0};
    heddle::thread t([&] {
      const heddle::lock_guard guard(mutex);
      assume(choose(2) == 0);
      x = 1;
    });
    await(x, [](int value) { return value == 1; });
    mutex.lock();
    mutex.unlock();
    t.join();
    require(x == 1, "after the assumption");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_GE(r.executions, 1u);
  EXPECT_GE(r.blocked, 1u);
}

TEST(BodyAssume, TheOthersGoOnAndTheirViolationsCount) {
  const result r = check([] {
    heddle::atomic<int> x{0};
    heddle::thread t([&] {
      x = 1;
      assume(false);
    });
    heddle::thread u([&] { require(x == 0, "the stuck thread's store is seen"); });
    t.join();
    u.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::assertion) << r.report();
}

TEST(BodyAssume, NoCompleteExecutionIsVacuous) {
  const result r = check([] {
    require(true, "evaluated");
    assume(false);
  });
  EXPECT_TRUE(r.is_verified());
  EXPECT_EQ(r.executions, 0u);
  EXPECT_EQ(r.blocked, 1u);
  EXPECT_NE(r.vacuous.find("no complete execution"), std::string::npos) << r.vacuous;
}

TEST(BodyRequire, StopsAtTheFirstThatFailsWithItsMessageAndPlace) {
  int line = 0;
  const result r = check([&line] {
    require(true, "not this one");
    const int n = choose(3);
    line = __LINE__ + 1;
    require(n != 1, "n is one");
    require(false, "never reached with one");
  });
  ASSERT_EQ(r.verdict, verdict_kind::assertion);
  const bool other = r.message == "never reached with one";
  EXPECT_TRUE(other || r.message == "n is one") << r.message;
  EXPECT_TRUE(r.where.ends_with("body_choice_test.cpp:" + std::to_string(line + (other ? 1 : 0))))
      << r.where;
}

TEST(BodyRequire, IsVacuousIfNothingIsRequired) {
  const result nothing = check([] {
    heddle::atomic<int> x{0};
    heddle::thread t([&] { x = 1; });
    x = 2;
    t.join();
  });
  EXPECT_TRUE(nothing.is_verified());
  EXPECT_NE(nothing.vacuous, "");
  const result alone = check([] {
    heddle::thread t([] { require(true, "nothing shared"); });
    t.join();
  });
  EXPECT_NE(alone.vacuous.find("share nothing"), std::string::npos) << alone.vacuous;
}

// --- await(object, pred)

TEST(BodyAwait, OfAnObjectIsParkedAtNoCost) {
  for (model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::atomic<int> x{0};
      heddle::thread t([&] {
        for (int i = 1; i <= 5; ++i) x.store(i);
      });
      require(await(x, [](int value) { return value == 5; }) == 5, "what held");
      t.join();
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 1u);
    EXPECT_EQ(r.blocked, 0u);
  }
}

TEST(BodyAwait, ReturnsEachValueThatHolds) {
  for (model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::atomic<int> x{0};
      heddle::thread t([&] {
        for (int i = 1; i <= 5; ++i) x.store(i, std::memory_order_relaxed);
      });
      int bound = 3;
      const int seen = await(
          x, [bound](int value) { return value >= bound; }, std::memory_order_relaxed);
      require(seen >= 3, "it held");
      heddle::reached(std::to_string(seen));
      t.join();
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 3u);
    EXPECT_EQ(r.blocked, 0u);
    EXPECT_EQ(r.reached.size(), 3u);
  }
}

TEST(BodyAwait, OfPointersEnumerationsFlagsAndStructs) {
  enum class phase { start, run, stop };
  struct two {
    std::uint64_t a;
    std::uint64_t b;
  };
  const result r = check([] {
    heddle::atomic<int*> p{nullptr};
    heddle::atomic<phase> now{phase::start};
    heddle::atomic_flag flag;
    heddle::atomic<two> words{two{0, 0}};
    heddle::thread t([&] {
      p = new int(3);
      now = phase::run;
      flag.test_and_set();
      words.store({1, 2});
    });
    int* const got = await(p, [](int* value) { return value != nullptr; });
    require(*got == 3, "what it points to");
    require(await(now, [](phase value) { return value != phase::start; }) == phase::run, "enum");
    require(await(flag, [](bool set) { return set; }), "flag");
    require(await(words, [](two value) { return value.b == 2; }).a == 1, "struct");
    t.join();
    delete got;
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 1u);
  EXPECT_EQ(r.blocked, 0u);
}

TEST(BodyAwait, ThatNobodyEndsIsADeadlock) {
  int line = 0;
  const result r = check([&line] {
    heddle::atomic<int> x{0};
    heddle::name(x, "door");
    heddle::thread t([&] { x = 2; });
    line = __LINE__ + 1;
    await(x, [](int value) { return value == 1; });
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::deadlock) << r.report();
  EXPECT_NE(r.message.find("thread 0 waits for door to change from 2"), std::string::npos)
      << r.message;
  EXPECT_TRUE(r.where.ends_with("body_choice_test.cpp:" + std::to_string(line))) << r.where;
}

// --- await(pred)

TEST(BodyAwait, OfAPredicateMayReadSeveral) {
  for (model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::atomic<int> x{0};
      heddle::atomic<int> y{0};
      heddle::thread t([&] { x = 1; });
      heddle::thread u([&] { y = 1; });
      await([&] { return x == 1 && y == 1; });
      require(x + y == 2, "both");
      t.join();
      u.join();
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 1u);
    EXPECT_EQ(r.blocked, 2u) << "x not yet; x but y not yet";
  }
}

TEST(BodyAwait, OfAPredicateThatNobodyFulfilsIsADeadlock) {
  const result r = check([] {
    heddle::atomic<int> x{0};
    heddle::thread t([&] { x = 1; });
    await([&] { return x == 2; });
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::deadlock) << r.report();
}

template <class Operation>
result inside_a_predicate(Operation operation) {
  return check([operation] {
    heddle::atomic<int> x{0};
    heddle::mutex mutex;
    await([&] {
      operation(x, mutex);
      return true;
    });
  });
}

TEST(BodyAwait, OfAPredicateThatWritesOrChoosesIsAnError) {
  const auto is_error = [](auto operation) {
    const result r = inside_a_predicate(operation);
    EXPECT_EQ(r.verdict, verdict_kind::error) << r.report();
    EXPECT_NE(r.message.find("only loads are allowed inside await"), std::string::npos);
    EXPECT_NE(r.where.find("body_choice_test.cpp:"), std::string::npos) << r.where;
  };
  using atomic = heddle::atomic<int>;
  is_error([](atomic& x, heddle::mutex&) { x.store(1); });
  is_error([](atomic& x, heddle::mutex&) { x.fetch_add(1); });
  is_error([](atomic& x, heddle::mutex&) {
    int expected = 5;
    x.compare_exchange_strong(expected, 6);
  });
  is_error([](atomic&, heddle::mutex&) { (void)choose(2); });
  is_error([](atomic&, heddle::mutex& m) { m.lock(); });
  is_error([](atomic&, heddle::mutex&) { heddle::atomic_thread_fence(std::memory_order_seq_cst); });
  is_error([](atomic&, heddle::mutex&) { heddle::thread([] {}).join(); });
  is_error([](atomic& x, heddle::mutex&) { await(x, [](int value) { return value == 0; }); });
  is_error([](atomic& x, heddle::mutex&) { await([&] { return x == 0; }); });
}

TEST(BodyAwait, AfterAPredicateEverythingIsAllowedAgain) {
  const result r = check([] {
    heddle::atomic<int> x{0};
    heddle::var<int> data{3};
    await([&] { return x == 0 && data == 3; });
    x = choose(2);
    require(x <= 1, "stored");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

}  // namespace
