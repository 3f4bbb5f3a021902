// Does one event lead to another; is one on a cycle? Depth-first search over the events of a graph,
// with the edges a model gives. Used where a choice was not the maximal one.
#pragma once

#include <vector>

#include "checker/graph/execution_graph.hpp"

namespace heddle::memory_model {

class cycle_search {
 public:
  // Does a path of successors lead from `start` to `goal`, one edge at least? `successors(e,
  // visit)` calls visit for each successor of e.
  template <class Successors>
  bool reaches(const graph::execution_graph& graph, graph::event_id start, graph::event_id goal,
               const Successors& successors) {
    offsets_.assign(graph.thread_count() + 1, 0);
    for (graph::thread_id t = 0; t < graph.thread_count(); ++t)
      offsets_[t + 1] = offsets_[t] + graph.size(t);
    visited_.assign(offsets_.back(), false);
    open_.assign(1, start);
    bool found = false;
    while (!open_.empty() && !found) {
      const graph::event_id e = open_.back();
      open_.pop_back();
      successors(e, [&](graph::event_id next) {
        if (next == goal) found = true;
        const std::size_t number = offsets_[next.thread()] + next.index();
        if (visited_[number]) return;
        visited_[number] = true;
        open_.push_back(next);
      });
    }
    return found;
  }

 private:
  std::vector<std::size_t> offsets_;
  std::vector<bool> visited_;
  std::vector<graph::event_id> open_;
};

// The edges that the models share: from a write to its readers (of other threads only, if asked)
// and to the next in modification order, from a read to the write after its source, from end to
// join.
template <class Visit>
void communication_successors(const graph::execution_graph& graph, graph::event_id id,
                              bool only_external_reads_from, const Visit& visit) {
  const graph::event& e = graph[id];
  if (e.kind == graph::event_kind::write) {
    for (graph::event_id read : graph.reads(e.location))
      if (graph[read].reads_from == id &&
          !(only_external_reads_from && read.thread() == id.thread()))
        visit(read);
    const auto order = graph.modification_order(e.location);
    if (e.position != graph::unplaced && e.position < order.size()) visit(order[e.position]);
  } else if (e.kind == graph::event_kind::read) {
    const auto order = graph.modification_order(e.location);
    const std::uint32_t position = graph.position(e.reads_from);
    if (position < order.size()) visit(order[position]);
  } else if (e.kind == graph::event_kind::end) {
    for (graph::thread_id t = 0; t < graph.thread_count(); ++t)
      for (std::uint32_t i = 0; i < graph.size(t); ++i)
        if (const graph::event& j = graph.events(t)[i];
            j.kind == graph::event_kind::join && j.location == id.thread())
          visit(graph::event_id{t, i});
  }
}

}  // namespace heddle::memory_model
