// Adding to a per-CPU counter: what may come between an owner's steps, when a slot is folded, and
// how far off the shared count may be (catalogue part B).

#include <array>
#include <cstdlib>
#include <heddle/atomic.hpp>
#include <heddle/check_functions.hpp>
#include <heddle/scenario.hpp>
#include <heddle/thread.hpp>
#include <vector>

#include "models/percpu_counter.hpp"

namespace {

using heddle::parameter;
using heddle::parameters;
using heddle::scenario;
using heddle::thread;
using heddle::verified;
using heddle::violation;
using models::fold;
using models::percpu_counter;
using models::slot_add;

const parameter two_threads{.name = "threads", .value = 2, .min = 1, .max = models::max_cpus};
const parameter two_adds{.name = "adds", .value = 2, .min = 1, .max = 16};
const parameter three_adds{.name = "adds", .value = 3, .min = 1, .max = 16};
const parameter one_add{.name = "adds", .value = 1, .min = 1, .max = 16};
const parameter batch_of_one{.name = "batch", .value = 1, .min = 1, .max = 1000};
const parameter batch_of_two{.name = "batch", .value = 2, .min = 2, .max = 1000};
const parameter batch_of_32{.name = "batch", .value = 32, .min = 1, .max = 1000};

constexpr const char* drifted = "the counter has drifted";
constexpr const char* overfull = "a slot has reached the batch";
constexpr const char* too_far_off = "the shared count is further off than the slots may hide";

// --- the fold ------------------------------------------------------------------------------------

template <fold How>
void add_alone(const parameters& with) {
  percpu_counter<How> counter{1, with["batch"]};
  for (int i = 0; i < with["adds"]; ++i) counter.add(0, 1);
  heddle::require(counter.sum() == with["adds"], drifted);
}

// d1969a84dd6a (Dickins): the slot loses what it had, the count gets that and the amount.
const scenario fold_subtracts_local{
    .name = "percpu_add.fold_subtracts_local",
    .id = "B-fold-hugh",
    .expect = verified,
    .because = "what leaves the slot is what comes into the count, less the amount",
    .parameters = {three_adds, batch_of_two},
    .body = add_alone<fold::subtracts_local>,
};

// 74e72f894d56, which that repaired. No second thread is needed.
const scenario fold_subtracts_amount{
    .name = "percpu_add.fold_subtracts_amount",
    .id = "B-fold-hugh-bug",
    .expect = violation(drifted),
    .because = "the amount was never in the slot, but is taken out of it",
    .parameters = {three_adds, batch_of_two},
    .body = add_alone<fold::subtracts_local_and_amount>,
};

// --- who else is on the CPU ----------------------------------------------------------------------

// A process and an interrupt on its CPU.
template <slot_add Into>
void add_and_be_interrupted(const parameters& with) {
  percpu_counter<fold::locked, Into> counter{1, with["batch"]};
  const auto run_interrupts = [&] {
    for (int i = 0; i < with["adds"]; ++i) counter.add_in_interrupt(0, 1);
  };
  thread interrupts{run_interrupts};
  for (int i = 0; i < with["adds"]; ++i) counter.add(0, 1);
  interrupts.join();
  heddle::require(counter.sum() == 2 * with["adds"], drifted);
}

const scenario interrupted_store{
    .name = "percpu_add.interrupted_store",
    .id = "B-irq-nonatomic",
    .expect = violation(drifted),
    .because = "an interrupt's add between the load and the store is overwritten",
    .parameters = {one_add, batch_of_32},
    .body = add_and_be_interrupted<slot_add::load_then_store>,
};

const scenario interrupted_instruction{
    .name = "percpu_add.interrupted_instruction",
    .id = "B-irq-this_cpu_add",
    .expect = verified,
    .because = "the interrupt comes before the one instruction or after it",
    .parameters = {one_add, batch_of_32},
    .body = add_and_be_interrupted<slot_add::this_cpu_add>,
};

// Without preempt_disable: the second thread runs on the CPU between the first one's steps.
const scenario preempted{
    .name = "percpu_add.preempted",
    .id = "B-preempt-migrate-plain",
    .expect = violation(drifted),
    .because = "both load the slot before either stores it",
    .parameters = {one_add, batch_of_32},
    .body =
        [](const parameters& with) {
          percpu_counter counter{1, with["batch"]};
          const auto add_up = [&] {
            for (int i = 0; i < with["adds"]; ++i) counter.add(0, 1);
          };
          thread other{add_up};
          add_up();
          other.join();
          heddle::require(counter.sum() == 2 * with["adds"], drifted);
        },
};

// this_cpu_try_cmpxchg, 2024: preemption stays on, so the adders share a CPU here.
const scenario compare_exchange{
    .name = "percpu_add.compare_exchange",
    .id = "B-cmpxchg-local",
    .expect = verified,
    .because = "an add that came between makes the exchange fail, and a fold reads the slot again",
    .parameters = {two_threads, two_adds, batch_of_two},
    .body =
        [](const parameters& with) {
          percpu_counter<fold::locked, slot_add::this_cpu_try_cmpxchg> counter{1, with["batch"]};
          const auto add_up = [&] {
            for (int i = 0; i < with["adds"]; ++i) counter.add(0, 1);
          };
          std::vector<thread> adders;
          adders.reserve(static_cast<std::size_t>(with["threads"]));
          for (int i = 0; i < with["threads"]; ++i) adders.push_back(thread{add_up});
          const int all = with["threads"] * with["adds"];
          const int sum = counter.sum();
          heddle::require(0 <= sum && sum <= all, "the sum is outside what was added");
          for (thread& adder : adders) adder.join();
          heddle::require(counter.sum() == all, drifted);
          heddle::require(std::abs(counter.in_slot(0)) < with["batch"], overfull);
        },
};

// The first version of the same patch: unlikely(abs(count + amount)) >= batch.
const scenario compare_exchange_slip{
    .name = "percpu_add.compare_exchange_slip",
    .id = "B-cmpxchg-local-slip",
    .expect = violation(overfull),
    .because = "unlikely() makes the amount 0 or 1, so the slot is never folded",
    .parameters = {two_adds, batch_of_two},
    .body =
        [](const parameters& with) {
          percpu_counter<fold::locked, slot_add::try_cmpxchg_never_full> counter{1, with["batch"]};
          for (int i = 0; i < with["adds"]; ++i) counter.add(0, 1);
          heddle::require(counter.sum() == with["adds"], drifted);
          heddle::require(std::abs(counter.in_slot(0)) < with["batch"], overfull);
        },
};

// --- how far off the shared count is -------------------------------------------------------------

// Owners add, this thread reads the shared count without the lock. Each slot may hide less than a
// batch of the adds that happen before the read.
template <slot_add Into>
void read_while_adding(const parameters& with) {
  const int cpus = with["threads"];
  const int adds = with["adds"];
  const int hidden = (with["batch"] - 1) * cpus;
  percpu_counter<fold::locked, Into> counter{cpus, with["batch"]};
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
  int least = -hidden;
  for (int cpu = 0; cpu < cpus; ++cpu)
    least += added[static_cast<std::size_t>(cpu)].load(std::memory_order_acquire);
  const int rough = counter.read();
  heddle::require(least <= rough && rough <= cpus * adds, too_far_off);
  for (thread& adder : adders) adder.join();
  heddle::require(cpus * adds - counter.read() <= hidden, too_far_off);
}

// What every rough comparison relies on.
const scenario rough_read{
    .name = "percpu_add.rough_read",
    .id = "B-read-bound-batch2",
    .expect = verified,
    .because = "a slot that would reach the batch is folded at once",
    .parameters = {two_threads, two_adds, batch_of_two},
    .body = read_while_adding<slot_add::load_then_store>,
};

// Why XFS sets the batch to 1 near ENOSPC (Chinner: "so that anyone else reading the counter will
// see the update immediately").
const scenario exact_read{
    .name = "percpu_add.exact_read",
    .id = "B-read-exact-batch1",
    .expect = verified,
    .because = "with a batch of one every add goes to the shared count",
    .parameters = {two_threads, two_adds, batch_of_one},
    .body = read_while_adding<slot_add::load_then_store>,
};

const scenario rough_read_slip{
    .name = "percpu_add.rough_read_slip",
    .id = "B-read-bound-slip",
    .expect = violation(too_far_off),
    .because = "slots that are never folded hide everything",
    .parameters = {two_threads, two_adds, batch_of_two},
    .body = read_while_adding<slot_add::try_cmpxchg_never_full>,
};

}  // namespace
