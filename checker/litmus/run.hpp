// Runs a litmus program through the engine: each of its threads is a fiber that interprets the
// text, so that counts and outcomes are the engine's own.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "checker/litmus/program.hpp"
#include "checker/memory_model/memory_model.hpp"
#include "checker/search/exhaustive.hpp"
#include "checker/search/explore.hpp"

namespace heddle::litmus {

struct final_state {
  std::vector<register_file> registers;  // by thread
  std::vector<std::int64_t> memory;      // by location: the last of its modification order

  auto operator<=>(const final_state&) const = default;
};

struct run_options {
  search::bounds limits;
  bool outcomes = false;
  // The order in which the first thread starts the others; empty: as in the text.
  std::vector<int> creation_order;
  // Each execution as it ends, with the numbers that the engine has given to the program's threads
  // and locations.
  struct ended {
    const graph::execution_graph& graph;
    search::ending how;
    const std::vector<graph::thread_id>& threads;      // by thread of the program
    const std::vector<graph::location_id>& locations;  // by location of the program
  };
  std::function<void(const ended&)> on_end;
};

struct run_result {
  search::exploration exploration;
  std::uint64_t violations = 0;                   // executions in which an assert fails
  std::map<final_state, std::uint64_t> outcomes;  // of complete executions, with how many each
};

run_result run(const program& source, search::strategy& strategy, const run_options& options);

}  // namespace heddle::litmus
