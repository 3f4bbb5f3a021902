// heddle::barrier: its phases, what it orders, and in how many executions.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>
#include <heddle/scenario.hpp>
#include <new>
#include <string>
#include <utility>
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

// --- phases

TEST(Barrier, CompletesEachPhaseOnceBetweenAllArrivalsAndAllThatGoOn) {
  expect_executions(4, [] {  // who is last, in each of two phases
    std::vector<var<int>> work(2);
    var<int> phases{0};
    const auto on_completion = [&]() noexcept {
      phases += 1;
      require(work[0] == phases && work[1] == phases, "all have arrived");
    };
    heddle::barrier meeting(2, on_completion);
    on_threads(2, [&](int t) {
      for (int phase = 1; phase <= 2; ++phase) {
        work[static_cast<std::size_t>(t)] = phase;
        meeting.arrive_and_wait();
        require(phases == phase, "completed once");
      }
    });
  });
}

TEST(Barrier, ATokenWaitsForItsOwnPhase) {
  expect_executions(2, [] {
    heddle::barrier<> meeting(2);
    var<int> item{0};
    thread t([&] {
      item = 1;
      (void)meeting.arrive();
    });
    auto token = meeting.arrive();
    meeting.wait(std::move(token));
    require(item == 1, "the other has arrived");
    t.join();
  });
}

TEST(Barrier, ATokenOfThePhaseBeforeWaitsForNobody) {
  expect_executions(1, [] {
    heddle::barrier<> meeting(1);
    (void)meeting.arrive();
    auto second = meeting.arrive();
    meeting.wait(std::move(second));
    heddle::barrier<> other(2);
    auto early = other.arrive(2);
    (void)other.arrive();
    other.wait(std::move(early));
  });
}

TEST(Barrier, WhoArrivesForSeveralCountsAsSeveral) {
  expect_executions(2, [] {
    heddle::barrier<> meeting(3);
    thread t([&] { (void)meeting.arrive(2); });
    meeting.arrive_and_wait();
    t.join();
  });
}

TEST(Barrier, WhoArrivesTwiceDoesItForAnother) {
  expect_executions(1, [] {
    heddle::barrier<> meeting(3);
    thread t([&] {
      (void)meeting.arrive();
      (void)meeting.arrive();
    });
    t.join();
    meeting.arrive_and_wait();
  });
}

TEST(Barrier, WhoDropsOutIsNotExpectedAnyMore) {
  expect_executions(2, [] {
    heddle::barrier<> meeting(2);
    thread t([&] { meeting.arrive_and_drop(); });
    meeting.arrive_and_wait();
    meeting.arrive_and_wait();  // does not wait for the other
    t.join();
  });
}

constinit heddle::barrier<> global_meeting{2};

TEST(Barrier, AGlobalOneStartsEachExecutionAfresh) {
  expect_executions(2, [] {
    thread t([] { global_meeting.arrive_and_drop(); });
    global_meeting.arrive_and_wait();
    t.join();
    global_meeting.arrive_and_wait();
  });
}

// --- in how many executions

std::uint64_t factorial(int n) {
  return n <= 1 ? 1 : static_cast<std::uint64_t>(n) * factorial(n - 1);
}

TEST(Barrier, ThreadsCostTheOrdersOfTheirArrivalsInEachPhase) {
  for (const auto& [threads, phases] : {std::pair{2, 1}, {2, 2}, {2, 3}, {3, 1}, {3, 2}, {4, 1}}) {
    std::uint64_t orders = 1;
    for (int phase = 0; phase < phases; ++phase) orders *= factorial(threads);
    expect_executions(orders, [threads = threads, phases = phases] {
      heddle::barrier<> meeting(threads);
      on_threads(threads, [&](int) {
        for (int phase = 0; phase < phases; ++phase) meeting.arrive_and_wait();
      });
    });
  }
}

TEST(Barrier, EveryOutcomeOfAllInterleavingsIsFoundInThoseExecutions) {
  // who runs the completion function in each of two phases
  const auto body = [] {
    heddle::atomic<int> first_last{-1};
    heddle::atomic<int> second_last{-1};
    thread_local int me;
    int phase = 0;
    const auto on_completion = [&]() noexcept {
      (phase++ == 0 ? first_last : second_last).store(me);
    };
    heddle::barrier meeting(2, on_completion);
    on_threads(2, [&](int t) {
      me = t;
      meeting.arrive_and_wait();
      meeting.arrive_and_wait();
    });
    heddle::reached("last are " + std::to_string(first_last.load()) + " and " +
                    std::to_string(second_last.load()));
  };
  const auto outcomes = [&](heddle::strategy search) {
    result r = check({.memory_model = model::sc, .search = search}, body);
    EXPECT_VERIFIED(r);
    std::sort(r.reached.begin(), r.reached.end());
    return r.reached;
  };
  const auto found = outcomes(heddle::strategy::exhaustive);
  EXPECT_EQ(found.size(), 4u);
  EXPECT_EQ(found, outcomes(heddle::strategy::interleavings));
}

