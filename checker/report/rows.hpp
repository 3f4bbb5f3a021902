// From a step of the graph to a row of the counterexample: which operation it was, on what, with
// which values.
//
// The graph keeps effects, not intentions. A lock is recognised by its acquisition, the only
// operation that waits for a word to be zero and replaces it; fetch_add and its kind by computing
// them. In-house header of report/.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "checker/report/counterexample.hpp"

namespace heddle::report {

class row_maker {
 public:
  row_maker(const graph::execution_graph& graph, const run_facts& facts,
            const linearisation& order);

  // One row a step, numbered.
  std::vector<row> rows() const;
  std::vector<initial_value> initially() const;

  bool is_lock(graph::location_id location) const { return locks_[location]; }
  std::string name(graph::location_id location) const;
  std::string text(graph::location_id location, graph::value v) const;
  std::string place(graph::event_id e) const;
  // "#7", or "the start" for the initial write; empty: not shown.
  std::string mention(graph::event_id e) const;
  std::uint32_t number_of(graph::event_id e) const;

 private:
  row make_row(const step& s) const;
  // Only bookkeeping of the engine, with nothing to see.
  bool is_hidden(const step& s) const;
  graph::object_kind kind(graph::location_id location) const {
    return facts_.kind_of ? facts_.kind_of(location) : graph::object_kind::atomic;
  }
  void fill_write(row& r, const graph::event& e) const;
  void fill_read(row& r, const step& s) const;
  void fill_operation(row& r, const graph::operation& op, const graph::event& e,
                      const step& s) const;

  const graph::execution_graph& graph_;
  const run_facts& facts_;
  const linearisation& order_;
  std::vector<bool> locks_;                          // by location
  std::vector<std::vector<std::uint32_t>> numbers_;  // by thread and event; 0: not shown
};

std::string order_text(graph::memory_order order);

// "fetch_add", "fetch_sub", ..., "exchange", or "rmw".
std::string rmw_verb(const graph::operation& op, graph::value old, graph::value made);

}  // namespace heddle::report
