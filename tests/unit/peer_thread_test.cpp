// The tests of a peer, the Rust library loom: thread_api.rs, thread_local.rs, yield.rs,
// double_panic_in_drop.rs.
//
// Elsewhere: of thread_api.rs threads_have_unique_ids in body_thread_test.cpp
// (IdsAreDistinctAndTheSameOnBothSides); of thread_local.rs thread_local and drop in
// body_thread_local_test.cpp (StartsAsDeclaredInEveryThreadAndExecution,
// IsDestroyedAtTheEndOfItsThread); yield_completes in body_spin_test.cpp
// (AYieldInTheLoopChangesNothing). Not anywhere: thread_names, for std's threads have none;
// park_unpark_std, in which the peer's model has no part.
#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>
#include <memory>
#include <utility>
#include <vector>

#include "models/park.hpp"
#include "tests/unit/peer_checks.hpp"

namespace {

using heddle::atomic;
using heddle::check;
using heddle::require;
using heddle::thread;
using heddle::verdict_kind;
using peer::expect_passes;

// --- thread_api.rs -------------------------------------------------------------------------------

// initial_thread
TEST(PeerThread, TheFirstThreadHasAnIdAndItStaysTheSame) {
  expect_passes(1, [] {
    const thread::id first = heddle::this_thread::get_id();
    require(first != thread::id{}, "no id");
    require(first == heddle::this_thread::get_id(), "another id");
  });
}

// many_joins
TEST(PeerThread, ManyAreJoinedInTheOrderOfTheirStart) {
  // the orders in which the three lock
  expect_passes(6, [] {
    heddle::mutex mutex;
    std::vector<thread> all;
    heddle::var<int> passed{0};
    for (int i = 0; i < 3; ++i)
      all.emplace_back([&] {
        const heddle::lock_guard guard(mutex);
        ++passed;
      });
    for (thread& each : all) each.join();
    require(passed == 3, "joined before its end");
  });
}

// alt_join
TEST(PeerThread, OneIsJoinedByAnotherThatGetsItThroughAMutex) {
  expect_passes(1, [] {
    heddle::mutex mutex;
    thread handed;
    heddle::var<int> done{0};
    heddle::unique_lock lock(mutex);
    thread joiner([&] {
      thread mine;
      {
        const heddle::lock_guard guard(mutex);
        mine = std::move(handed);
      }
      mine.join();
      require(done == 1, "joined before its end");
    });
    handed = thread([&] { done = 1; });
    lock.unlock();
    joiner.join();
    require(done == 1, "not ordered by the second join");
  });
}

// Uses all of an array on the stack, whatever the optimiser thinks of it.
template <std::size_t Bytes>
[[gnu::noinline]] bool fill_stack() {
  char bytes[Bytes];
  volatile char* const seen = bytes;
  for (std::size_t i = 0; i < Bytes; i += 512) seen[i] = static_cast<char>(i / 512);
  for (std::size_t i = 0; i < Bytes; i += 512)
    if (seen[i] != static_cast<char>(i / 512)) return false;
  return true;
}

// thread_stack_size
TEST(PeerThread, ALargeArrayNeedsALargeStack) {
  const auto body = [] {
    thread t([] { require(fill_stack<512 * 1024>(), "overwritten"); });
    t.join();
  };
  const heddle::result large = check({.stack_size = std::size_t{1} << 20}, body);
  EXPECT_TRUE(large.is_verified()) << large.report();
  const heddle::result small = check(body);
  EXPECT_VIOLATION(small, verdict_kind::crash);
}

// park_unpark_loom
TEST(PeerThread, AnUnparkBeforeTheParkIsNotLost) {
  expect_passes(1, [] {
    models::parker<> self;
    self.unpark();
    self.park();
    require(true, "it did not block");
  });
}

// park_unpark_loom, with two threads
TEST(PeerThread, AnUnparkEndsAPark) {
  for (const heddle::model m : peer::models) {
    const heddle::result r = check({.memory_model = m}, [] {
      models::parker<> sleeper;
      heddle::var<int> data{0};
      thread other([&] {
        data = 1;
        sleeper.unpark();
      });
      sleeper.park();
      require(data == 1, "parked before the unpark");
      other.join();
    });
    EXPECT_VERIFIED(r);
    EXPECT_EQ(r.blocked, 0u) << to_string(m);
  }
}

// --- thread_local.rs -----------------------------------------------------------------------------

thread_local int inner = 2;
thread_local int outer = inner + 1;

// nested_with
TEST(PeerThreadLocal, OneIsInitialisedFromAnother) {
  expect_passes(2, [] {
    atomic<int> sum{0};
    const auto use = [&sum] {
      require(outer == 3 && inner == 2, "another thread's");
      sum.fetch_add(outer);
      inner = outer = 7;
    };
    thread one(use);
    thread two(use);
    one.join();
    two.join();
    require(sum.load() == 6, "both");
  });
}

// --- double_panic_in_drop.rs ---------------------------------------------------------------------

// double_panic_at_branch_max, with loads in place of the yields, which are no steps here
TEST(PeerLimit, AnObjectThatLivesAtTheLimitMayHaveADestructorWithOperations) {
  struct noted {
    explicit noted(atomic<int>& where) : alive{&where} { alive->fetch_add(1); }
    ~noted() { require(alive->fetch_sub(1) == 1, "destroyed twice"); }
    atomic<int>* alive;
  };
  const heddle::result r = check({.max_steps = 2}, [] {
    atomic<int> count{0};
    const auto held = std::make_unique<noted>(count);
    for (int i = 0; i < 3; ++i) (void)count.load();
  });
  EXPECT_EQ(r.verdict, verdict_kind::incomplete) << r.report();
  EXPECT_NE(r.bound.find("max_steps"), std::string::npos) << r.bound;
}

}  // namespace
