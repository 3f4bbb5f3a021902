// An order of a graph's events in which a person can read them. shared/design/exploration.md 8.
//
// Of all orders that respect program order, reads_from, spawn and join, the one with the fewest
// marks, and of those the one with the fewest context switches. A mark is a read that does not
// return the newest write before it, or a write that stands in modification order before one that
// came earlier. No marks: a sequentially consistent order. If there is one, no marks are needed.
//
// The search is Dijkstra's over (steps done by each thread, running thread). What keeps it small:
// call a step safe when all that reads_from, modification order and from-read put before it is
// done. Doing a safe step makes no other step worse, so a running thread whose next step is safe
// does it at once, and only where it stops being safe is there a choice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/graph/execution_graph.hpp"

namespace heddle::report {

// One event, or a read-modify-write as a whole: read, choice of a pick, write.
struct step {
  graph::event_id first;
  std::uint32_t events = 1;
  bool is_stale = false;         // it reads an older write than `newest`
  bool is_out_of_order = false;  // it writes before `newest` in modification order
  graph::event_id newest;        // of a marked step: the newest write before it

  graph::event_id last() const { return {first.thread(), first.index() + events - 1}; }
  bool is_marked() const { return is_stale || is_out_of_order; }
};

struct linearisation {
  std::vector<step> steps;
  std::uint32_t marks = 0;
  std::uint32_t switches = 0;
  bool is_minimal = true;  // false: the bound was hit; marks == 0 still says if there can be none

  bool is_sequentially_consistent() const { return marks == 0; }
};

struct linearise_options {
  // Keep only what is in the causal past of the ends of these threads; empty: everything.
  std::vector<graph::thread_id> ends;
  std::size_t max_states = 200'000;  // beyond that greedy: keep the running thread
};

linearisation linearise(const graph::execution_graph& graph, const linearise_options& how = {});

}  // namespace heddle::report
