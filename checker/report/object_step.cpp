#include "checker/report/object_step.hpp"

#include <bit>

#include "checker/report/lock_holders.hpp"

namespace heddle::report {

namespace {

using graph::event;
using graph::event_kind;
using graph::object_kind;
using graph::operation;
using graph::operation_kind;

// An access, with what is known of it. The words written by checker/sync say what the values mean.
struct access {
  const event& first;
  const event& last;
  const operation* op;  // of a read that can write or block
  bool wrote;
  graph::thread_id thread;
  graph::thread_id sleeper;  // of a condition_slot
  std::string name;
};

std::string thread_text(graph::thread_id thread) { return "thread " + std::to_string(thread); }

// "thread 1", "threads 1, 2", "nobody"
std::string threads_text(std::uint64_t set) {
  if (set == 0) return "nobody";
  std::string text = (set & (set - 1)) == 0 ? "thread " : "threads ";
  bool first = true;
  for (graph::thread_id t = 0; t < graph::max_thread_count; ++t) {
    if ((set >> t & 1) == 0) continue;
    text += (first ? "" : ", ") + std::to_string(t);
    first = false;
  }
  return text;
}

// sync/condition: a set of waiting threads.
std::string condition_step(const graph::execution_graph& graph, const step& s, const access& a) {
  if (a.op == nullptr) return "destroy " + a.name;
  if (a.op->kind == operation_kind::pick) {
    if (!a.wrote) return "notify_one " + a.name + " -> nobody waits";
    const event& choice = graph[{a.thread, s.first.index() + 1}];
    return "notify_one " + a.name + " -> thread " +
           std::to_string(
               graph::picked_element(a.first.val.low, static_cast<std::uint32_t>(choice.val.low)));
  }
  if (a.op->modify == nullptr)
    return "notify_all " + a.name + " -> " + threads_text(a.first.val.low);
  const std::uint64_t me = std::uint64_t{1} << a.thread;
  if ((a.last.val.low & me) != 0) return "wait " + a.name;
  return (a.first.val.low & me) != 0 ? "stop waiting for " + a.name
                                     : "stop waiting for " + a.name + ", notified already";
}

// sync/futex: a set of waiting threads, and how they are moved to the set of another word.
std::string futex_step(const graph::execution_graph& graph, const step& s, const access& a) {
  const std::uint64_t set = a.first.val.low;
  if (a.op == nullptr)
    return threads_text(set) + (std::popcount(set) > 1 ? " wait on " : " waits on ") + a.name;
  const std::uint64_t operand = a.op->operand.low;
  if (a.op->kind == operation_kind::pick) {
    if (!a.wrote) return "futex_wake " + a.name + " -> nobody waits";
    const event& choice = graph[{a.thread, s.first.index() + 1}];
    return "futex_wake " + a.name + " -> thread " +
           std::to_string(graph::picked_element(set, static_cast<std::uint32_t>(choice.val.low)));
  }
  if (a.op->modify == nullptr)
    return "futex_wake " + a.name + " -> " +
           (set == 0 ? "nobody waits" : threads_text(set & ~operand));
  const bool enters = (a.last.val.low & operand) != 0;
  if (operand != std::uint64_t{1} << a.thread)
    return (enters ? "requeue to " : "requeue from ") + a.name + ": " + threads_text(operand);
  if (enters) return "futex_wait " + a.name;
  return a.wrote ? "stop waiting on " + a.name : "stop waiting on " + a.name + ", woken already";
}

std::string slot_step(const access& a) {
  // a futex's, to wait on another word
  if (a.last.val.high != 0)
    return a.wrote ? "move " + thread_text(a.sleeper) + " (" + a.name + ")"
                   : "moved from " + a.name + " to another word";
  if (a.wrote) return "wake " + thread_text(a.sleeper) + " (" + a.name + ")";
  return "woken (" + a.name + ")";
}

// sync/stop_state: the flag, which is set once; other parts are callbacks that have returned.
std::string stop_step(const access& a) {
  if (a.first.kind == event_kind::write) return "request_stop " + a.name;
  if (a.op != nullptr) return "the callback of " + a.name + " has returned";
  return "stop_requested " + a.name + (a.first.val.low != 0 ? " -> true" : " -> false");
}

std::string number(std::uint64_t low) { return std::to_string(static_cast<std::int64_t>(low)); }

// " by 3"; 1 goes without saying.
std::string by_text(const access& a) {
  return a.op == nullptr || a.op->operand.low == 1 ? "" : " by " + number(a.op->operand.low);
}

// sync/semaphore: the count.
std::string semaphore_step(const access& a) {
  const std::string becomes = " -> " + number(a.last.val.low);
  if (a.op == nullptr || a.op->when == graph::condition::always)
    return "release " + a.name + by_text(a) + becomes;
  const std::string call = a.op->blocks ? "acquire " : "try_acquire ";
  return call + a.name + (a.wrote ? becomes : " fails");
}

// sync/latch: the count.
std::string latch_step(const access& a) {
  if (a.wrote) return "count_down " + a.name + by_text(a) + " -> " + number(a.last.val.low);
  if (a.op != nullptr && a.op->blocks) return "wait " + a.name;
  return "try_wait " + a.name + (a.first.val == graph::value{} ? "" : " fails");
}

// sync/barrier: how many are to arrive, how many there are, and the phase. Below zero is one too
// many.
std::int32_t to_come(graph::value v) { return static_cast<std::int32_t>(v.low); }
std::uint64_t expected(graph::value v) { return v.low >> 32; }

std::string phase_text(graph::value v) {
  return "phase " + number(v.high) + ", " + std::to_string(to_come(v)) + " to come";
}

std::string barrier_step(const access& a) {
  if (a.first.kind == event_kind::write) return "begin " + a.name + ", " + phase_text(a.first.val);
  if (!a.wrote) return "all have arrived at " + a.name + ", phase " + number(a.first.val.high);
  const bool drops = expected(a.first.val) != expected(a.last.val);
  return (drops ? "arrive_and_drop " : "arrive ") + a.name + ", " + phase_text(a.last.val);
}

// Its part: how many phases are complete.
std::string barrier_phases_step(const access& a) {
  if (a.first.kind == event_kind::write)
    return "complete " + a.name + ", phase " + number(a.first.val.low - 1);
  return "go on from " + a.name + ", into phase " + number(a.first.val.low);
}

// sync/once and the guard of a function-local static.
std::string once_step(const access& a, bool is_static) {
  std::string what = (is_static ? "initialise " : "call_once ") + a.name;
  if (a.first.kind == event_kind::write) {
    switch (a.first.val.low) {
      case 0:
        return what + " fails";
      case 2:
        return what + " is done";
      default:
        return "destroy " + a.name;
    }
  }
  if (a.wrote) return what;
  if (a.first.val.low == 3) return what + " after its end";
  return what + ": done already";
}

// sync/shared_lock: who holds it, and the set of those who share it. Only to hold it alone puts a
// number into the low half.
std::string shared_mutex_step(const access& a) {
  if (a.op == nullptr) return "unlock " + a.name;
  if (a.op->when == graph::condition::always) return "unlock_shared " + a.name;
  const std::string call = a.op->operand.low != 0 ? "lock " : "lock_shared ";
  if (a.op->blocks) return call + a.name + (a.wrote ? "" : ", waits");
  return "try_" + call + a.name + (a.wrote ? "" : " fails");
}

}  // namespace

std::optional<std::string> object_value(object_kind kind, graph::value v) {
  if (const auto by = holders_of(kind, v)) {
    if (by->threads.empty())
      return static_cast<std::uint32_t>(v.low) == 0 ? "free" : "taken before the body began";
    std::uint64_t set = 0;
    for (const graph::thread_id t : by->threads) set |= std::uint64_t{1} << t;
    return (by->share ? "shared by " : "held by ") + threads_text(set);
  }
  if (kind == object_kind::barrier) return phase_text(v);
  if (kind == object_kind::barrier_phases) return "phase " + number(v.low);
  if (kind == object_kind::once_flag)
    return v.low == 0 ? "not called" : v.low == 1 ? "running" : "done";
  return {};
}

std::optional<std::string> object_step(const graph::execution_graph& graph, const step& s,
                                       const run_facts& facts, const std::string& name) {
  const event& e = graph[s.first];
  if (!facts.kind_of) return {};
  const object_kind kind = facts.kind_of(e.location);
  const access a{
      e,
      graph[s.last()],
      e.kind == event_kind::read && e.operation != 0 ? &graph.operation_of(s.first) : nullptr,
      s.events > 1,
      s.first.thread(),
      facts.sleeper_of ? facts.sleeper_of(e.location) : 0,
      name};
  switch (kind) {
    case object_kind::condition:
      return condition_step(graph, s, a);
    case object_kind::condition_slot:
    case object_kind::futex_slot:
      return slot_step(a);
    case object_kind::futex:
      return futex_step(graph, s, a);
    case object_kind::shared_mutex:
      return shared_mutex_step(a);
    case object_kind::stop_state:
      return stop_step(a);
    case object_kind::semaphore:
      return semaphore_step(a);
    case object_kind::latch:
      return latch_step(a);
    case object_kind::barrier:
      return barrier_step(a);
    case object_kind::barrier_phases:
      return barrier_phases_step(a);
    case object_kind::once_flag:
      return once_step(a, false);
    case object_kind::static_guard:
      return once_step(a, true);
    default:
      return {};
  }
}

std::optional<std::string> object_wait(const graph::execution_graph& graph, const operation& op,
                                       graph::location_id whole, const std::string& name) {
  const graph::event_id latest = graph.latest(op.location);
  switch (op.object) {
    case object_kind::semaphore:
      return "waits for the semaphore " + name + ", whose count is " +
             number(graph.value_of(op.location, latest).low);
    case object_kind::latch:
      return "waits at the latch " + name + ", whose count is " +
             number(graph.value_of(op.location, latest).low);
    case object_kind::barrier_phases: {
      const graph::value now = graph.value_of(whole, graph.latest(whole));
      return "waits at the barrier " + name + ", where " + std::to_string(to_come(now)) + " of " +
             std::to_string(expected(now)) + " have not arrived";
    }
    case object_kind::once_flag:
    case object_kind::static_guard:
      if (latest.is_initial()) return {};
      return "waits for " + name +
             (op.object == object_kind::once_flag ? ", whose function " : ", which ") +
             thread_text(latest.thread()) +
             (op.object == object_kind::once_flag ? " runs" : " initialises");
    default:
      return {};
  }
}

}  // namespace heddle::report
