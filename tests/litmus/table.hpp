// The named programs of litmus.tsv with their exact numbers of executions.
#pragma once

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "checker/search/exhaustive.hpp"
#include "checker/search/explore.hpp"

namespace heddle {

struct row {
  std::string name;
  search::awaits awaits;
  std::string text;
  std::string sc, tso, rc11, rc11_cpp11;  // "complete" or "complete+blockedb"
};

inline std::vector<row> table() {
  std::vector<row> rows;
  std::ifstream file{HEDDLE_TEST_DATA "/litmus/litmus.tsv"};
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    std::istringstream in{line};
    for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
    rows.push_back({fields.at(0),
                    fields.at(1) == "parked" ? search::awaits::parked : search::awaits::as_assume,
                    fields.at(2), fields.at(3), fields.at(4), fields.at(5), fields.at(6)});
  }
  return rows;
}

// As the table writes them.
inline std::string count_text(const search::counts& counts) {
  std::string text = std::to_string(counts.executions);
  if (counts.blocked != 0) text += "+" + std::to_string(counts.blocked) + "b";
  return text;
}

}  // namespace heddle
