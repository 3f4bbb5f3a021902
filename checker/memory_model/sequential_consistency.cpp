// Sequential consistency: one order of all events explains every value.
// sb, rf, co, fr and asw together are acyclic (exploration.md 2).
#include "checker/memory_model/memory_model.hpp"
#include "checker/memory_model/reachability.hpp"

namespace heddle::memory_model {
namespace {

class sequential_consistency final : public memory_model {
 public:
  std::string_view name() const override { return "sc"; }
  graph::synchronisation rule() const override { return graph::synchronisation::always; }

  bool consistent(const graph::execution_graph& graph,
                  std::span<const graph::event_id> changed) const override {
    const auto successors = [&](graph::event_id id, const auto& visit) {
      if (id.index() + 1 < graph.size(id.thread()))
        visit(graph::event_id{id.thread(), id.index() + 1});
      if (const graph::event& e = graph[id];
          e.kind == graph::event_kind::spawn && graph.size(e.location) != 0)
        visit(graph::event_id{e.location, 0});
      communication_successors(graph, id, false, visit);
    };
    cycle_search search;
    for (graph::event_id id : changed)
      if (search.returns(graph, id, successors)) return false;
    return true;
  }
};

}  // namespace

std::unique_ptr<memory_model> make_sequential_consistency() {
  return std::make_unique<sequential_consistency>();
}

}  // namespace heddle::memory_model
