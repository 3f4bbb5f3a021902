// What a step on a lock, a semaphore, a condition variable, ... is called: the engine sees reads
// and writes of a hidden word, a person wants to read "acquire slots -> 1".
#pragma once

#include <optional>
#include <string>

#include "checker/report/counterexample.hpp"
#include "checker/report/linearisation.hpp"

namespace heddle::report {

// Of a step that is an access. Nothing for atomics and plain mutexes, which have words of their
// own (rows).
std::optional<std::string> object_step(const graph::execution_graph& graph, const step& s,
                                       const run_facts& facts, const std::string& name);

// "waits at the latch start, whose count is 2": of a thread that stands at `op`. `whole`: the
// object of which the operation's location is a part, if it is one. Nothing for all but these.
std::optional<std::string> object_wait(const graph::execution_graph& graph,
                                       const graph::operation& op, graph::location_id whole,
                                       const std::string& name);

// What a value of such an object means: "shared by threads 1, 2", "phase 0, 1 to come". Nothing
// where the value is best shown as it is.
std::optional<std::string> object_value(graph::object_kind kind, graph::value v);

}  // namespace heddle::report
