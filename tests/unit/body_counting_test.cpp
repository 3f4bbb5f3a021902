// Semaphores, latches, barriers and call_once inside a body.
#include <gtest/gtest.h>

#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>
#include <heddle/scenario.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using heddle::atomic;
using heddle::check;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::thread;
using heddle::var;
using heddle::verdict_kind;
using namespace std::chrono_literals;

constexpr model models[] = {model::rc11, model::tso, model::sc};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Verified in so many executions under each model, none of them blocked.
template <class Body>
void expect_executions(std::uint64_t executions, Body body) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, body);
    EXPECT_VERIFIED(r);
    EXPECT_EQ(r.executions, executions) << to_string(m);
    EXPECT_EQ(r.blocked, 0u) << to_string(m);
  }
}

void expect_misuse(const result& r, const std::string& message) {
  EXPECT_VIOLATION(r, verdict_kind::misuse);
  EXPECT_TRUE(contains(r.message, message)) << r.message;
  EXPECT_TRUE(contains(r.where, "body_counting_test.cpp")) << r.where;
}

template <class Work>
void on_threads(int count, Work work) {
  std::vector<thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&work, t] { work(t); });
  for (thread& t : threads) t.join();
}

// --- semaphores

TEST(BodySemaphore, OfOneIsALock) {
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

TEST(BodySemaphore, OfTwoLetsTwoInAndHasTheCountOfTheTable) {
  expect_executions(54, [] {  // tests/litmus/litmus.tsv has the same program
    heddle::counting_semaphore<2> free{2};
    atomic<int> inside{0};
    (void)inside;
    on_threads(3, [&](int) {
      free.acquire();
      free.release();
    });
    require(free.try_acquire() && free.try_acquire() && !free.try_acquire(), "two are free again");
  });
}

TEST(BodySemaphore, AReleaseHappensBeforeTheAcquireThatItServes) {
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

TEST(BodySemaphore, ATryAtZeroFailsAndSynchronisesWithNobody) {
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

TEST(BodySemaphore, ATimedAcquireTimesOutOrNotAndNeverBlocks) {
  const result r = check([] {
    heddle::binary_semaphore item{0};
    thread producer([&] { item.release(); });
    const auto before = heddle::steady_clock::now();
    const bool got = item.try_acquire_for(5ms);
    const auto spent = heddle::steady_clock::now() - before;
    heddle::reached(got ? "got it" : "timed out");
    require(spent == (got ? 0ms : 5ms), "time passes only by timing out");
    producer.join();
    require(got || item.try_acquire_until(heddle::steady_clock::now() + 1s), "it is there");
  });
  EXPECT_VERIFIED(r);
  EXPECT_EQ(r.reached.size(), 2u);
  EXPECT_EQ(r.blocked, 0u);
}

TEST(BodySemaphore, ThatNobodyReleasesIsADeadlock) {
  const result r = check([] {
    heddle::counting_semaphore<2> free{1};
    heddle::name(free, "slots");
    thread t([&] { free.acquire(); });
    free.acquire();
    t.join();
  });
  EXPECT_VIOLATION(r, verdict_kind::deadlock);
  EXPECT_TRUE(contains(r.report(), "acquire slots -> 0")) << r.report();
}

TEST(BodySemaphore, BeyondItsLimitsIsMisuse) {
  const result above = check([] {
    heddle::counting_semaphore<2> free{2};
    free.release();
  });
  expect_misuse(above, "above its maximum");
  EXPECT_TRUE(contains(above.other, "body_counting_test.cpp")) << "where it was made";
  expect_misuse(check([] {
                  heddle::counting_semaphore<2> free{3};
                  free.acquire();
                }),
                "starts above");
  expect_misuse(check([] {
                  heddle::counting_semaphore<2> free{-1};
                  free.acquire();
                }),
                "starts below zero");
  static_assert(heddle::counting_semaphore<2>::max() == 2);
}

// --- latches

TEST(BodyLatch, OrdersWhatWasBeforeItWithWhatIsAfter) {
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

TEST(BodyLatch, ArriveAndWaitMeetsTheOthers) {
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

TEST(BodyLatch, TryWaitSaysWhetherItIsDown) {
  const result r = check([] {
    heddle::latch ready{1};
    thread t([&] { ready.count_down(); });
    heddle::reached(ready.try_wait() ? "down" : "not yet");
    t.join();
    require(ready.try_wait(), "down now");
  });
  EXPECT_VERIFIED(r);
  EXPECT_EQ(r.reached.size(), 2u);
}

TEST(BodyLatch, ThatIsNotCountedDownIsADeadlock) {
  const result r = check([] {
    heddle::latch ready{3};
    heddle::name(ready, "ready");
    thread t([&] { ready.count_down(2); });
    ready.wait();
    t.join();
  });
  EXPECT_VIOLATION(r, verdict_kind::deadlock);
  EXPECT_TRUE(contains(r.report(), "count_down ready -> 1")) << r.report();
}

TEST(BodyLatch, BelowZeroIsMisuse) {
  const result r = check([] {
    heddle::latch ready{1};
    thread t([&] { ready.count_down(); });
    ready.count_down();
    t.join();
  });
  expect_misuse(r, "below zero");
  EXPECT_TRUE(contains(r.other, "body_counting_test.cpp")) << "where it was made";
}

// --- barriers

TEST(BodyBarrier, CompletesEachPhaseOnceBetweenAllArrivalsAndAllThatGoOn) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
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
    EXPECT_VERIFIED(r);
    // who is last, in each of two phases; and who goes on from the first reads that it is over from
    // its end, or from the other's next arrival: 2 x (2 + 2)
    EXPECT_EQ(r.executions, 8u);
    EXPECT_EQ(r.blocked, 0u);
  }
}

TEST(BodyBarrier, ATokenWaitsForItsOwnPhase) {
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

TEST(BodyBarrier, WhoDropsOutIsNotExpectedAnyMore) {
  const result r = check([] {
    heddle::barrier<> meeting(2);
    atomic<int> rounds{0};
    thread t([&] { meeting.arrive_and_drop(); });
    meeting.arrive_and_wait();
    meeting.arrive_and_wait();
    rounds.fetch_add(1);
    t.join();
    require(rounds.load() == 1, "not waiting for the other");
  });
  EXPECT_VERIFIED(r);
}

TEST(BodyBarrier, ThatOneDoesNotComeToIsADeadlock) {
  const result r = check([] {
    heddle::barrier<> meeting(3);
    thread t([&] { meeting.arrive_and_wait(); });
    meeting.arrive_and_wait();
    t.join();
  });
  EXPECT_VIOLATION(r, verdict_kind::deadlock);
  EXPECT_TRUE(contains(r.report(), "1 to come")) << r.report();
}

TEST(BodyBarrier, MoreThanExpectedIsMisuse) {
  expect_misuse(check([] {
                  heddle::barrier<> meeting(2);
                  (void)meeting.arrive(3);
                }),
                "more arrive");
  expect_misuse(check([] {
                  heddle::barrier<> meeting(2);
                  (void)meeting.arrive(0);
                }),
                "nobody arrives");
}

// --- call_once

TEST(BodyOnce, RunsOnceAndOrdersItsCallers) {
  expect_executions(3, [] {  // who is first
    heddle::once_flag flag;
    var<int> value{0};
    on_threads(3, [&](int) {
      heddle::call_once(
          flag, [&](int by) { value += by; }, 42);
      require(value == 42, "once, and before we go on");
    });
  });
}

TEST(BodyOnce, AnExceptionLetsTheNextOneTry) {
  expect_executions(2, [] {
    heddle::once_flag flag;
    var<int> attempts{0};
    atomic<int> caught{0};
    on_threads(2, [&](int) {
      try {
        heddle::call_once(flag, [&] {
          attempts += 1;
          if (attempts == 1) throw std::runtime_error("the first time");
        });
      } catch (const std::runtime_error&) {
        caught.store(1, std::memory_order_relaxed);
      }
    });
    require(attempts == 2 && caught.load() == 1, "tried twice, thrown once");
  });
}

TEST(BodyOnce, WithinItselfIsMisuse) {
  const result r = check([] {
    heddle::once_flag flag;
    heddle::call_once(flag, [&] { heddle::call_once(flag, [] {}); });
  });
  expect_misuse(r, "call_once");
  EXPECT_TRUE(contains(r.other, "body_counting_test.cpp")) << r.other;
}

TEST(BodyOnce, ReadsWellInATrace) {
  const result r = check([] {
    heddle::once_flag flag;
    heddle::name(flag, "setup");
    thread t([&] { heddle::call_once(flag, [] {}); });
    t.join();
    heddle::call_once(flag, [] {});
    require(false, "to see the trace");
  });
  EXPECT_TRUE(contains(r.report(), "call_once setup")) << r.report();
  EXPECT_TRUE(contains(r.report(), "call_once setup is done")) << r.report();
  EXPECT_TRUE(contains(r.report(), "call_once setup: done already")) << r.report();
}

}  // namespace
