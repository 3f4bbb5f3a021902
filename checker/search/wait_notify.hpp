// C++20's atomic wait and notify: which waits stay asleep at the end of an execution.
//
// A wait that finds the old value is a read that stays in the graph, and its thread sleeps; a
// notify is an event without effect. Whether one wakes the other is asked only at the end, by the
// rule of [atomics.wait]: a wait that has read X is eligible for a notify N if there is a write Y
// after X in modification order and before N. An eligible sleeper would have been woken: that
// execution is another one. shared/design/exploration.md 9.5.
#pragma once

#include <span>

#include "checker/memory_model/memory_model.hpp"

namespace heddle::search {

// Can all these threads, whose last event is the read of a wait that found the old value, sleep for
// ever? Every notify_all must have come too early for each of them, and every notify_one that some
// of them are eligible for must have woken another wait, a different one each.
bool sleep_on(const memory_model::memory_model& model, const graph::execution_graph& graph,
              std::span<const graph::thread_id> sleepers);

}  // namespace heddle::search
