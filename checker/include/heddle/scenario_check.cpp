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

scenario_result check_scenario(const scenario& checked, const parameters& values,
                               const options& with) {
  scenario_result result;
  result.checked = &checked;
  struct call {
    const scenario* what;
    const parameters* values;
  };
  const call body{&checked, &values};
  result.found = check(with, [body] { body.what->body(*body.values); });
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

}  // namespace heddle
