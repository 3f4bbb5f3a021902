// Waiting on an atomic object, and weak compare_exchange that fails for no reason.
#include <gtest/gtest.h>

#include <set>
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
using heddle::verdict_kind;

constexpr model models[] = {model::rc11, model::tso, model::sc};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

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

// --- wait and notify

TEST(BodyWait, ReturnsAfterAStoreThatIsNotified) {
  // one: a wait that has to sleep and one that comes too late for it read the same store
  expect_executions(1, [] {
    heddle::atomic<int> x{0};
    heddle::var<int> data{0};
    heddle::thread t([&] {
      data = 7;
      x.store(1, std::memory_order_release);
      x.notify_one();
    });
    x.wait(0, std::memory_order_acquire);
    require(data == 7 && x.load() == 1, "published");
    t.join();
  });
}

TEST(BodyWait, DoesNotWaitForWhatHasChangedAlready) {
  expect_executions(1, [] {
    heddle::atomic<int> x{0};
    x.wait(1);
    x.store(1);
    x.wait(0);
    heddle::atomic_flag flag;
    flag.wait(true);
    flag.test_and_set();
    flag.wait(false);
    require(true, "here");
  });
}

TEST(BodyWait, FlagsPointersAndFreeFunctionsDoTheSame) {
  // three: the wait for anything but x sees a, b or c
  expect_executions(3, [] {
    static int target = 0;
    heddle::atomic_flag flag;
    heddle::atomic<int*> pointer{nullptr};
    heddle::atomic<char> narrow{'a'};
    heddle::thread t([&] {
      flag.test_and_set();
      flag.notify_all();
      pointer = &target;
      pointer.notify_one();
      narrow = 'b';
      heddle::atomic_notify_one(&narrow);
      narrow = 'c';
      heddle::atomic_notify_all(&narrow);
    });
    flag.wait(false);
    pointer.wait(nullptr);
    require(pointer == &target, "pointer");
    narrow.wait('x');
    t.join();
    heddle::atomic_wait(&narrow, 'a');
    heddle::atomic_wait_explicit(&narrow, 'b', std::memory_order_relaxed);
    require(narrow == 'c', "last");
  });
}

TEST(BodyWait, AStoreThatNobodyNotifiesMayLeaveTheWaiterAsleep) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::atomic<int> x{0};
      heddle::name(x, "x");
      heddle::thread t([&] { x.store(1); });
      x.wait(0);
      t.join();
    });
    EXPECT_EQ(r.verdict, verdict_kind::lost_wakeup) << r.report();
    EXPECT_TRUE(contains(r.message, "thread 0 sleeps on x: nobody notifies it")) << r.message;
  }
}

TEST(BodyWait, ANotifyBeforeTheStoreIsLost) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::atomic<int> x{0};
      heddle::thread t([&] {
        x.notify_one();
        x.store(1);
      });
      x.wait(0);
      t.join();
    });
    EXPECT_EQ(r.verdict, verdict_kind::lost_wakeup) << r.report();
  }
}

TEST(BodyWait, NobodyWhoEverStoresIsADeadlock) {
  const result r = check([] {
    heddle::atomic<int> x{0};
    x.wait(0);
  });
  EXPECT_NE(r.verdict, verdict_kind::verified) << r.report();
}

TEST(BodyWait, NotifyOneWakesOneOfTwoAndAllWakesBoth) {
  const auto with = [](model m, bool all) {
    return check({.memory_model = m}, [all] {
      heddle::atomic<int> x{0};
      heddle::thread a([&] { x.wait(0); });
      heddle::thread b([&] { x.wait(0); });
      x.store(1);
      if (all) {
        x.notify_all();
      } else {
        x.notify_one();
      }
      a.join();
      b.join();
      require(x == 1, "stored");
    });
  };
  for (const model m : models) {
    EXPECT_EQ(with(m, false).verdict, verdict_kind::lost_wakeup);
    const result r = with(m, true);
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 1u);
    EXPECT_EQ(r.blocked, 0u);
  }
}

TEST(BodyWait, ATicketIsHandedOn) {
  // a binary semaphore of an atomic: two threads, one critical section each, in both orders; for
  // each the loser's exchange may or may not have come before the winner's release
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::atomic<bool> held{false};
      heddle::var<int> count{0};
      const auto section = [&] {
        while (held.exchange(true, std::memory_order_acquire))
          held.wait(true, std::memory_order_relaxed);
        ++count;
        held.store(false, std::memory_order_release);
        held.notify_one();
      };
      heddle::thread t(section);
      section();
      t.join();
      require(count == 2, "both");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 4u) << to_string(m);
    EXPECT_EQ(r.blocked, 0u);
  }
}

