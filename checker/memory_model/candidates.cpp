#include "checker/memory_model/candidates.hpp"

#include <algorithm>

namespace heddle::memory_model {

using graph::event;
using graph::event_id;
using graph::event_kind;
using graph::execution_graph;

namespace {

// How far along modification order the thread's last access before `count` is; levels are monotone
// along a thread, so the last one is enough.
std::uint32_t level_before(const execution_graph& graph, graph::thread_id thread,
                           graph::location_id location, std::uint32_t count) {
  const auto events = graph.events(thread);
  std::uint32_t access = graph.last_access(thread, location);
  while (access > count) access = events[access - 1].previous_access;
  while (access != 0) {
    const event& e = events[access - 1];
    if (e.kind == event_kind::read) return graph.position(e.reads_from);
    if (e.position != graph::unplaced) return e.position;
    access = e.previous_access;
  }
  return 0;
}

// The read half of a read-modify-write's write half.
event_id read_half(const execution_graph& graph, event_id write) {
  const event_id before{write.thread(), write.index() - 1};
  return graph[before].kind == event_kind::read ? before
                                                : event_id{write.thread(), write.index() - 2};
}

}  // namespace

std::uint32_t coherence_floor(const memory_model& model, const execution_graph& graph,
                              graph::location_id location, const graph::view& past) {
  if (!model.coherent_with_happens_before())
    return past.own < graph.thread_count() ? level_before(graph, past.own, location, past.own_count)
                                           : 0;
  std::uint32_t floor = 0;
  for (graph::thread_id t = 0; t < graph.thread_count(); ++t) {
    if (!graph.may_access(location, t)) continue;
    if (const std::uint32_t count = past[t]; count != 0)
      floor = std::max(floor, level_before(graph, t, location, count));
  }
  return floor;
}

void read_candidates(const memory_model& model, const execution_graph& graph,
                     graph::thread_id thread, const graph::operation& op,
                     std::vector<event_id>& candidates) {
  candidates.clear();
  const graph::location_id location = op.location;
  const auto order = graph.modification_order(location);
  if (order.empty()) {
    candidates.push_back(graph::initial_write);
    return;
  }
  candidates.push_back(order.back());
  const std::uint32_t floor =
      coherence_floor(model, graph, location, graph.happens_before_next(thread));
  const auto latest = static_cast<std::uint32_t>(order.size());
  if (floor >= latest) return;
  const graph::view past = graph.causal_past_next(thread);
  for (std::uint32_t position = latest; position-- > floor;) {
    const event_id write = graph.at_position(location, position);
    const event_id next = order[position];
    // A read-modify-write that read `write` and is in the past can never be made to read another.
    if (graph[next].is_rmw && past.contains(read_half(graph, next)) &&
        op.writes_after(graph.value_of(location, write)))
      continue;
    candidates.push_back(write);
  }
}

void placements(const memory_model& model, const execution_graph& graph, event_id write,
                std::vector<std::uint32_t>& positions) {
  positions.clear();
  const event& w = graph[write];
  const auto order = graph.modification_order(w.location);
  if (order.empty()) {
    positions.push_back(1);
    return;
  }
  const graph::view past{graph.happens_before(write).clock, write.thread(), write.index()};
  const std::uint32_t floor = coherence_floor(model, graph, w.location, past);
  const auto starts_a_pair = [&](std::uint32_t before) {
    return before < order.size() && graph[order[before]].is_rmw;
  };
  if (w.is_rmw) {
    const std::uint32_t source = graph.position(graph[read_half(graph, write)].reads_from);
    if (!starts_a_pair(source) && floor <= source) positions.push_back(source + 1);
    return;
  }
  for (auto before = static_cast<std::uint32_t>(order.size());; --before) {
    if (!starts_a_pair(before)) positions.push_back(before + 1);
    if (before <= floor) break;
  }
}

}  // namespace heddle::memory_model
