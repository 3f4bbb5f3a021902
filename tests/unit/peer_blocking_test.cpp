// The tests of a peer, the Rust library loom: condvar.rs, mutex.rs.
//
// deadlock.rs is in verdict_violation_test.cpp: two_mutexes_deadlock
// (AbBaNamesBothLocksAndTheirOwners).
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>

#include "tests/unit/peer_checks.hpp"
#include "tests/unit/peer_counted.hpp"

namespace {

using heddle::atomic;
using heddle::require;
using heddle::thread;
using heddle::var;
using peer::counted;
using peer::expect_passes;

// --- condvar.rs ----------------------------------------------------------------------------------

// The setter stores outside of the mutex, and goes through it before it notifies.
struct gate {
  atomic<int> number{0};
  heddle::mutex mutex;
  heddle::condition_variable changed;

  void wait() {
    heddle::unique_lock lock(mutex);
    while (number.load() != 1) changed.wait(lock);
  }
  void store() {
    number.store(1);
    const heddle::lock_guard through(mutex);
  }
};

// notify_one
TEST(PeerCondition, ASetterThatGoesThroughTheMutexReachesTheWaiter) {
  // the waiter comes last; first, and has seen the store; first, has not, and is woken; for each,
  // either lets go of the gate last
  expect_passes(6, [] {
    counted<gate> g{std::memory_order_release};
    thread setter([g] {
      g->store();
      g->changed.notify_one();
    });
    setter.detach();
    g->wait();
    require(g->number.load() == 1, "not set");
  });
}

// notify_all
TEST(PeerCondition, ASetterThatGoesThroughTheMutexReachesAllWaiters) {
  for (const heddle::model m : peer::models) {
    const heddle::result r = heddle::check({.memory_model = m}, [] {
      gate g;
      std::array<thread, 2> waiters{thread([&g] { g.wait(); }), thread([&g] { g.wait(); })};
      thread setter([&g] {
        g.store();
        g.changed.notify_all();
      });
      setter.join();
      for (thread& each : waiters) each.join();
      require(g.number.load() == 1, "not set");
    });
    EXPECT_VERIFIED(r);
    EXPECT_EQ(r.blocked, 0u) << to_string(m);
  }
}

// --- mutex.rs ------------------------------------------------------------------------------------

// mutex_enforces_mutual_exclusion
TEST(PeerMutex, NobodyComesBetweenTheTwoCounts) {
  expect_passes(2, [] {
    heddle::mutex mutex;
    var<int> locked{0};
    atomic<int> counted{0};
    const auto add = [&] {
      const heddle::lock_guard guard(mutex);
      require(counted.fetch_add(1) == locked, "somebody else is inside");
      ++locked;
    };
    thread one(add);
    thread two(add);
    one.join();
    two.join();
    require(locked == 2 && counted.load() == 2, "an addition was lost");
  });
}

// mutex_establishes_seq_cst
TEST(PeerMutex, WhatIsWrittenBeforeTheUnlockIsThereAfterTheLock) {
  // either locks first, and either lets go of the mutex last
  expect_passes(4, [] {
    struct shared {
      var<int> cell{0};
      heddle::mutex mutex;
      var<bool> flag{false};
    };
    counted<shared> data{std::memory_order_release};
    thread writer([data] {
      data->cell = 1;
      const heddle::lock_guard guard(data->mutex);
      data->flag = true;
    });
    writer.detach();
    bool is_written = false;
    {
      const heddle::lock_guard guard(data->mutex);
      is_written = data->flag;
    }
    if (is_written) require(data->cell == 1, "stale");
  });
}

// mutex_into_inner
TEST(PeerMutex, WhatItGuardedNeedsNoLockAfterTheJoins) {
  expect_passes(2, [] {
    var<int> sum{0};
    {
      heddle::mutex mutex;
      const auto add = [&] {
        const heddle::lock_guard guard(mutex);
        ++sum;
      };
      thread one(add);
      thread two(add);
      one.join();
      two.join();
    }
    require(sum == 2, "an addition was lost");
  });
}

}  // namespace
