// A way to search: which execution comes next, and what the end of one means.
#pragma once

#include <cstdint>
#include <span>

#include "checker/memory_model/memory_model.hpp"
#include "checker/runtime/decisions.hpp"

namespace heddle::search {

// Counts of a strategy's own work.
struct work {
  std::uint64_t items = 0;      // graphs handed to the runtime
  std::uint64_t dead_ends = 0;  // combinations found inconsistent or conflicting, without a run
};

class strategy : public runtime::decisions {
 public:
  // Forgets all it has explored: the first execution comes again.
  virtual void restart() = 0;
  // Prepares the next execution; false: none is left.
  virtual bool next() = 0;
  // The execution has ended with this thread waiting at `op`: for ever? If not, the execution is
  // covered by another one and does not count.
  virtual bool waits_for_ever(graph::thread_id thread, const graph::operation& op) = 0;
  // The model whose executions it explores.
  virtual const memory_model::memory_model& model() const = 0;
  const heddle::search::work& done() const { return work_; }

 protected:
  // Operations that leave nothing to choose: fence, spawn, notify, end, and a join of a thread that
  // has ended; any other join waits.
  static runtime::answer append_unbranching(graph::execution_graph& graph, graph::thread_id thread,
                                            const graph::operation& op);

  heddle::search::work work_;
};

}  // namespace heddle::search