TEST(BodyWait, AWaitCannotHaveAReleaseOrder) {
  for (const auto order : {std::memory_order_release, std::memory_order_acq_rel}) {
    const result r = check([order] {
      const heddle::atomic<int> x{0};
      x.wait(1, order);
    });
    EXPECT_EQ(r.verdict, verdict_kind::misuse);
    EXPECT_TRUE(contains(r.message, "an atomic load cannot have the order")) << r.message;
    EXPECT_TRUE(contains(r.where, "body_wait_test.cpp")) << r.where;
  }
}

TEST(BodyWait, OutsideABodyOnlyAWaitForNothingReturns) {
  heddle::atomic<int> x{0};
  x.wait(1);
  x.notify_one();
  x.notify_all();
  EXPECT_THROW(x.wait(0), heddle::usage_error);
  const heddle::atomic_flag flag;
  EXPECT_THROW(flag.wait(false), heddle::usage_error);
}

TEST(BodyWait, TheReportTellsOfWaitAndNotify) {
  const result r = check([] {
    heddle::atomic<int> x{0};
    heddle::name(x, "x");
    heddle::thread t([&] {
      x.store(1);
      x.notify_one();
    });
    x.wait(0);
    t.join();
    x.wait(1);
  });
  EXPECT_NE(r.verdict, verdict_kind::verified);
  const std::string text = r.report();
  EXPECT_TRUE(contains(text, "x.notify_one")) << text;
  EXPECT_TRUE(contains(text, "x.wait")) << text;
}

// --- weak compare_exchange

TEST(BodyWeakExchange, FailsForNoReasonOnlyIfAsked) {
  const auto body = [] {
    heddle::atomic<int> x{5};
    int expected = 5;
    if (!x.compare_exchange_weak(expected, 6)) {
      heddle::reached("failed");
      require(expected == 5 && x == 5, "nothing changed");
      require(x.compare_exchange_strong(expected, 6), "strong");
    }
    require(x == 6, "done");
  };
  for (const model m : models) {
    const result off = check({.memory_model = m}, body);
    EXPECT_TRUE(off.is_verified()) << off.report();
    EXPECT_EQ(off.executions, 1u);
    EXPECT_TRUE(off.reached.empty());
    const result on = check({.memory_model = m, .spurious = {{.weak_cas = 1}}}, body);
    EXPECT_TRUE(on.is_verified()) << on.report();
    EXPECT_EQ(on.executions, 2u);
    EXPECT_EQ(on.blocked, 0u);
    EXPECT_EQ(on.reached.size(), 1u);
  }
}

TEST(BodyWeakExchange, FailsAsOftenAsAskedInALoop) {
  for (std::uint32_t failures = 0; failures < 4; ++failures) {
    const result r = check({.spurious = {{.weak_cas = failures}}}, [] {
      heddle::atomic<int> x{0};
      int expected = 0;
      while (!x.compare_exchange_weak(expected, 1, std::memory_order_relaxed)) {
      }
      require(x == 1, "in the end");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, failures + 1);
    EXPECT_EQ(r.blocked, 0u);
  }
}

TEST(BodyWeakExchange, AFailureForAReasonIsNotCountedTwice) {
  // the exchange sees 0: succeeds, or fails for no reason; or sees 1: fails
  const result r = check({.spurious = {{.weak_cas = 1}}}, [] {
    heddle::atomic<int> x{0};
    heddle::thread t([&] { x.store(1, std::memory_order_relaxed); });
    int expected = 0;
    if (x.compare_exchange_weak(expected, 2, std::memory_order_relaxed)) {
      heddle::reached("succeeded");
    } else if (expected == 0) {
      heddle::reached("failed for no reason");
    } else {
      heddle::reached("failed");
    }
    t.join();
    require(true, "end");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.reached.size(), 3u);
  EXPECT_EQ(r.executions, 3u);
  EXPECT_EQ(r.blocked, 0u);
}

TEST(BodyWeakExchange, ATryThatTakesItForStrongIsFound) {
  const auto body = [] {
    heddle::atomic<int> x{0};
    int expected = 0;
    require(x.compare_exchange_weak(expected, 1), "the only thread fails");
  };
  EXPECT_TRUE(check(body).is_verified());
  const result r = check({.spurious = {{.weak_cas = 1}}}, body);
  EXPECT_EQ(r.verdict, verdict_kind::assertion);
  EXPECT_TRUE(contains(r.report(), "fails spuriously")) << r.report();
}

}  // namespace
