// Summing a per-CPU counter while its owners add: seed 000 (catalogue part B).
//
// A sum is no snapshot. With monotone adds and the fold's lock it lies between what had been added
// before it and what had been added after it; with +1 here and -1 there it may be anything.

#include <array>
#include <cstdint>
#include <heddle/atomic.hpp>
#include <heddle/check_functions.hpp>
#include <heddle/scenario.hpp>
#include <heddle/thread.hpp>
#include <vector>

#include "models/percpu_counter.hpp"
#include "models/split_counter.hpp"
#include "models/torn_count.hpp"

namespace {

using heddle::parameter;
using heddle::parameters;
using heddle::scenario;
using heddle::thread;
using heddle::verified;
using heddle::violation;
using models::exit_order;
using models::fold;
using models::percpu_counter;
using models::scan;
using models::split_counter;
using models::summing;

const parameter two_threads{.name = "threads", .value = 2, .min = 1, .max = models::max_cpus};
const parameter adds_each{.name = "adds", .value = 2, .min = 1, .max = 16};
const parameter one_add{.name = "adds", .value = 1, .min = 1, .max = 16};
const parameter batch_of_two{.name = "batch", .value = 2, .min = 1, .max = 1000};
const parameter batch_of_32{.name = "batch", .value = 32, .min = 1, .max = 1000};

constexpr const char* out_of_range = "the sum is outside what the counter can have been";

// Owners add, this thread sums. The adds that happen before the sum are the least it may show.
template <fold Fold = fold::locked>
void sum_while_adding(const parameters& with, summing how) {
  const int cpus = with["threads"];
  const int adds = with["adds"];
  percpu_counter<Fold> counter{cpus, with["batch"]};
  std::array<heddle::atomic<int>, models::max_cpus> added{};  // ghost: so many are complete
  std::vector<thread> adders;
  for (int cpu = 0; cpu < cpus; ++cpu) {
    const auto add_up = [&counter, &mine = added[static_cast<std::size_t>(cpu)], cpu, adds] {
      for (int done = 1; done <= adds; ++done) {
        counter.add(cpu, 1);
        mine.store(done, std::memory_order_release);
      }
    };
    adders.push_back(thread{add_up});
  }

  int least = 0;
  for (int cpu = 0; cpu < cpus; ++cpu) {
    least += added[static_cast<std::size_t>(cpu)].load(std::memory_order_acquire);
  }
  const int sum = counter.sum(how);
  heddle::require(least <= sum && sum <= cpus * adds, out_of_range);

  for (thread& adder : adders) adder.join();
}

// lib/percpu_counter.c.
const scenario locked{
    .name = "percpu_sum.locked",
    .id = "B-sum-locked-inc",
    .expect = verified,
    .because = "no fold comes between, so each slot is read between its start and its end",
    .parameters = {two_threads, adds_each, batch_of_two},
    .body = [](const parameters& with) { sum_while_adding(with, summing::locked); },
};

const scenario count_then_slots{
    .name = "percpu_sum.count_then_slots",
    .id = "B-sum-nolock-cntfirst",
    .expect = violation(out_of_range),
    .because = "a fold between the two reads hides a batch",
    .parameters = {two_threads, adds_each, batch_of_two},
    .body = [](const parameters& with) { sum_while_adding(with, summing::count_then_slots); },
};

const scenario slots_then_count{
    .name = "percpu_sum.slots_then_count",
    .id = "B-sum-nolock-localsfirst",
    .expect = violation(out_of_range),
    .because = "what was seen in a slot is seen again in the count it was folded into",
    .parameters = {two_threads, adds_each, batch_of_two},
    .body = [](const parameters& with) { sum_while_adding(with, summing::slots_then_count); },
};

// The atomic64 idea of 2011; Heo: "this could cause deviation in __percpu_counter_sum".
const scenario unlocked_fold{
    .name = "percpu_sum.unlocked_fold",
    .id = "B-fold-unlocked",
    .expect = violation(out_of_range),
    .because = "the sum comes between the two steps of a fold",
    .parameters = {two_threads, adds_each, batch_of_two},
    .body = [](const parameters& with) { sum_while_adding<fold::unlocked>(with, summing::locked); },
};

// "racy and wrong" (revert 71c5576fbd80): seed 001's read and set of zero, once for each CPU.
const scenario sum_and_set{
    .name = "percpu_sum.sum_and_set",
    .id = "B-sum-and-set",
    .expect = violation("the counter has drifted"),
    .because = "an owner's add between the read of its slot and the set of zero is erased",
    .parameters = {one_add, batch_of_32},
    .body =
        [](const parameters& with) {
          percpu_counter counter{1, with["batch"]};
          const auto run_owner = [&] {
            for (int i = 0; i < with["adds"]; ++i) counter.add(0, 1);
          };
          thread owner{run_owner};
          counter.sum_and_set();
          owner.join();
          heddle::require(counter.sum() == with["adds"], "the counter has drifted");
        },
};

// --- phantoms: values that the counter never had -------------------------------------------------

// A transaction begun on CPU 1 rolls: its successor begins on CPU 0, then it ends on CPU 1. So one
// is active at every point of its program order.
template <class Counter>
void sum_while_rolling(Counter& active) {
  active.add(1, +1);
  const auto run_transaction = [&] {
    active.add(0, +1);
    active.add(1, -1);
  };
  thread transaction{run_transaction};
  heddle::require(active.sum() > 0, "no transaction is active, says the sum");
  transaction.join();
}

// The quiesce test of seed 000: percpu_counter_sum(&mp->m_active_trans) > 0.
const scenario phantom_zero{
    .name = "percpu_sum.phantom_zero",
    .id = "B-phantom-zero-percpu",
    .expect = violation("no transaction is active, says the sum"),
    .because = "CPU 0 is read before the new +1, CPU 1 after the -1",
    .parameters = {batch_of_32},
    .body =
        [](const parameters& with) {
          percpu_counter active{2, with["batch"]};
          sum_while_rolling(active);
        },
};

// m_active_trans before seed 000.
const scenario phantom_zero_atomic{
    .name = "percpu_sum.phantom_zero_atomic",
    .id = "B-phantom-zero-atomic",
    .expect = verified,
    .because = "in one location the increment precedes the decrement",
    .body =
        [](const parameters&) {
          models::shared_counter active;
          sum_while_rolling(active);
        },
};

// ASSERTs like the ones in xfs_mod_ifree: allocated on one CPU, freed on another.
const scenario phantom_negative{
    .name = "percpu_sum.phantom_negative",
    .id = "B-phantom-negative",
    .expect = violation("the sum is negative"),
    .because = "the -1 on CPU 1 is seen, the +1 before it on CPU 0 is not",
    .parameters = {batch_of_32},
    .body =
        [](const parameters& with) {
          percpu_counter in_use{2, with["batch"]};
          const auto run_owner = [&] {
            in_use.add(0, +1);
            in_use.add(1, -1);
          };
          thread owner{run_owner};
          heddle::require(in_use.sum() >= 0, "the sum is negative");
          owner.join();
        },
};

// --- the sound repair: entries and exits apart ---------------------------------------------------

void split_while_rolling(scan how, exit_order publish, std::memory_order scan_order) {
  split_counter active{2, how, publish, scan_order};
  active.enter(1);
  const auto run_transaction = [&] {
    active.enter(0);
    active.leave(1);
  };
  thread transaction{run_transaction};
  heddle::require(!active.was_idle(), "no transaction was active, says the counter");
  transaction.join();
}

// SRCU's rule without its barriers; enough where stores and loads keep their order.
const scenario split_exits_then_entries{
    .name = "percpu_sum.split_exits_then_entries",
    .id = "B-split-outs-then-ins",
    .expect = {.sc = verified,
               .tso = verified,
               .rc11 = violation("no transaction was active, says the counter")},
    .because = "an exit may be seen before the entry that precedes it",
    .body =
        [](const parameters&) {
          split_while_rolling(scan::exits_then_entries, exit_order::relaxed,
                              std::memory_order_relaxed);
        },
};

// The catalogue's steps: smp_wmb between entry and exit, but the reader orders nothing. PSO keeps
// loads in order, so it passed there.
const scenario split_write_fence{
    .name = "percpu_sum.split_write_fence",
    .id = "B-split-outs-then-ins-wmb",
    .expect = {.sc = verified,
               .tso = verified,
               .rc11 = violation("no transaction was active, says the counter")},
    .because = "the reader may still load the entries before the exits",
    .body =
        [](const parameters&) {
          split_while_rolling(scan::exits_then_entries, exit_order::write_fence,
                              std::memory_order_relaxed);
        },
};

// The technique: ordered on both sides.
const scenario split_write_fence_acquire{
    .name = "percpu_sum.split_write_fence_acquire",
    .id = "B-split-outs-then-ins-wmb",
    .expect = verified,
    .because = "an exit that is seen brings its entry with it",
    .body =
        [](const parameters&) {
          split_while_rolling(scan::exits_then_entries, exit_order::write_fence,
                              std::memory_order_acquire);
        },
};

// With a release store for the fence.
const scenario split_release_acquire{
    .name = "percpu_sum.split_release_acquire",
    .id = "B-split-outs-then-ins-wmb",
    .expect = verified,
    .because = "an exit that is seen brings its entry with it",
    .body =
        [](const parameters&) {
          split_while_rolling(scan::exits_then_entries, exit_order::release,
                              std::memory_order_acquire);
        },
};

// With all orders, but read the wrong way round.
const scenario split_entries_then_exits{
    .name = "percpu_sum.split_entries_then_exits",
    .id = "B-split-ins-then-outs",
    .expect = violation("no transaction was active, says the counter"),
    .because = "an exit is counted whose entry came after the entries were read",
    .body =
        [](const parameters&) {
          split_while_rolling(scan::entries_then_exits, exit_order::release,
                              std::memory_order_acquire);
        },
};

// --- the count itself, on 32 bits ----------------------------------------------------------------

const scenario torn_count{
    .name = "percpu_sum.torn_count",
    .id = "B-torn64",
    .expect = violation("the reader has halves of two counts"),
    .because = "the low half is from after the store, the high half from before it",
    .body =
        [](const parameters&) {
          models::torn_count count{-1};
          thread writer{[&] { count.store(0); }};
          const std::int64_t seen = count.load();
          heddle::require(seen == -1 || seen == 0, "the reader has halves of two counts");
          writer.join();
        },
};

}  // namespace
