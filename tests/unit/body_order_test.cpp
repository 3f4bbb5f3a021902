// Memory orders inside a body: flags, fences, and the failure order of compare_exchange.
#include <gtest/gtest.h>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"
#include "heddle/scenario.hpp"

namespace {

using heddle::check;
using heddle::model;
using heddle::require;
using heddle::verdict_kind;
using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

TEST(BodyFlag, OneOfTwoSetsIt) {
  const heddle::result r = check([] {
    heddle::atomic_flag flag;
    heddle::atomic<int> winners{0};
    const auto take = [&] {
      if (!flag.test_and_set(memory_order_acquire)) winners.fetch_add(1);
    };
    heddle::thread t(take);
    take();
    t.join();
    require(winners == 1 && flag.test(), "one takes it");
    flag.clear();
    require(!flag.test(), "cleared");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

TEST(BodyFlag, ALockOfAnAwaitedFlagExcludes) {
  const heddle::result r = check([] {
    heddle::atomic_flag taken;
    heddle::var<int> count{0};
    const auto add = [&] {
      while (taken.test_and_set(memory_order_acquire))
        heddle::await(
            taken, [](bool set) { return !set; }, memory_order_relaxed);
      ++count;
      taken.clear(memory_order_release);
    };
    heddle::thread t(add);
    add();
    t.join();
    require(count == 2, "both");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

// Message passing: the verdict under each model.
verdict_kind message_passing(model memory_model, memory_order store, memory_order load,
                             memory_order fence_before_store, memory_order fence_after_load) {
  return check({.memory_model = memory_model},
               [=] {
                 heddle::atomic<int> data{0};
                 heddle::atomic<int> ready{0};
                 heddle::thread t([&] {
                   data.store(1, memory_order_relaxed);
                   heddle::atomic_thread_fence(fence_before_store);
                   ready.store(1, store);
                 });
                 if (ready.load(load) == 1) {
                   heddle::atomic_thread_fence(fence_after_load);
                   require(data.load(memory_order_relaxed) == 1, "stale");
                 }
                 t.join();
               })
      .verdict;
}

TEST(BodyFence, ReleaseAndAcquireFencesMakeRelaxedAccessesSynchronise) {
  constexpr auto none = memory_order_relaxed;
  for (model m : {model::rc11, model::tso, model::sc}) {
    const auto broken = m == model::rc11 ? verdict_kind::assertion : verdict_kind::verified;
    EXPECT_EQ(message_passing(m, none, none, none, none), broken);
    EXPECT_EQ(message_passing(m, none, none, memory_order_release, none), broken);
    EXPECT_EQ(message_passing(m, none, none, none, memory_order_acquire), broken);
    EXPECT_EQ(message_passing(m, none, none, memory_order_acquire, memory_order_release), broken);
    EXPECT_EQ(message_passing(m, memory_order_release, none, none, none), broken);
    for (memory_order release : {memory_order_release, memory_order_acq_rel, memory_order_seq_cst})
      for (memory_order acquire :
           {memory_order_acquire, memory_order_acq_rel, memory_order_seq_cst}) {
        EXPECT_EQ(message_passing(m, none, none, release, acquire), verdict_kind::verified);
      }
    EXPECT_EQ(message_passing(m, memory_order_release, none, none, memory_order_acquire),
              verdict_kind::verified);
    EXPECT_EQ(message_passing(m, none, memory_order_acquire, memory_order_release, none),
              verdict_kind::verified);
    EXPECT_EQ(message_passing(m, memory_order_seq_cst, memory_order_seq_cst, none, none),
              verdict_kind::verified);
  }
}

verdict_kind store_buffering(model memory_model, memory_order fence) {
  return check({.memory_model = memory_model},
               [=] {
                 heddle::atomic<int> x{0};
                 heddle::atomic<int> y{0};
                 int a = 0;
                 heddle::thread t([&] {
                   x.store(1, memory_order_relaxed);
                   heddle::atomic_thread_fence(fence);
                   a = y.load(memory_order_relaxed);
                 });
                 y.store(1, memory_order_relaxed);
                 heddle::atomic_thread_fence(fence);
                 const int b = x.load(memory_order_relaxed);
                 t.join();
                 require(a == 1 || b == 1, "both read zero");
               })
      .verdict;
}

TEST(BodyFence, OnlySeqCstFencesForbidStoreBuffering) {
  for (model m : {model::rc11, model::tso, model::sc}) {
    const auto broken = m == model::sc ? verdict_kind::verified : verdict_kind::assertion;
    EXPECT_EQ(store_buffering(m, memory_order_relaxed), broken);
    EXPECT_EQ(store_buffering(m, memory_order_acq_rel), broken);
    EXPECT_EQ(store_buffering(m, memory_order_seq_cst), verdict_kind::verified);
  }
}

// --- compare_exchange

TEST(BodyCompareExchange, AFailureLoadsTheValueItSaw) {
  const heddle::result r = check([] {
    heddle::atomic<int> x{0};
    heddle::thread t([&] { x.store(3, memory_order_relaxed); });
    int expected = 1;
    require(!x.compare_exchange_strong(expected, 2), "never 1");
    require(expected == 0 || expected == 3, "one of the values");
    heddle::reached(expected == 0 ? "old" : "new");
    t.join();
    require(x == 3, "a failure writes nothing");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
  EXPECT_EQ(r.reached.size(), 2u);
}

// The reader fails, and then looks at what the writer did before.
verdict_kind after_a_failure(memory_order success, memory_order failure) {
  return check([=] {
           heddle::atomic<int> data{0};
           heddle::atomic<int> ready{0};
           heddle::thread t([&] {
             data.store(1, memory_order_relaxed);
             ready.store(1, memory_order_release);
           });
           int expected = 2;
           if (!ready.compare_exchange_strong(expected, 3, success, failure) && expected == 1) {
             require(data.load(memory_order_relaxed) == 1, "stale");
           }
           t.join();
         })
      .verdict;
}

TEST(BodyCompareExchange, AFailureHasTheFailureOrder) {
  EXPECT_EQ(after_a_failure(memory_order_relaxed, memory_order_acquire), verdict_kind::verified);
  EXPECT_EQ(after_a_failure(memory_order_release, memory_order_acquire), verdict_kind::verified);
  EXPECT_EQ(after_a_failure(memory_order_relaxed, memory_order_seq_cst), verdict_kind::verified);
  EXPECT_EQ(after_a_failure(memory_order_acquire, memory_order_relaxed), verdict_kind::assertion);
  EXPECT_EQ(after_a_failure(memory_order_acq_rel, memory_order_relaxed), verdict_kind::assertion);
  EXPECT_EQ(after_a_failure(memory_order_seq_cst, memory_order_relaxed), verdict_kind::assertion);
  EXPECT_EQ(after_a_failure(memory_order_relaxed, memory_order_relaxed), verdict_kind::assertion);
}

verdict_kind after_a_failure_with_one_order(memory_order order) {
  return check([=] {
           heddle::atomic<int> data{0};
           heddle::atomic<int> ready{0};
           heddle::thread t([&] {
             data.store(1, memory_order_relaxed);
             ready.store(1, memory_order_release);
           });
           int expected = 2;
           if (!ready.compare_exchange_weak(expected, 3, order) && expected == 1) {
             require(data.load(memory_order_relaxed) == 1, "stale");
           }
           t.join();
         })
      .verdict;
}

TEST(BodyCompareExchange, WithOneOrderAFailureHasItWithoutRelease) {
  EXPECT_EQ(after_a_failure_with_one_order(memory_order_acq_rel), verdict_kind::verified);
  EXPECT_EQ(after_a_failure_with_one_order(memory_order_acquire), verdict_kind::verified);
  EXPECT_EQ(after_a_failure_with_one_order(memory_order_seq_cst), verdict_kind::verified);
  EXPECT_EQ(after_a_failure_with_one_order(memory_order_release), verdict_kind::assertion);
  EXPECT_EQ(after_a_failure_with_one_order(memory_order_relaxed), verdict_kind::assertion);
}

// A success reads with the success order, and goes on a release sequence.
TEST(BodyCompareExchange, ASuccessHasTheSuccessOrder) {
  const auto verdict = [](memory_order success, memory_order failure) {
    return check([=] {
             heddle::atomic<int> data{0};
             heddle::atomic<int> ready{0};
             heddle::thread t([&] {
               data.store(1, memory_order_relaxed);
               ready.store(1, memory_order_release);
             });
             int expected = 1;
             if (ready.compare_exchange_strong(expected, 2, success, failure)) {
               require(data.load(memory_order_relaxed) == 1, "stale");
             }
             t.join();
           })
        .verdict;
  };
  EXPECT_EQ(verdict(memory_order_acquire, memory_order_relaxed), verdict_kind::verified);
  EXPECT_EQ(verdict(memory_order_relaxed, memory_order_acquire), verdict_kind::assertion);
}

TEST(BodyCompareExchange, ARelaxedOneGoesOnTheReleaseSequence) {
  const heddle::result r = check([] {
    heddle::var<int> data{0};
    heddle::atomic<int> ready{0};
    heddle::thread a([&] {
      data = 1;
      ready.store(1, memory_order_release);
    });
    heddle::thread b([&] {
      int expected = 1;
      ready.compare_exchange_strong(expected, 2, memory_order_relaxed);
    });
    if (ready.load(memory_order_acquire) == 2) require(data == 1, "synchronised");
    a.join();
    b.join();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyCompareExchange, TheWeakOneDoesNotFailSpuriously) {
  const heddle::result r = check([] {
    heddle::atomic<int> x{0};
    int expected = 0;
    require(x.compare_exchange_weak(expected, 1), "equal");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 1u);
  EXPECT_NE(r.summary().find("no spurious failures"), std::string::npos);
}

}  // namespace
