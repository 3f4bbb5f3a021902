// What a memory model says: how views are made, how far back coherence reaches, and which graphs
// are consistent. The candidates for reads and writes follow from that (candidates.hpp).
//
// A model must be prefix-closed (a causally closed part of a consistent graph is consistent) and
// extensible (a read of the latest write, or a write placed last, can always be added); the search
// relies on nothing else. shared/design/exploration.md 2 and 4.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "checker/graph/execution_graph.hpp"

namespace heddle::memory_model {

class memory_model {
 public:
  virtual ~memory_model() = default;

  // As options and reports spell it.
  virtual std::string_view name() const = 0;
  virtual graph::synchronisation rule() const = 0;
  // Does a read see what happens-before it, whoever did it? If not, only its own thread's accesses
  // bound it and `consistent` does the rest.
  virtual bool coherent_with_happens_before() const { return true; }
  // Is the graph consistent, given that it was before `changed` were added or changed? Asked only
  // where the choice was not the latest write or the last place.
  virtual bool consistent(const graph::execution_graph& graph,
                          std::span<const graph::event_id> changed) const = 0;
  // Does every order that explains the graph have `a` before `b`? For what is asked at the end of
  // an execution; happens-before unless the model orders more.
  virtual bool precedes(const graph::execution_graph& graph, graph::event_id a,
                        graph::event_id b) const {
    return graph.happens_before(b).contains(a);
  }
};

enum class release_sequences { cpp20, cpp11 };

std::unique_ptr<memory_model> make_rc11(release_sequences = release_sequences::cpp20);
std::unique_ptr<memory_model> make_total_store_order();
std::unique_ptr<memory_model> make_sequential_consistency();

}  // namespace heddle::memory_model
