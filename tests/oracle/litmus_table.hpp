// The named programs of tests/litmus/litmus.tsv with their exact numbers of executions.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "tests/oracle/oracle.hpp"

namespace heddle::oracle {

inline constexpr std::array<dialect, 4> table_dialects{{{model::sc, release_sequence::cpp20},
                                                        {model::tso, release_sequence::cpp20},
                                                        {model::rc11, release_sequence::cpp20},
                                                        {model::rc11, release_sequence::cpp11}}};

struct litmus_row {
  std::string name;
  await_mode awaits;
  std::string text;
  std::array<std::string, table_dialects.size()> counts;  // "complete" or "complete+blockedb"
};

[[nodiscard]] std::vector<litmus_row> read_litmus_table();  // throws std::runtime_error

}  // namespace heddle::oracle
