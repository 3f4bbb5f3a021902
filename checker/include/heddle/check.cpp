#include "heddle/check.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

#include "checker/memory_model/memory_model.hpp"
#include "checker/runtime/crash.hpp"
#include "checker/runtime/engine_section.hpp"
#include "checker/runtime/heap.hpp"
#include "checker/runtime/source_place.hpp"
#include "checker/search/exhaustive.hpp"
#include "checker/search/explore.hpp"
#include "checker/search/interleavings.hpp"
#include "heddle/error.hpp"
#include "heddle/failure_text.hpp"

namespace heddle {

namespace runtime {

namespace {
check_hooks hooks_around_checks;

// Calls the hooks around a check, also if it throws.
class around_check {
 public:
  around_check() : hooks_{hooks_around_checks} {
    if (hooks_.begin != nullptr) hooks_.begin();
  }
  ~around_check() {
    if (hooks_.end != nullptr) hooks_.end();
  }
  around_check(const around_check&) = delete;
  around_check& operator=(const around_check&) = delete;

 private:
  check_hooks hooks_;
};
}  // namespace

void around_checks(const check_hooks& hooks) { hooks_around_checks = hooks; }

void outside_of_check(std::string_view what, location where) {
  const heap_pause real_heap;
  throw usage_error(fmt::format("{}: {} outside of heddle::check", describe(where), what));
}

void misused_outside(std::string_view message, location where) {
  const heap_pause real_heap;
  throw usage_error(fmt::format("{}: {}", describe(where), message));
}

}  // namespace runtime

namespace {

std::unique_ptr<memory_model::memory_model> make(model memory_model) {
  switch (memory_model) {
    case model::tso:
      return memory_model::make_total_store_order();
    case model::sc:
      return memory_model::make_sequential_consistency();
    case model::rc11:
      break;
  }
  return memory_model::make_rc11();
}

// While it lives, a body that fills a thread's heap ends in an error that says so.
class full_heap_is_an_error {
 public:
  full_heap_is_an_error()
      : before_{runtime::set_heap_overflow_handler([](std::size_t) {
          if (runtime::current_execution == nullptr) return;
          const runtime::engine_section section;
          section->fail(verdict_kind::error,
                        fmt::format("a thread of the body has allocated more than {} MiB",
                                    runtime::heap_arena_size >> 20),
                        {});
        })} {}
  ~full_heap_is_an_error() { runtime::set_heap_overflow_handler(before_); }
  full_heap_is_an_error(const full_heap_is_an_error&) = delete;
  full_heap_is_an_error& operator=(const full_heap_is_an_error&) = delete;

 private:
  runtime::heap_overflow_handler before_;
};

// Do two threads of the execution access one location?
bool shares(const graph::execution_graph& graph) {
  for (graph::location_id l = 0; l < graph.location_count(); ++l) {
    int threads = 0;
    for (graph::thread_id t = 0; t < graph.thread_count(); ++t)
      if (graph.last_access(t, l) != 0) ++threads;
    if (threads > 1) return true;
  }
  return false;
}

}  // namespace

result detail::check(const options& given, void (*call)(const void*), const void* body,
                     runtime::location where) {
  if (runtime::active()) {
    const runtime::engine_section section;
    section->fail(verdict_kind::error, "heddle::check inside a body", where);
  }
  const options with = with_environment(given);

  runtime::execution_limits limits;
  limits.max_threads = *with.max_threads;
  limits.max_steps = *with.max_steps;
  limits.stack_size = *with.stack_size;
  limits.spurious_wakeups = with.spurious->wakeups;
  limits.weak_failures = with.spurious->weak_cas;
  limits.try_lock_failures = with.spurious->try_lock;
  runtime::execution execution{limits};
  const auto model = make(*with.memory_model);
  std::unique_ptr<search::strategy> strategy;
  if (*with.search == strategy::interleavings) {
    strategy = std::make_unique<search::interleavings>();
  } else {
    strategy = std::make_unique<search::exhaustive>(*model);
  }

  search::bounds bounds;
  bounds.max_executions = with.max_executions;
  bounds.time_limit = with.time_limit;
  bounds.max_memory = with.max_memory;
  bounds.interrupted = with.interrupted;

  result found;
  found.memory_model = *with.memory_model;
  found.spurious = *with.spurious;
  bool shared = false;
  search::hooks hooks;
  hooks.ended = [&](const runtime::execution&, const graph::execution_graph& graph,
                    search::ending) { shared = shared || shares(graph); };
  const auto on_crash = [](void* context, const runtime::crash_info& crash) noexcept {
    std::string message = runtime::describe(crash);
    if (crash.stack_overflow) message += ": raise stack_size (HEDDLE_STACK_SIZE)";
    static_cast<runtime::execution*>(context)->note_crash(std::move(message), crash.stack);
  };
  search::exploration explored;
  {
    const full_heap_is_an_error full_heap;
    const runtime::around_check around;
    const runtime::crash_guard guard{on_crash, &execution};
    explored = search::explore(*strategy, execution, {call, body}, bounds, hooks);
  }

  found.verdict = explored.verdict;
  found.executions = explored.counts.executions;
  found.blocked = explored.counts.blocked;
  found.runs = explored.counts.runs;
  found.dead_ends = explored.counts.dead_ends;
  found.events = explored.counts.events;
  found.largest_graph = explored.counts.largest_graph;
  found.reached = execution.outcomes_reached();
  found.bound = explored.bound;
  if (explored.failure) {
    found.message = explored.failure->message;
    if (explored.failure->where.file != nullptr)
      found.where = runtime::describe(explored.failure->where);
    if (explored.failure->other.file != nullptr)
      found.other = runtime::describe(explored.failure->other);
    found.counterexample = failure_text(execution, strategy->graph(), *explored.failure,
                                        to_string(*with.memory_model));
  } else if (found.is_verified()) {
    if (found.executions == 0) {
      found.vacuous = "no complete execution: every one ended at an assumption";
    } else if (execution.thread_count() > 1 && !shared && execution.plain_accesses() == 0) {
      found.vacuous = "the threads share nothing";
    } else if (execution.requires_evaluated() == 0 && !execution.has_blocked() &&
               execution.plain_accesses() == 0) {
      found.vacuous = "nothing could fail: no require was evaluated, no thread can wait";
    }
  }
  return found;
}

}  // namespace heddle
