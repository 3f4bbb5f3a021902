// Awaits without blocked executions: an unsatisfied await is not in the graph, its thread stands at
// the operation, and records say which writes it may still take so that every execution comes up
// once. shared/design/exploration.md 5.9; where it comes from and what was refuted is there.
#pragma once

#include <vector>

#include "checker/memory_model/candidates.hpp"
#include "checker/search/maximality.hpp"

namespace heddle::search {

// Would the virtual blocked read that stands at the record's mark have been moved to `write` by a
// series of revisits? `any`: `write` itself need not be placed late.
bool chain(const graph::execution_graph& graph, const graph::park_record& record,
           graph::event_id write, bool any);

// The last record of the await at (thread, index) that a revisit made; null: none.
const graph::park_record* last_marked(const graph::execution_graph& graph, graph::thread_id thread,
                                      std::uint32_t index);

// Does the record stand for the canonical choice, as `added_maximally` is for events?
bool record_maximal(const graph::execution_graph& graph, const previous& present,
                    const graph::park_record& record);

// Keeps of the candidates (latest first) what the thread's next operation, a blocking one, may
// read.
void keep_satisfying(const graph::execution_graph& graph, graph::thread_id thread,
                     const graph::operation& op, std::vector<graph::event_id>& candidates);

// At the end of an execution: does the thread wait for ever at `op`? If not, another execution
// covers this one, and it is dropped.
bool waits_for_ever(const graph::execution_graph& graph, graph::thread_id thread,
                    const graph::operation& op);

}  // namespace heddle::search
