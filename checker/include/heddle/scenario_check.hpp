// Runs a scenario and holds what comes out against what it declares. Checked build only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heddle/result.hpp"
#include "heddle/scenario.hpp"
#include "heddle/scenario_table.hpp"

namespace heddle {

struct scenario_result {
  const scenario* checked = nullptr;
  result found;
  // What the scenario declares for the model. Empty: nothing, or the parameters are not the
  // declared ones; then the verdict is reported and not judged.
  std::optional<declared_verdict> declared;
  // How the result differs from the declaration; empty: it does not, or it is not judged.
  std::vector<std::string> surprises;

  bool is_judged() const { return declared.has_value(); }
};

// The verdict that the scenario declares for the model, if any.
std::optional<declared_verdict> declared_for(const scenario& checked, model memory_model);

// Throws usage_error for options without meaning.
scenario_result check_scenario(const scenario& checked, const parameters& values,
                               const options& with);

// A cell of a table under one model.
struct cell_result {
  const scenario_table* table = nullptr;
  std::string_view row;
  std::string_view column;
  bool declared = false;  // to hold
  result found;

  // It was decided, and not as declared.
  bool is_surprise() const;
};

// Every cell under each of the models; stops early when the options are interrupted.
std::vector<cell_result> check_table(const scenario_table& table, const std::vector<model>& models,
                                     const options& with);

}  // namespace heddle
