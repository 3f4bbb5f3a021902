// The techniques on real threads: the correct ones must keep their invariant, and of the broken
// ones it is told how seldom real threads find what the checker always finds (told, not asserted).
//
// HEDDLE_STRESS_ROUNDS sets how often each pair of threads meets; 20,000.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "models/block_reservation.hpp"
#include "models/cil_space.hpp"
#include "models/combining_backlog.hpp"
#include "models/deferred_work.hpp"
#include "models/percpu_counter.hpp"
#include "models/quiesce_gate.hpp"
#include "models/shrinker_backlog.hpp"
#include "models/split_counter.hpp"

namespace {

using models::adder;
using models::drain;

int rounds() {
  const char* given = std::getenv("HEDDLE_STRESS_ROUNDS");
  const int n = given == nullptr ? 20'000 : std::atoi(given);
  return n > 0 ? n : 1;
}

// Some instructions, so that the two threads do not always meet at the same place.
void dawdle(int turns) {
  for (int i = 0; i < turns; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
}

// Two threads run first() and second() of a new Race at the same time, again and again; how often
// holds() said no when both were done.
template <class Race>
int violations(int times) {
  std::unique_ptr<Race> race;
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  const auto wait_for = [](const std::atomic<int>& counter, int value) {
    for (int spins = 0; counter.load(std::memory_order_acquire) < value; ++spins)
      if (spins > 1000) std::this_thread::yield();
  };
  std::thread other([&] {
    for (int round = 1; round <= times; ++round) {
      wait_for(begun, round);
      dawdle(round % 61);
      race->second();
      ended.store(round, std::memory_order_release);
    }
  });
  int found = 0;
  for (int round = 1; round <= times; ++round) {
    race = std::make_unique<Race>();
    begun.store(round, std::memory_order_release);
    dawdle(round % 397);
    race->first();
    wait_for(ended, round);
    found += race->holds() ? 0 : 1;
  }
  other.join();
  return found;
}

// --- the races -----------------------------------------------------------------------------------

template <drain Drain, adder Adder = adder::fetch_add>
struct drain_and_add {
  models::shrinker_backlog<Drain, Adder> backlog{5};
  int taken = 0;
  void first() { taken = backlog.take_alone(); }
  void second() { backlog.defer(2); }
  bool holds() { return taken + backlog.deferred() == 5 + 2; }
};

template <drain Drain>
struct two_drains {
  models::shrinker_backlog<Drain> backlog{5};
  int taken_first = 0;
  int taken_second = 0;
  void first() { taken_first = backlog.take(); }
  void second() { taken_second = backlog.take(); }
  bool holds() {
    return backlog.deferred() >= 0 && taken_first + taken_second + backlog.deferred() == 5;
  }
};

template <models::put_back PutBack>
struct two_put_back {
  models::deferred_work<PutBack> work{5, 3};
  int done_first = 0;
  int done_second = 0;
  void first() { done_first = work.shrink(4); }
  void second() { done_second = work.shrink(4); }
  bool holds() { return done_first + done_second + work.deferred() == 5 + 4 + 4; }
};

template <adder Adder>
struct use_and_aggregate {
  models::cil_space<Adder> space{5};
  void first() { space.use(3); }
  void second() { space.aggregate(); }
  bool holds() { return space.total() + space.in_slot() == 5 + 3; }
};

template <bool Fences>
struct two_combine {
  models::combining_backlog backlog{{.fence_after_publish = Fences, .fence_after_unlock = Fences}};
  void first() { backlog.add(1); }
  void second() { backlog.add(1); }
  bool holds() { return backlog.pending() == 0; }
};

template <models::slot_add Into>
struct add_and_be_interrupted {
  models::percpu_counter<models::fold::locked, Into> counter{1, 32};
  void first() { counter.add(0, 1); }
  void second() { counter.add_in_interrupt(0, 1); }
  bool holds() { return counter.sum() == 2; }
};

template <models::fold Fold>
struct sum_and_add {
  models::percpu_counter<Fold> counter{2, 2};
  int sum = 0;
  void first() {
    for (int i = 0; i < 4; ++i) counter.add(0, 1);
  }
  void second() { sum = counter.sum(); }
  bool holds() { return 0 <= sum && sum <= 4 && counter.sum() == 4; }
};

struct sum_and_set {
  models::percpu_counter<> counter{1, 32};
  void first() { counter.add(0, 1); }
  void second() { counter.sum_and_set(); }
  bool holds() { return counter.sum() == 1; }
};

// A transaction is active throughout: its successor begins before it ends.
struct roll_and_sum {
  roll_and_sum() { active.add(1, +1); }
  models::percpu_counter<> active{2, 32};
  int sum = 0;
  void first() {
    active.add(0, +1);
    active.add(1, -1);
  }
  void second() { sum = active.sum(); }
  bool holds() { return sum > 0; }
};

struct roll_and_split_sum {
  roll_and_split_sum() { active.enter(1); }
  models::split_counter active{2, models::scan::exits_then_entries, models::exit_order::release,
                               std::memory_order_acquire};
  bool idle = false;
  void first() {
    active.enter(0);
    active.leave(1);
  }
  void second() { idle = active.was_idle(); }
  bool holds() { return !idle; }
};

template <models::gate_orders::fence Fence>
struct enter_and_close {
  models::quiesce_gate gate{2, {.after_entry = Fence}};
  bool entered = false;
  bool idle = false;
  void first() { entered = gate.enter(0); }  // and stays inside
  void second() {
    gate.close();
    idle = gate.sum() == 0;
  }
  bool holds() { return !(entered && idle); }
};

template <models::decide How>
struct two_reserve {
  models::block_reservation pool{2, 2, 1, How};
  bool granted_first = false;
  bool granted_second = false;
  void first() { granted_first = pool.reserve(0, 1).granted; }
  void second() { granted_second = pool.reserve(1, 1).granted; }
  bool holds() { return granted_first + granted_second <= 1; }
};

struct two_reserve_atomically {
  models::atomic_reservation pool{1};
  bool granted_first = false;
  bool granted_second = false;
  void first() { granted_first = pool.reserve(1); }
  void second() { granted_second = pool.reserve(1); }
  bool holds() { return granted_first + granted_second == 1; }
};

struct limited_adds {
  models::percpu_counter<> counter{2, 2, 6};
  void first() { counter.limited_add(0, 10, 4, always_locked); }
  void second() { counter.limited_add(1, 10, 2, always_locked); }
  bool holds() { return counter.sum() <= 10; }
  bool always_locked = false;
};
struct limited_adds_locked : limited_adds {
  limited_adds_locked() { always_locked = true; }
};

// --- the tests -----------------------------------------------------------------------------------

template <class Race>
class CorrectTechnique : public testing::Test {};

using correct =
    testing::Types<drain_and_add<drain::exchange>, drain_and_add<drain::compare_exchange_loop>,
                   drain_and_add<drain::compare_exchange_once>, drain_and_add<drain::fetch_sub>,
                   two_drains<drain::exchange>, two_drains<drain::compare_exchange_loop>,
                   two_drains<drain::compare_exchange_once>,
                   two_put_back<models::put_back::fetch_add>, use_and_aggregate<adder::fetch_add>,
                   two_combine<true>, add_and_be_interrupted<models::slot_add::this_cpu_add>,
                   add_and_be_interrupted<models::slot_add::this_cpu_try_cmpxchg>,
                   sum_and_add<models::fold::locked>, roll_and_split_sum,
                   enter_and_close<models::gate_orders::fence::full>,
                   two_reserve<models::decide::by_second_compare>,
                   two_reserve<models::decide::by_compare_after_add>, two_reserve_atomically,
                   limited_adds_locked>;
TYPED_TEST_SUITE(CorrectTechnique, correct);

TYPED_TEST(CorrectTechnique, KeepsItsInvariantOnRealThreads) {
  EXPECT_EQ(violations<TypeParam>(rounds()), 0);
}

int told = 0;

template <class Race>
void tell(const char* scenario) {
  const int found = violations<Race>(rounds());
  std::printf("  %-32s %9d of %d rounds\n", scenario, found, rounds());
  EXPECT_LE(found, rounds());
  ++told;
}

TEST(BrokenTechnique, IsFoundByRealThreadsAsOftenAsThis) {
  std::printf("violations found by real threads; the checker finds each in its first executions\n");
  tell<drain_and_add<drain::read_then_set>>("backlog.read_then_set");
  tell<drain_and_add<drain::compare_exchange_ignored>>("backlog.compare_exchange_ignored");
  tell<drain_and_add<drain::exchange, adder::load_then_store>>("backlog.plain_adder");
  tell<two_drains<drain::read_then_set>>("backlog.read_then_set_no_lock");
  tell<two_drains<drain::fetch_sub>>("backlog.fetch_sub_no_lock");
  tell<two_put_back<models::put_back::store>>("backlog.put_back_by_store");
  tell<use_and_aggregate<adder::load_then_store>>("backlog.slot_plain_owner");
  tell<two_combine<false>>("backlog.combine_recheck");
  tell<add_and_be_interrupted<models::slot_add::load_then_store>>("percpu_add.interrupted_store");
  tell<sum_and_add<models::fold::unlocked>>("percpu_sum.unlocked_fold");
  tell<sum_and_set>("percpu_sum.sum_and_set");
  tell<roll_and_sum>("percpu_sum.phantom_zero");
  tell<enter_and_close<models::gate_orders::fence::none>>("quiesce.gate_no_fence");
  tell<two_reserve<models::decide::by_first_compare>>("reservation.compare_once");
  tell<limited_adds>("percpu_limit.limited_add");
  EXPECT_EQ(told, 15);
}

}  // namespace
