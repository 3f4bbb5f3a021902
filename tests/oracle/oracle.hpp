// The brute-force oracle of shared/design/exploration.md, section 11: every execution graph of a
// litmus program, found without any of the cleverness (and without any of the code) of the engine
// that it checks. A state is a partial graph; a move adds the next event of any thread, a read
// takes any write present, a write any place in its co; a set of visited states does the rest.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/litmus/program.hpp"
#include "tests/oracle/axioms.hpp"

namespace heddle::oracle {

enum class await_mode {
  parked,  // an await reads a satisfying write or does not move; a graph counts only if no waiting
           // thread could go on with the last write of its location ("fair" in the specification)
  assume   // an await may read any write; an unsatisfying one leaves its thread stuck ("Model A")
};

struct options {
  dialect in{};
  await_mode awaits = await_mode::parked;
  std::size_t max_states = 0;  // give up beyond; 0: never
  // No cut and no axiom before a graph is complete, and then all orders of the writes: slow, and
  // obviously right. It validates the cutting search.
  bool pure = false;
};

// How a complete (not blocked) graph ends.
struct outcome {
  std::vector<litmus::register_file> registers;  // one a thread
  std::vector<std::int64_t> memory;              // one a location

  auto operator<=>(const outcome&) const = default;
};

struct result {
  // Canonical texts (see execution.hpp), sorted. Graphs that differ in plain accesses only, which a
  // program without races does not have, come out as the same text, once each.
  std::vector<std::string> complete;
  std::vector<std::string> blocked;  // some thread is stuck at an assume, an await or a join
  // How many of the blocked graphs are an error under fairness: no thread is stuck at an assume,
  // and each await that blocks one stands at the last write of its location. Of the latter an await
  // that reads a stale write in assume mode falls short; in parked mode it goes without saying.
  std::size_t deadlocks = 0;
  std::vector<outcome> outcomes;  // sorted, without duplicates
  // In some consistent graph, complete or not.
  bool assertion_failed = false;
  bool data_race = false;

  std::size_t states = 0;  // visited
  bool too_large = false;  // gave up, all the above is incomplete
};

[[nodiscard]] result explore(const litmus::program& source, const options& how);

}  // namespace heddle::oracle