// --- what it orders

TEST(Barrier, EveryArrivalHappensBeforeTheCompletionAndThatBeforeTheWaits) {
  expect_executions(2, [] {
    var<int> first{0};
    var<int> second{0};
    var<int> sum{0};
    const auto add = [&]() noexcept { sum = first + second; };
    heddle::barrier meeting(2, add);
    thread t([&] {
      first = 1;
      meeting.arrive_and_wait();
      require(sum == 3, "the sum");
    });
    second = 2;
    meeting.arrive_and_wait();
    require(sum == 3, "the sum");
    t.join();
  });
}

TEST(Barrier, ArrivalsDoNotOrderTheirThreads) {
  // tso and sc order all atomics, so there the flag is enough
  const result r = check({.memory_model = model::rc11}, [] {
    heddle::barrier<> meeting(3);
    var<int> data{0};
    heddle::atomic<bool> has{false};
    thread t([&] {
      data = 1;
      (void)meeting.arrive();
      has.store(true, std::memory_order_relaxed);
    });
    heddle::await(
        has, [](bool value) { return value; }, std::memory_order_relaxed);
    (void)meeting.arrive();
    (void)data.get();
    t.join();
  });
  EXPECT_VIOLATION(r, verdict_kind::data_race);
}

TEST(Barrier, AWriteAfterTheArrivalRaces) {
  expect_failure(verdict_kind::data_race, "data race", [] {
    heddle::barrier<> meeting(2);
    var<int> data{0};
    thread t([&] {
      (void)meeting.arrive();
      data = 1;
    });
    meeting.arrive_and_wait();
    (void)data.get();
    t.join();
  });
}

TEST(Barrier, APhaseHappensBeforeTheNextOnesArrivals) {
  expect_executions(4, [] {
    heddle::barrier<> meeting(2);
    var<int> turn{0};
    on_threads(2, [&](int t) {
      if (t == 0) turn = 1;
      meeting.arrive_and_wait();
      if (t == 1) turn = turn + 1;
      meeting.arrive_and_wait();
      require(turn == 2, "one after the other");
    });
  });
}

// --- how it fails

TEST(Barrier, WhenTooFewArriveTheReportSaysHowMany) {
  const result r = expect_failure(
      verdict_kind::deadlock, "waits at the barrier meeting, where 1 of 3 have not arrived", [] {
        heddle::barrier<> meeting(3);
        heddle::name(meeting, "meeting");
        thread t([&] { meeting.arrive_and_wait(); });
        meeting.arrive_and_wait();
        t.join();
      });
  for (const char* phrase : {"arrive meeting, phase 0, 1 to come",
                             "waits at the barrier meeting, where 1 of 3 have not arrived since #"})
    EXPECT_TRUE(contains(r.report(), phrase)) << phrase << '\n' << r.report();
}

TEST(Barrier, InALaterPhaseTheReportSaysHowManyOfThoseThatAreLeft) {
  expect_failure(verdict_kind::deadlock,
                 "thread 0 waits at the barrier meeting, where 1 of 2 have not arrived", [] {
                   heddle::barrier<> meeting(3);
                   heddle::name(meeting, "meeting");
                   thread t([&] { meeting.arrive_and_drop(); });
                   (void)meeting.arrive();
                   meeting.arrive_and_wait();
                   t.join();
                   meeting.arrive_and_wait();
                 });
}

TEST(Barrier, MoreThanExpectedIsMisuse) {
  int line = 0;
  int other = 0;
  const result r = expect_failure(verdict_kind::misuse,
                                  "more threads arrive at a barrier than it expects: 1 of 2 are "
                                  "still to arrive in phase 0, and 2 arrive",
                                  [&] {
                                    heddle::barrier<> meeting(2);
                                    heddle::name(meeting, "meeting");
                                    other = __LINE__ + 1;
                                    (void)meeting.arrive();
                                    line = __LINE__ + 1;
                                    (void)meeting.arrive(2);
                                  });
  EXPECT_TRUE(is_line(r.where, __FILE__, line));
  EXPECT_TRUE(is_line(r.other, __FILE__, other));
  EXPECT_TRUE(contains(r.report(), "arrive meeting, phase 0, -1 to come")) << r.report();
}

TEST(Barrier, TheFirstToArriveForTooManyNamesTheConstruction) {
  int made = 0;
  const result r = expect_failure(verdict_kind::misuse, "2 of 2 are still to arrive", [&] {
    made = __LINE__ + 1;
    heddle::barrier<> meeting(2);
    (void)meeting.arrive(3);
  });
  EXPECT_TRUE(is_line(r.other, __FILE__, made));
  const result none = expect_failure(verdict_kind::misuse, "0 of 0 are still to arrive", [&] {
    made = __LINE__ + 1;
    heddle::barrier<> meeting(0);
    (void)meeting.arrive();
  });
  EXPECT_TRUE(is_line(none.other, __FILE__, made));
}

