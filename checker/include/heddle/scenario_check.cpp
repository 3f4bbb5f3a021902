#include "heddle/scenario_check.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "heddle/check.hpp"

namespace heddle {

std::optional<declared_verdict> declared_for(const scenario& checked, model memory_model) {
  switch (memory_model) {
    case model::sc:
      return checked.expect.sc;
    case model::tso:
      return checked.expect.tso;
    case model::rc11:
      return checked.expect.rc11;
  }
  return {};
}

namespace {

// Of each kind as many as the scenario or the user wants.
spurious_failures more_of(const spurious_failures& a, const spurious_failures& b) {
  return {std::max(a.wakeups, b.wakeups), std::max(a.weak_cas, b.weak_cas),
          std::max(a.try_lock, b.try_lock)};
}

}  // namespace

scenario_result check_scenario(const scenario& checked, const parameters& values,
                               const options& with) {
  scenario_result result;
  result.checked = &checked;
  struct call {
    const scenario* what;
    const parameters* values;
  };
  const call body{&checked, &values};
  options all = with_environment(with);
  all.spurious = more_of(*all.spurious, checked.spurious);
  result.found = check(all, [body] { body.what->body(*body.values); });
  if (values.as_declared()) result.declared = declared_for(checked, result.found.memory_model);
  if (!result.declared) return result;

  const declared_verdict& declared = *result.declared;
  const heddle::result& found = result.found;
  if (found.verdict != declared.kind) {
    result.surprises.push_back(
        fmt::format("declared {}, found {}", to_string(declared.kind), to_string(found.verdict)));
    return result;
  }
  if (declared.kind == verdict_kind::assertion && found.message != declared.message)
    result.surprises.push_back(fmt::format("declared the violation \"{}\", found \"{}\"",
                                           declared.message, found.message));
  if (!found.is_verified()) return result;
  for (const std::string_view outcome : checked.sometimes)
    if (std::find(found.reached.begin(), found.reached.end(), outcome) == found.reached.end())
      result.surprises.push_back(fmt::format("never reached: {}", outcome));
  if (!found.vacuous.empty()) result.surprises.push_back("vacuous: " + found.vacuous);
  return result;
}

bool cell_result::is_surprise() const {
  if (found.verdict == verdict_kind::incomplete || found.verdict == verdict_kind::error)
    return false;
  return found.is_verified() != declared;
}

std::vector<cell_result> check_table(const scenario_table& table, const std::vector<model>& models,
                                     const options& with) {
  std::vector<cell_result> results;
  for (const scenario_table::row& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      for (const model m : models) {
        if (with.interrupted != nullptr && with.interrupted->load()) return results;
        options each = with;
        each.memory_model = m;
        const scenario_table::cell& cell = row.cells[i];
        results.push_back({&table, row.name, table.columns[i], cell.holds,
                           check(each, [body = &cell.body] { (*body)(); })});
      }
    }
  }
  return results;
}

}  // namespace heddle
