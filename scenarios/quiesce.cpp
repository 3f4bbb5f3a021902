// Freezing when the per-CPU count of tasks inside is zero: seed 000 (catalogue part B).
//
// Zero is only worth something behind a gate that keeps new tasks out; the gate needs a full fence
// on both sides, release on the way out and acquire in the sum.

#include <array>
#include <heddle/atomic.hpp>
#include <heddle/check_functions.hpp>
#include <heddle/scenario.hpp>
#include <heddle/thread.hpp>
#include <vector>

#include "models/percpu_counter.hpp"
#include "models/quiesce_gate.hpp"

namespace {

using heddle::parameter;
using heddle::parameters;
using heddle::scenario;
using heddle::thread;
using heddle::verified;
using heddle::violation;
using models::gate_orders;
using models::percpu_counter;
using models::quiesce_gate;

constexpr const char* inside_when_frozen = "a task was inside when the file system was frozen";
constexpr const char* warn_on = "WARN_ON: the count is no longer zero";

constexpr heddle::expectation all_but_rc11{
    .sc = verified, .tso = verified, .rc11 = violation(inside_when_frozen)};
constexpr heddle::expectation only_sc{
    .sc = verified, .tso = violation(inside_when_frozen), .rc11 = violation(inside_when_frozen)};

const parameter batch_of_32{.name = "batch", .value = 32, .min = 1, .max = 1000};

// A task's time inside.
void work(heddle::atomic<bool>& inside) {
  inside.store(true, std::memory_order_relaxed);
  inside.store(false, std::memory_order_relaxed);
}

// --- no gate -------------------------------------------------------------------------------------

// Check, then act: 27fb5a72f50a "prohibit fs freezing when using empty transactions".
const scenario no_gate{
    .name = "quiesce.no_gate",
    .id = "B-quiesce-nogate-toctou",
    .expect = violation(inside_when_frozen),
    .because = "the sum is zero, and then the task begins",
    .parameters = {batch_of_32},
    .body =
        [](const parameters& with) {
          percpu_counter active{1, with["batch"]};
          heddle::atomic<bool> inside{false};
          const auto run_task = [&] {
            active.add(0, +1);
            work(inside);
            active.add(0, -1);
          };
          thread task{run_task};
          if (active.sum() == 0) {
            heddle::require(!inside.load(std::memory_order_relaxed), inside_when_frozen);
          }
          task.join();
        },
};

// xfs_quiesce_attr waits for zero and later has WARN_ON(percpu_counter_sum(...) != 0).
const scenario warn_no_gate{
    .name = "quiesce.warn_no_gate",
    .id = "B-quiesce-warn-nogate",
    .expect = violation(warn_on),
    .because = "a task begins between the two sums",
    .parameters = {batch_of_32},
    .body =
        [](const parameters& with) {
          percpu_counter active{1, with["batch"]};
          const auto run_task = [&] {
            active.add(0, +1);
            active.add(0, -1);
          };
          thread task{run_task};
          if (active.sum() == 0) heddle::require(active.sum() == 0, warn_on);
          task.join();
        },
};

// A false alarm: nobody gets in, but who is refused counts for a moment.
const scenario warn_refused_entry{
    .name = "quiesce.warn_refused_entry",
    .id = "B-quiesce-warn-gate-transient",
    .expect = violation(warn_on),
    .because = "a refused entry is +1 until it is undone",
    .body =
        [](const parameters&) {
          quiesce_gate gate{1, {}};
          const auto run_task = [&] {
            if (gate.enter(0)) gate.leave(0);
          };
          thread task{run_task};
          gate.close();
          if (gate.sum() == 0) heddle::require(gate.sum() == 0, warn_on);
          task.join();
        },
};

// --- the gate ------------------------------------------------------------------------------------

// On which CPUs a task does its steps.
struct route {
  int enters;
  int undoes;  // if it is refused
  int leaves;
};

void freeze_while_entering(gate_orders orders, const std::vector<route>& tasks) {
  quiesce_gate gate{3, orders};
  std::array<heddle::atomic<bool>, 2> inside{};
  std::vector<thread> running;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const auto pass = [&gate, &here = inside[i], cpu = tasks[i]] {
      if (!gate.enter(cpu.enters, cpu.undoes)) return;
      work(here);
      gate.leave(cpu.leaves);
    };
    running.push_back(thread{pass});
  }
  gate.close();
  if (gate.sum() == 0) {
    heddle::reached("frozen");
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      heddle::require(!inside[i].load(std::memory_order_relaxed), inside_when_frozen);
    }
  }
  for (thread& each : running) each.join();
}

const std::vector<route> one_task = {{.enters = 0, .undoes = 0, .leaves = 0}};
const std::vector<route> two_tasks = {{.enters = 0, .undoes = 0, .leaves = 0},
                                      {.enters = 1, .undoes = 1, .leaves = 1}};

constexpr gate_orders fences_only{.exit = std::memory_order_relaxed,
                                  .sum = std::memory_order_relaxed};
constexpr gate_orders release_exit{.sum = std::memory_order_relaxed};
constexpr gate_orders release_acquire{};

