// Prints the table of a family of scenarios.
#pragma once

#include <vector>

#include "heddle/scenario_check.hpp"

namespace heddle::cli {

// To standard output. `results`: of check_table with the same models, complete or not.
void print_table(const scenario_table& table, const std::vector<model>& models,
                 const std::vector<cell_result>& results);

}  // namespace heddle::cli
