// The engine's answers in the oracle's terms, and the comparison of the two: the same graphs, each
// once, the same outcomes, races, failing asserts and deadlocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "checker/litmus/program.hpp"
#include "checker/litmus/run.hpp"
#include "tests/oracle/oracle.hpp"

namespace heddle::oracle {

struct configuration {
  dialect in{};
  await_mode awaits = await_mode::parked;
};

[[nodiscard]] std::string text_of(const configuration& how);  // "rc11, parked"

// Every model in both await modes; where a program cannot tell two of them apart, one of the two.
[[nodiscard]] std::vector<configuration> configurations_for(const litmus::program& source,
                                                            bool with_cpp11_sequences);

[[nodiscard]] std::unique_ptr<memory_model::memory_model> engine_model(dialect in);
[[nodiscard]] search::awaits engine_awaits(await_mode awaits);

// The engine's graph in the oracle's words; see canonical_text of an oracle's graph.
[[nodiscard]] std::string canonical_text(const litmus::run_options::ended& run,
                                         const litmus::program& source);

struct engine_result {
  std::vector<std::string> complete;  // sorted; one text for each execution, so perhaps twice
  std::vector<std::string> blocked;   // likewise
  std::vector<outcome> outcomes;      // sorted, without duplicates
  bool assertion_failed = false;
  verdict_kind verdict = verdict_kind::verified;
  std::string message;  // of the verdict
};

// `schedule`: the seed of a scheduler that picks any thread; 0: the runtime's own.
[[nodiscard]] engine_result run_engine(const litmus::program& source, const configuration& how,
                                       std::uint64_t schedule = 0);

struct comparison_options {
  bool cpp11_sequences = false;  // as well
  std::size_t max_states = 0;    // of the oracle; 0: any number
  std::uint64_t schedule = 0;
};

struct comparison_result {
  std::string difference;  // empty: none
  std::size_t graphs = 0;  // the engine's
  std::size_t runs = 0;    // of the engine, one a configuration
  bool too_large = false;  // for the oracle
  bool data_race = false;  // in some configuration
};

// Runs both and says how they differ, naming the program. Compares the engine's models with each
// other as well: what SC allows TSO allows, what TSO allows RC11 does.
[[nodiscard]] comparison_result compare(const litmus::program& source,
                                        const comparison_options& options);

}  // namespace heddle::oracle
