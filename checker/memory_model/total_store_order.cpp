// Total store order, as x86 has it: a thread's stores are buffered, so a later load may overtake an
// earlier store; nothing else is reordered (exploration.md 2).
//
// A sequentially consistent store is followed by a full fence, as compilers do it; acquire and
// release fences, choices and notifies are no instructions and so no nodes.
#include "checker/memory_model/memory_model.hpp"
#include "checker/memory_model/reachability.hpp"

namespace heddle::memory_model {
namespace {

using graph::event;
using graph::event_id;
using graph::event_kind;

class total_store_order final : public memory_model {
 public:
  std::string_view name() const override { return "tso"; }
  graph::synchronisation rule() const override { return graph::synchronisation::by_order; }
  bool coherent_with_happens_before() const override { return false; }

  bool consistent(const graph::execution_graph& graph,
                  std::span<const event_id> changed) const override {
    const auto successors = [&](event_id id, const auto& visit) {
      preserved_program_order(graph, id, visit);
      communication_successors(graph, id, true, visit);
    };
    cycle_search search;
    for (event_id id : changed)
      if (search.reaches(graph, id, id, successors)) return false;
    return true;
  }

 private:
  static bool is_node(const event& e) {
    return e.kind != event_kind::choice && e.kind != event_kind::notify &&
           (e.kind != event_kind::fence || e.order == graph::memory_order::seq_cst);
  }
  // A store that waits in the buffer while later loads go on.
  static bool is_buffered(const event& e) {
    return e.kind == event_kind::write && !e.is_rmw && e.order != graph::memory_order::seq_cst;
  }
  static bool is_overtaking(const event& e) { return e.kind == event_kind::read && !e.is_rmw; }

  // Enough of the order: what is left out follows by transitivity.
  template <class Visit>
  static void preserved_program_order(const graph::execution_graph& graph, event_id id,
                                      const Visit& visit) {
    const event& e = graph[id];
    if (is_buffered(e)) {
      const auto events = graph.events(id.thread());
      for (std::uint32_t i = id.index() + 1; i < events.size(); ++i) {
        if (!is_node(events[i]) || is_overtaking(events[i])) continue;
        visit(event_id{id.thread(), i});
        return;
      }
      return;
    }
    everything_after(graph, id.thread(), id.index() + 1, visit);
    if (e.kind == event_kind::spawn) everything_after(graph, e.location, 0, visit);
  }

  // Up to the first node that everything after it follows.
  template <class Visit>
  static void everything_after(const graph::execution_graph& graph, graph::thread_id thread,
                               std::uint32_t from, const Visit& visit) {
    for (std::uint32_t i = from; i < graph.size(thread); ++i) {
      const event& e = graph.events(thread)[i];
      if (!is_node(e)) continue;
      visit(event_id{thread, i});
      if (!is_buffered(e)) return;
    }
  }
};

}  // namespace

std::unique_ptr<memory_model> make_total_store_order() {
  return std::make_unique<total_store_order>();
}

}  // namespace heddle::memory_model
