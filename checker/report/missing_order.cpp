#include "checker/report/missing_order.hpp"

#include <algorithm>
#include <deque>
#include <limits>

namespace heddle::report {

namespace {

using graph::event;
using graph::event_id;
using graph::event_kind;
using graph::execution_graph;
using graph::memory_order;
using graph::thread_id;

// A way through the graph, cut where it changes from thread to thread: program order from `first`
// to `last`, then an edge to the next segment.
struct segment {
  event_id first;
  event_id last;
};

// The way with the fewest edges between threads; program order is free. 0-1 breadth first.
class way_search {
 public:
  way_search(const execution_graph& graph, bool only_causal)
      : graph_{graph}, only_causal_{only_causal} {
    for (thread_id t = 0; t < graph.thread_count(); ++t)
      came_from_.emplace_back(graph.size(t), event_id{});
  }

  // Empty: no way.
  std::vector<segment> find(event_id from, event_id to) {
    std::vector<std::vector<std::uint32_t>> length;
    std::vector<std::vector<bool>> settled;
    for (const auto& row : came_from_) {
      length.emplace_back(row.size(), std::numeric_limits<std::uint32_t>::max());
      settled.emplace_back(row.size(), false);
    }
    length[from.thread()][from.index()] = 0;
    open_.push_back(from);
    while (!open_.empty()) {
      const event_id e = open_.front();
      open_.pop_front();
      if (settled[e.thread()][e.index()]) continue;
      settled[e.thread()][e.index()] = true;
      if (e == to) return segments(from, to);
      const auto visit = [&](event_id next, std::uint32_t edge) {
        std::uint32_t& known = length[next.thread()][next.index()];
        const std::uint32_t made = length[e.thread()][e.index()] + edge;
        if (made >= known) return;
        known = made;
        came_from_[next.thread()][next.index()] = e;
        if (edge == 0) {
          open_.push_front(next);
        } else {
          open_.push_back(next);
        }
      };
      each_successor(e, visit);
    }
    return {};
  }

 private:
  template <class Visit>
  void each_successor(event_id id, const Visit& visit) const {
    if (id.index() + 1 < graph_.size(id.thread())) visit(event_id{id.thread(), id.index() + 1}, 0);
    const event& e = graph_[id];
    switch (e.kind) {
      case event_kind::write:
        for (event_id r : graph_.reads(e.location))
          if (graph_[r].reads_from == id) visit(r, 1);
        if (!only_causal_) visit_write_after(e, e.position, visit);
        break;
      case event_kind::read:
        if (!only_causal_) visit_write_after(e, graph_.position(e.reads_from), visit);
        break;
      case event_kind::spawn:
        if (graph_.size(e.location) != 0) visit(event_id{e.location, 0}, 1);
        break;
      case event_kind::end:
        for (thread_id t = 0; t < graph_.thread_count(); ++t)
          for (std::uint32_t i = 0; i < graph_.size(t); ++i)
            if (const event& j = graph_.events(t)[i];
                j.kind == event_kind::join && j.location == id.thread())
              visit(event_id{t, i}, 1);
        break;
      default:
        break;
    }
  }

  template <class Visit>
  void visit_write_after(const event& e, std::uint32_t position, const Visit& visit) const {
    const auto order = graph_.modification_order(e.location);
    if (position < order.size()) visit(order[position], 1);
  }

  std::vector<segment> segments(event_id from, event_id to) const {
    std::vector<segment> found{{to, to}};
    for (event_id e = to; !(e == from);) {
      const event_id before = came_from_[e.thread()][e.index()];
      if (before.thread() == e.thread() && before.index() + 1 == e.index()) {
        found.back().first = before;
      } else {
        found.push_back({before, before});
      }
      e = before;
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

  const execution_graph& graph_;
  bool only_causal_;
  std::vector<std::vector<event_id>> came_from_;
  std::deque<event_id> open_;
};

template <class Condition>
bool has_fence_between(const execution_graph& graph, event_id first, event_id last,
                       const Condition& condition) {
  for (std::uint32_t i = first.index() + 1; i < last.index(); ++i) {
    const event& e = graph.events(first.thread())[i];
    if (e.kind == event_kind::fence && condition(e.order)) return true;
  }
  return false;
}

// Does an acquire of `write` learn of `e`?
bool releases(const execution_graph& graph, event_id write, event_id e) {
  const event& w = graph[write];
  return w.release != 0 && graph.clocks()[w.release][e.thread()] > e.index();
}

std::vector<missing_order> missing_synchronisation(const execution_graph& graph,
                                                   const std::vector<segment>& way) {
  std::vector<missing_order> found;
  for (std::size_t i = 0; i + 1 < way.size(); ++i) {
    const event_id write = way[i].last;
    const event_id read = way[i + 1].first;
    if (graph[read].kind != event_kind::read) continue;
    if (graph.happens_before(way[i + 1].last).contains(way[i].first)) continue;
    if (!releases(graph, write, way[i].first))
      found.push_back({missing_order::what::release, write, {}});
    if (!graph::is_acquire(graph[read].order) &&
        !has_fence_between(graph, read, way[i + 1].last, graph::is_acquire))
      found.push_back({missing_order::what::acquire, read, {}});
  }
  return found;
}

bool is_access(const event& e) { return e.kind == event_kind::read || e.kind == event_kind::write; }

bool keeps_in_order(const execution_graph& graph, const segment& s, const ordering_rules& rules) {
  const event& first = graph[s.first];
  const event& last = graph[s.last];
  if (!is_access(first) || !is_access(last)) return true;
  const auto is_full = [](memory_order order) { return order == memory_order::seq_cst; };
  if (has_fence_between(graph, s.first, s.last, is_full)) return true;
  if (rules.total_store_order)
    return first.kind != event_kind::write || last.kind != event_kind::read || first.is_rmw ||
           last.is_rmw || is_full(first.order);
  return is_full(first.order) && is_full(last.order);
}

}  // namespace

std::vector<missing_order> missing_between(const execution_graph& graph, event_id missed_write,
                                           event_id read, const ordering_rules& rules) {
  if (missed_write.is_initial() || read.is_initial()) return {};
  std::vector<missing_order> found;
  if (!rules.total_store_order && graph.causal_past(read).contains(missed_write)) {
    found = missing_synchronisation(graph, way_search{graph, true}.find(missed_write, read));
  } else {
    for (const segment& s : way_search{graph, false}.find(missed_write, read))
      if (!(s.first == s.last) && !keeps_in_order(graph, s, rules))
        found.push_back({missing_order::what::fence, s.first, s.last});
  }
  return found;
}

}  // namespace heddle::report
