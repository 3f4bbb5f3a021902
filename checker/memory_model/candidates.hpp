// Which stores may a read take, and where may a store stand in modification order.
// shared/design/exploration.md 4.
#pragma once

#include <cstdint>
#include <vector>

#include "checker/memory_model/memory_model.hpp"

namespace heddle::memory_model {

// The earliest position in modification order that an event with this view of the past may still
// read, or must come after: nothing may go back behind what its past has read or written.
std::uint32_t coherence_floor(const memory_model& model, const graph::execution_graph& graph,
                              graph::location_id location, const graph::view& past);

// The writes that the thread's next operation may read, latest first, whether or not they satisfy
// its condition; the first is always allowed by the model, the others need `consistent`.
void read_candidates(const memory_model& model, const graph::execution_graph& graph,
                     graph::thread_id thread, const graph::operation& op,
                     std::vector<graph::event_id>& candidates);

// The positions that a write that is not yet in modification order may take, last first. Empty for
// the second of two read-modify-writes that read the same write.
void placements(const memory_model& model, const graph::execution_graph& graph,
                graph::event_id write, std::vector<std::uint32_t>& positions);

}  // namespace heddle::memory_model