// The catalogue's steps. The gate works, but what a task did inside need not be seen as over.
const scenario gate_fences{
    .name = "quiesce.gate_fences",
    .id = "B-quiesce-gate-mb",
    .expect = all_but_rc11,
    .sometimes = {"frozen"},
    .because = "the exit is not ordered after what the task did inside",
    .body = [](const parameters&) { freeze_while_entering(fences_only, two_tasks); },
};

// percpu_up_read's release; PSO, which keeps loads in order, needs no more.
const scenario gate_release_exit{
    .name = "quiesce.gate_release_exit",
    .id = "B-quiesce-gate-mb-relexit",
    .expect = all_but_rc11,
    .sometimes = {"frozen"},
    .because = "a release without an acquire in the sum orders nothing",
    .body = [](const parameters&) { freeze_while_entering(release_exit, two_tasks); },
};

// The technique: percpu_rw_semaphore.
const scenario gate_release_acquire{
    .name = "quiesce.gate_release_acquire",
    .id = "B-quiesce-gate-mb-relexit",
    .expect = verified,
    .sometimes = {"frozen"},
    .because = "the fences close the gate, release and acquire end the work before the freeze",
    .body = [](const parameters&) { freeze_while_entering(release_acquire, two_tasks); },
};

const scenario gate_no_fence{
    .name = "quiesce.gate_no_fence",
    .id = "B-quiesce-gate-nomb",
    .expect = only_sc,
    .sometimes = {"frozen"},
    .because = "the look at the gate may pass the store that counts the task: store buffering",
    .body =
        [](const parameters&) {
          freeze_while_entering({.after_entry = gate_orders::fence::none}, one_task);
        },
};

// blk-mq before percpu_ref.
const scenario gate_write_fence{
    .name = "quiesce.gate_write_fence",
    .id = "B-quiesce-gate-wmb",
    .expect = only_sc,
    .sometimes = {"frozen"},
    .because = "a write fence does not order a store before a later load",
    .body =
        [](const parameters&) {
          freeze_while_entering({.after_entry = gate_orders::fence::write}, one_task);
        },
};

// Admitted tasks have counted before the scan begins, so their exits may be anywhere.
const std::vector<route> exit_on_cpu_2 = {{.enters = 0, .undoes = 0, .leaves = 2},
                                          {.enters = 1, .undoes = 1, .leaves = 1}};

// The catalogue's steps.
const scenario exit_migrates{
    .name = "quiesce.exit_migrates",
    .id = "B-quiesce-gate-exit-migrates",
    .expect = all_but_rc11,
    .sometimes = {"frozen"},
    .because = "the exit is not ordered after what the task did inside",
    .body = [](const parameters&) { freeze_while_entering(fences_only, exit_on_cpu_2); },
};

const scenario exit_migrates_release_acquire{
    .name = "quiesce.exit_migrates_release_acquire",
    .id = "B-quiesce-gate-exit-migrates",
    .expect = verified,
    .sometimes = {"frozen"},
    .because = "the sum sees all admitted entries, so zero needs all of their exits",
    .body = [](const parameters&) { freeze_while_entering(release_acquire, exit_on_cpu_2); },
};

// --- undoing a refused entry ---------------------------------------------------------------------

// One task is inside on CPU 1, and leaves; another enters on CPU 0 and undoes it if refused.
void freeze_while_undoing(gate_orders orders, int undo_cpu) {
  quiesce_gate gate{3, orders};
  std::array<heddle::atomic<bool>, 2> inside{};
  gate.enter(1);
  inside[1].store(true, std::memory_order_relaxed);
  const auto run_leaving = [&] {
    inside[1].store(false, std::memory_order_relaxed);
    gate.leave(1);
  };
  thread leaving{run_leaving};
  const auto run_entering = [&] {
    if (!gate.enter(0, undo_cpu)) return;
    work(inside[0]);
    gate.leave(0);
  };
  thread entering{run_entering};
  gate.close();
  if (gate.sum() == 0) {
    heddle::reached("frozen");
    heddle::require(!inside[0].load(std::memory_order_relaxed), inside_when_frozen);
    heddle::require(!inside[1].load(std::memory_order_relaxed), inside_when_frozen);
  }
  leaving.join();
  entering.join();
}

// "increment-on-one-CPU-and-decrement-on-another problem" (percpu-rwsem.c).
const scenario undo_migrates{
    .name = "quiesce.undo_migrates",
    .id = "B-quiesce-gate-undo-migrates",
    .expect = violation(inside_when_frozen),
    .because = "the +1 of a refused entry is missed, its -1 is seen and cancels a task inside",
    .body = [](const parameters&) { freeze_while_undoing(release_acquire, 2); },
};

// The catalogue's steps.
const scenario undo_same_cpu{
    .name = "quiesce.undo_same_cpu",
    .id = "B-quiesce-gate-undo-samecpu",
    .expect = all_but_rc11,
    .sometimes = {"frozen"},
    .because = "the exit is not ordered after what the task did inside",
    .body = [](const parameters&) { freeze_while_undoing(fences_only, 0); },
};

const scenario undo_same_cpu_release_acquire{
    .name = "quiesce.undo_same_cpu_release_acquire",
    .id = "B-quiesce-gate-undo-samecpu",
    .expect = verified,
    .sometimes = {"frozen"},
    .because = "no slot is ever negative, so nothing cancels a task inside",
    .body = [](const parameters&) { freeze_while_undoing(release_acquire, 0); },
};

}  // namespace
