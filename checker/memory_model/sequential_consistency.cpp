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
    cycle_search search;
    for (graph::event_id id : changed)
      if (search.reaches(graph, id, id, successors{graph})) return false;
    return true;
  }

  bool precedes(const graph::execution_graph& graph, graph::event_id a,
                graph::event_id b) const override {
    cycle_search search;
    return a.is_initial() || search.reaches(graph, a, b, successors{graph});
  }

 private:
  struct successors {
    const graph::execution_graph& graph;

    template <class Visit>
    void operator()(graph::event_id id, const Visit& visit) const {
      if (id.index() + 1 < graph.size(id.thread()))
        visit(graph::event_id{id.thread(), id.index() + 1});
      if (const graph::event& e = graph[id];
          e.kind == graph::event_kind::spawn && graph.size(e.location) != 0)
        visit(graph::event_id{e.location, 0});
      communication_successors(graph, id, false, visit);
    }
  };
};

}  // namespace

std::unique_ptr<memory_model> make_sequential_consistency() {
  return std::make_unique<sequential_consistency>();
}

}  // namespace heddle::memory_model