TEST(Barrier, TooManyThreadsAreMisuse) {
  int line = 0;
  const result r =
      expect_failure(verdict_kind::misuse, "0 of 2 are still to arrive in phase 0", [&] {
        heddle::barrier<> meeting(2);
        line = __LINE__ + 1;
        on_threads(3, [&](int) { (void)meeting.arrive(); });
      });
  EXPECT_TRUE(is_line(r.where, __FILE__, line));
  EXPECT_TRUE(is_line(r.other, __FILE__, line));
}

TEST(Barrier, WhoArrivesAgainWithoutWaitingComesTooEarly) {
  // std too has no place for an arrival before the next phase has begun
  expect_failure(verdict_kind::misuse, "0 of 2 are still to arrive in phase 0, and 1 arrives", [] {
    heddle::barrier<> meeting(2);
    thread t([&] { (void)meeting.arrive(); });
    (void)meeting.arrive();
    (void)meeting.arrive();
    t.join();
  });
}

TEST(Barrier, AnArrivalDuringTheCompletionIsMisuse) {
  int line = 0;
  int last = 0;
  const result r = expect_failure(verdict_kind::misuse,
                                  "0 of 1 are still to arrive in phase 0, and 1 arrives", [&] {
                                    heddle::atomic<bool> completing{false};
                                    heddle::atomic<bool> goes_on{false};
                                    const auto on_completion = [&]() noexcept {
                                      completing.store(true);
                                      heddle::await(goes_on, [](bool value) { return value; });
                                    };
                                    heddle::barrier meeting(1, on_completion);
                                    thread t([&] {
                                      heddle::await(completing, [](bool value) { return value; });
                                      line = __LINE__ + 1;
                                      (void)meeting.arrive();
                                      goes_on.store(true);
                                    });
                                    last = __LINE__ + 1;
                                    meeting.arrive_and_wait();
                                    t.join();
                                  });
  EXPECT_TRUE(is_line(r.where, __FILE__, line));
  EXPECT_TRUE(is_line(r.other, __FILE__, last));
}

TEST(Barrier, AnArrivalByItsOwnCompletionIsMisuse) {
  struct arrives_again {
    void* at = nullptr;
    void operator()() noexcept { (void)static_cast<heddle::barrier<arrives_again>*>(at)->arrive(); }
  };
  expect_failure(verdict_kind::misuse, "0 of 1 are still to arrive", [] {
    // it has to know where it will be
    alignas(heddle::barrier<arrives_again>) std::byte place[sizeof(heddle::barrier<arrives_again>)];
    auto* const meeting = new (place) heddle::barrier<arrives_again>(1, {place});
    meeting->arrive_and_wait();
  });
}

constexpr int global_pair_line = __LINE__ + 1;
constinit heddle::barrier<> global_pair{2};

TEST(Barrier, AGlobalOneNamesItsLineToo) {
  const result first = expect_failure(verdict_kind::misuse, "2 of 2 are still to arrive",
                                      [] { (void)global_pair.arrive(3); });
  EXPECT_TRUE(is_line(first.other, __FILE__, global_pair_line));
  int other = 0;
  const result second = expect_failure(verdict_kind::misuse, "1 of 2 are still to arrive", [&] {
    other = __LINE__ + 1;
    (void)global_pair.arrive();
    (void)global_pair.arrive(2);
  });
  EXPECT_TRUE(is_line(second.other, __FILE__, other));
}

TEST(Barrier, NobodyArrivingIsMisuse) {
  expect_failure(verdict_kind::misuse, "0 threads arrive at a barrier", [] {
    heddle::barrier<> meeting(2);
    (void)meeting.arrive(0);
  });
}

TEST(Barrier, AnExpectedCountOutOfItsRangeIsMisuse) {
  int line = 0;
  const result r = expect_failure(
      verdict_kind::misuse,
      "a barrier is constructed for -1 arrivals, which is not in 0..2147483647", [&] {
        line = __LINE__ + 1;
        heddle::barrier<> meeting(-1);
      });
  EXPECT_TRUE(is_line(r.where, __FILE__, line));
  expect_failure(verdict_kind::misuse, "a barrier is constructed for 2147483648 arrivals",
                 [] { heddle::barrier<> meeting(heddle::barrier<>::max() + 1); });
  EXPECT_THROW(heddle::barrier<>(-1), heddle::usage_error);
  EXPECT_THROW(heddle::barrier<>(heddle::barrier<>::max() + 1), heddle::usage_error);
}

TEST(Barrier, OutsideABodyOnlyConstructionWorks) {
  heddle::barrier<> meeting(1);
  EXPECT_THROW((void)meeting.arrive(), heddle::usage_error);
  EXPECT_THROW(meeting.arrive_and_wait(), heddle::usage_error);
  EXPECT_THROW(meeting.arrive_and_drop(), heddle::usage_error);
}

}  // namespace
