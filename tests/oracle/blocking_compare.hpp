// The engine's outcomes of a program over blocking primitives beside the machine's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "checker/search/explore.hpp"
#include "tests/oracle/axioms.hpp"
#include "tests/oracle/blocking_machine.hpp"
#include "tests/oracle/blocking_program.hpp"

namespace heddle::oracle::blocking {

struct engine_options {
  model memory_model = model::sc;
  bool interleavings = false;  // every one, unreduced; sc only
  std::uint64_t schedule = 0;  // seed of a scheduler that picks any thread; 0: the runtime's own
  std::uint64_t max_executions = 0;  // 0: any number
};

struct engine_result {
  std::set<outcome>
      outcomes;  // of complete executions, and of those with threads that wait for ever
  std::uint64_t executions = 0;  // the same
  std::string repeated;  // the canonical text of a graph that came twice, but for interleavings
  std::string failure;   // neither verified nor threads that wait for ever
  bool cut = false;      // by max_executions
};

[[nodiscard]] engine_result run_engine(const program& source, const engine_options& how);

struct comparison_options {
  wake_rule wakes = wake_rule::eligible;
  std::size_t max_states = 0;
  std::uint64_t max_executions = 0;     // of a search; what is beyond is compared by inclusion
  std::uint64_t max_interleavings = 0;  // likewise
  std::uint64_t schedule = 0;
};

struct comparison_result {
  std::string difference;  // empty: none
  std::string misuse;      // the program has no meaning, nothing was compared
  bool too_large = false;  // for the machine, nothing was compared
  std::size_t states = 0;
  std::size_t outcomes = 0;
  std::size_t blocked_outcomes = 0;
  std::uint64_t executions = 0;
  bool cut = false;                // some model's search
  bool cut_interleavings = false;  // not all were looked at
};

// The searches are compared with the machine under SC, the models with each other: what SC allows
// TSO allows, what TSO allows RC11 does.
[[nodiscard]] comparison_result compare(const program& source, const comparison_options& how);

// A smaller program that still differs.
[[nodiscard]] program shrink(program source, const comparison_options& how);

}  // namespace heddle::oracle::blocking
