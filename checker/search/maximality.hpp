// Which events a backward revisit may delete: those that were added in the one canonical way, so
// that of all the graphs that lead to the same result exactly one performs the revisit.
// shared/design/exploration.md 5.5; the idea is TruSt's (Kokologiannakis et al., POPL'22).
#pragma once

#include "checker/graph/execution_graph.hpp"

namespace heddle::search {

// For a write that stands at the end of its causal past and revisits: what was there already, in
// the eyes of something added at stamp `at`: what is older, and all of the write's past, even if it
// was added later.
class previous {
 public:
  previous(const graph::execution_graph& graph, graph::event_id revisiter)
      : graph_{graph}, revisiter_{revisiter}, past_{graph.causal_past(revisiter)} {}

  bool in_past(graph::event_id e) const { return past_.contains(e); }
  bool contains(graph::event_id write, graph::stamp at) const {
    return write.is_initial() ||
           (write != revisiter_ && (graph_[write].stamp <= at || past_.contains(write)));
  }
  // The last write of the location's modification order that was there, from position `from` on;
  // there is always one, `from` is.
  graph::event_id latest(graph::location_id location, std::uint32_t from, graph::stamp at) const {
    const auto order = graph_.modification_order(location);
    for (std::size_t i = order.size(); i > from; --i)
      if (contains(order[i - 1], at)) return order[i - 1];
    return graph_.at_position(location, from);
  }

  // Was the event added maximally: a read of the latest write there was, a write placed last (and
  // not one that has revisited: its past is fixed), a choice of 0?
  bool added_maximally(graph::event_id id) const {
    const graph::event& e = graph_[id];
    switch (e.kind) {
      case graph::event_kind::read:
        return latest_is(e, graph_.position(e.reads_from));
      case graph::event_kind::write:
        return !e.is_revisiter && latest_is(e, e.position);
      case graph::event_kind::choice:
        return e.val.low == 0;
      default:
        return true;
    }
  }

 private:
  bool latest_is(const graph::event& e, std::uint32_t position) const {
    const auto order = graph_.modification_order(e.location);
    for (std::size_t i = order.size(); i > position; --i)
      if (contains(order[i - 1], e.stamp)) return false;
    return true;
  }

  const graph::execution_graph& graph_;
  graph::event_id revisiter_;
  graph::view past_;
};

}  // namespace heddle::search
