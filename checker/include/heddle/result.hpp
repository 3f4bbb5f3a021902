// What a check has found.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "checker/runtime/verdict.hpp"
#include "heddle/options.hpp"

namespace heddle {

struct result {
  // verified only if the search was complete; a violation's kind; incomplete; error.
  verdict_kind verdict = verdict_kind::verified;
  model memory_model = model::rc11;
  spurious_failures spurious{};

  // Complete executions, and those in which a thread is stuck (an assumption that does not hold, a
  // bound) or waits for ever.
  std::uint64_t executions = 0;
  std::uint64_t blocked = 0;
  // Bodies run natively, graphs dropped without a run, events added, the most events of a graph.
  std::uint64_t runs = 0;
  std::uint64_t dead_ends = 0;
  std::uint64_t events = 0;
  std::uint32_t largest_graph = 0;

  // The violated condition, or what the error is; with its source line. Empty: there is none.
  std::string message;
  std::string where;
  // A second place that belongs to it: of the earlier access of a data race, of the start of a
  // misused thread. Empty: there is none.
  std::string other;
  // The option that cut the search; empty: none did.
  std::string bound;
  // Why the check says nothing although nothing is violated: no complete execution, nothing that
  // could fail, threads that share nothing. Empty: it does say something.
  std::string vacuous;
  // The violation as a table with one column a thread. Empty: there is none.
  std::string counterexample;
  // Names given to `reached`, in order of appearance.
  std::vector<std::string> reached;

  bool is_verified() const { return verdict == verdict_kind::verified; }
  // One line: "verified, 24 executions (0 blocked), rc11, no spurious failures".
  std::string summary() const;
  // The summary, and for anything but verified all there is to say.
  std::string report() const;
};

}  // namespace heddle
