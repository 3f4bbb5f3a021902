#include "checker/report/last_waker.hpp"

namespace heddle::report {

namespace {

using graph::event;
using graph::event_id;
using graph::event_kind;
using graph::execution_graph;
using graph::object_kind;
using graph::operation;
using graph::operation_kind;
using graph::thread_id;

// Calls `f` for each event of the other threads at the location that is not only half of one.
template <class F>
void for_others(const execution_graph& graph, thread_id me, graph::location_id location, F&& f) {
  for (thread_id t = 0; t < graph.thread_count(); ++t) {
    if (t == me) continue;
    for (std::uint32_t i = 0; i < graph.size(t); ++i) {
      const event& e = graph.events(t)[i];
      const bool accesses = e.kind == event_kind::read ||
                            (e.kind == event_kind::write && !e.is_rmw) ||
                            e.kind == event_kind::notify;
      if (accesses && e.location == location) f(event_id{t, i}, e);
    }
  }
}

// Where in modification order the event stands that put the thread to sleep, or made it ready to.
std::uint32_t position_of_own_write(const execution_graph& graph, thread_id me,
                                    graph::location_id location) {
  for (std::uint32_t i = graph.last_access(me, location); i != 0;) {
    const event& e = graph.events(me)[i - 1];
    if (e.kind == event_kind::write) return e.position;
    i = e.previous_access;
  }
  return 0;
}

// A notify of a condition variable is a read-modify-write, or an empty read, of the set of waiters.
waker condition_waker(const execution_graph& graph, const sleep& s) {
  waker found;
  std::uint32_t latest = 0;
  const std::uint32_t asleep = position_of_own_write(graph, s.thread, s.condition);
  for_others(graph, s.thread, s.condition, [&](event_id id, const event& e) {
    if (e.kind != event_kind::read || e.operation == 0) return;
    const operation& op = graph.operation_of(id);
    const bool notifies = op.kind == operation_kind::pick || op.modify == nullptr;
    const std::uint32_t position = graph.position(e.reads_from) + 1;
    if (!notifies || position < latest) return;
    latest = position;
    found = {position <= asleep ? waker::what::too_early : waker::what::woke_another, id, {}};
    bool woke_it = false;
    if (op.kind == operation_kind::pick && e.is_rmw) {
      found.other = graph::picked_element(
          e.val.low, static_cast<std::uint32_t>(graph[{id.thread(), id.index() + 1}].val.low));
      woke_it = found.other == s.thread;
    } else if (op.kind != operation_kind::pick) {  // notify_all has read whom it wakes
      woke_it = s.operation.object == object_kind::condition_slot &&
                (e.val.low & std::uint64_t{1} << s.thread) != 0;
    }
    if (position <= asleep && woke_it) found.came_of_it = waker::what::woke_it_before;
  });
  return found;
}

waker wait_waker(const execution_graph& graph, const sleep& s) {
  const event_id read{s.thread, graph.size(s.thread) - 1};
  const std::uint32_t seen = graph.position(graph[read].reads_from);
  const auto order = graph.modification_order(s.operation.location);
  waker found;
  graph::stamp latest = 0;
  for_others(graph, s.thread, s.operation.location, [&](event_id id, const event& e) {
    if (e.kind != event_kind::notify || e.stamp < latest) return;
    latest = e.stamp;
    const graph::view past = graph.happens_before(id);
    bool changed_before = false;
    for (std::size_t i = seen; i < order.size(); ++i)
      changed_before = changed_before || past.contains(order[i]);
    found = {changed_before                            ? waker::what::woke_another
             : graph.happens_before(read).contains(id) ? waker::what::too_early
                                                       : waker::what::value_unchanged,
             id,
             {}};
  });
  return found;
}

// A task is woken by whoever changes its state, if it finds it asleep.
waker state_waker(const execution_graph& graph, const sleep& s) {
  waker found;
  std::uint32_t latest = 0;
  for_others(graph, s.thread, s.operation.location, [&](event_id id, const event& e) {
    const std::uint32_t position =
        e.kind == event_kind::write ? e.position : graph.position(e.reads_from) + 1;
    if (e.kind == event_kind::notify || position < latest) return;
    if (e.kind == event_kind::read && e.operation == 0) return;  // only looks
    latest = position;
    found = {waker::what::too_early, id, {}};
  });
  return found;
}

}  // namespace

bool is_sleep(const operation& op) {
  return op.sleeps || op.object == object_kind::condition_slot ||
         op.object == object_kind::futex_slot || op.object == object_kind::task;
}

waker last_waker(const execution_graph& graph, const sleep& s) {
  if (s.operation.sleeps) return wait_waker(graph, s);
  if (s.operation.object == object_kind::condition_slot ||
      s.operation.object == object_kind::futex_slot)
    return condition_waker(graph, s);
  if (s.operation.object == object_kind::task) return state_waker(graph, s);
  return {};
}

bool was_to_be_woken(const execution_graph& graph, const sleep& s) {
  const operation& op = s.operation;
  if (op.object == object_kind::task || op.object == object_kind::futex_slot) return true;
  if (last_waker(graph, s).came_of_it != waker::what::nobody) return true;
  return op.sleeps && op.holds_for(graph.value_of(op.location, graph.latest(op.location)));
}

std::string text_of(const waker& w, const operation& op, const std::string& mention) {
  const bool is_notified = op.sleeps || op.object == object_kind::condition_slot;
  const char* const call = is_notified ? "notify" : "wake-up";
  std::string text = std::string{"the last "} + call + ", " + mention + ", ";
  switch (w.came_of_it) {
    case waker::what::nobody:
      return std::string{"nobody "} + (is_notified ? "notifies it" : "wakes it");
    case waker::what::too_early:
      return text + "came when it was not asleep yet";
    case waker::what::woke_it_before:
      return text + "woke it from an earlier wait";
    case waker::what::woke_another:
      return text + "woke " +
             (w.other ? "thread " + std::to_string(*w.other) : std::string{"another waiter"}) +
             " instead";
    case waker::what::value_unchanged:
      return text + "came when the value had not changed";
  }
  return text;
}

}  // namespace heddle::report
