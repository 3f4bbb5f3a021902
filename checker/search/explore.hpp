// The search loop: runs one execution after the other until a strategy has no more, something is
// violated or a bound is hit, and says what that means.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "checker/runtime/execution.hpp"
#include "checker/search/strategy.hpp"

namespace heddle::search {

struct bounds {
  std::optional<std::uint64_t> max_executions;
  std::optional<double> time_limit;         // seconds
  std::optional<std::uint64_t> max_memory;  // bytes of the process
  const std::atomic<bool>* interrupted = nullptr;
};

// How an execution ended.
enum class ending : std::uint8_t {
  complete,
  blocked,  // a thread is stuck by an assumption or a bound, or waits for ever
  dropped,  // covered by another execution
  failed,   // a violation or an error
};

struct counts {
  std::uint64_t executions = 0;  // complete ones
  std::uint64_t blocked = 0;
  std::uint64_t dropped = 0;
  std::uint64_t runs = 0;       // bodies run natively
  std::uint64_t dead_ends = 0;  // combinations that needed no run
  std::uint64_t events = 0;     // added, replays not counted
  std::uint32_t largest_graph = 0;
};

struct exploration {
  verdict_kind verdict = verdict_kind::verified;
  // The violation or error; else empty.
  std::optional<runtime::failure> failure;
  // What cut the search, naming the options and for max_steps the place; empty: nothing.
  std::string bound;
  search::counts counts;
};

struct hooks {
  // Each execution, as it ends; the graph and the run are still there. May be empty.
  std::function<void(const runtime::execution&, const graph::execution_graph&, ending)> ended;
  // Go on after an execution in which threads wait for ever: for counting, not for checking.
  bool keep_going = false;
};

exploration explore(strategy& strategy, runtime::execution& execution, const runtime::body& body,
                    const bounds& limits, const hooks& hooks = {});

}  // namespace heddle::search
