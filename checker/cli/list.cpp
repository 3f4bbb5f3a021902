#include <fmt/format.h>

#include <algorithm>

#include "checker/cli/commands.hpp"
#include "checker/cli/selection.hpp"
#include "heddle/scenario_check.hpp"

namespace heddle::cli {

namespace {

std::string verdict_text(const scenario& listed, model memory_model) {
  const auto declared = declared_for(listed, memory_model);
  return declared ? std::string{to_string(declared->kind)} : "-";
}

}  // namespace

int list(const list_arguments& arguments) {
  const auto chosen = select(arguments.pattern);
  std::size_t name_width = 4;
  std::size_t id_width = 2;
  for (const scenario* s : chosen) {
    name_width = std::max(name_width, s->name.size());
    id_width = std::max(id_width, s->id.size());
  }
  fmt::print("{:{}}  {:{}}  {:10}  {:10}  {:10}  {}\n", "name", name_width, "id", id_width, "sc",
             "tso", "rc11", "why");
  for (const scenario* s : chosen) {
    std::string parameters;
    for (const parameter& p : s->parameters)
      parameters += fmt::format("{}{}={} ({}..{})", parameters.empty() ? "" : ", ", p.name, p.value,
                                p.min, p.max);
    fmt::print("{:{}}  {:{}}  {:10}  {:10}  {:10}  {}{}\n", s->name, name_width, s->id, id_width,
               verdict_text(*s, model::sc), verdict_text(*s, model::tso),
               verdict_text(*s, model::rc11), s->because,
               parameters.empty() ? "" : " [" + parameters + "]");
  }
  return as_declared;
}

}  // namespace heddle::cli
