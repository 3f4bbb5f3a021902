#include "checker/report/object_step.hpp"

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

std::string slot_step(const access& a) {
  if (a.wrote) return "wake " + thread_text(a.sleeper) + " (" + a.name + ")";
  return "woken (" + a.name + ")";
}

// sync/stop_state: the flag, which is set once; other parts are callbacks that have returned.
std::string stop_step(const access& a) {
  if (a.first.kind == event_kind::write) return "request_stop " + a.name;
  if (a.op != nullptr) return "the callback of " + a.name + " has returned";
  return "stop_requested " + a.name + (a.first.val.low != 0 ? " -> true" : " -> false");
}

// sync/shared_lock: who holds it, and the set of those who share it.
std::string shared_mutex_step(const access& a) {
  if (a.op == nullptr) return "unlock " + a.name;
  if (a.op->when == graph::condition::always) return "unlock_shared " + a.name;
  const std::string call = a.op->when == graph::condition::equal ? "lock " : "lock_shared ";
  if (a.op->blocks) return call + a.name + (a.wrote ? "" : ", waits");
  return "try_" + call + a.name + (a.wrote ? "" : " fails");
}

}  // namespace

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
      return slot_step(a);
    case object_kind::shared_mutex:
      return shared_mutex_step(a);
    case object_kind::stop_state:
      return stop_step(a);
    default:
      return {};
  }
}

}  // namespace heddle::report
