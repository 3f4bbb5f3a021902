#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>

#include "checker/cli/commands.hpp"
#include "checker/cli/selection.hpp"
#include "checker/cli/table_print.hpp"
#include "heddle/error.hpp"
#include "heddle/scenario_check.hpp"

namespace heddle::cli {

namespace {

constexpr model all_models[] = {model::sc, model::tso, model::rc11};

// The scenario's parameters with what --set says. A name that none of the chosen scenarios has is
// an error; one that only others have is not for this one.
parameters values_for(const scenario& chosen, const std::vector<std::string>& sets) {
  parameters values{chosen.parameters};
  for (const std::string& set : sets) {
    const std::size_t equals = set.find('=');
    const std::string name = set.substr(0, equals);
    if (std::none_of(chosen.parameters.begin(), chosen.parameters.end(),
                     [&](const parameter& p) { return p.name == name; }))
      continue;
    int value = 0;
    const char* first = set.data() + equals + 1;
    const char* last = set.data() + set.size();
    if (const auto [end, code] = std::from_chars(first, last, value);
        code != std::errc{} || end != last)
      throw usage_error(fmt::format("--set {}: valid is name=value with a whole number", set));
    try {
      values.set(name, value);
    } catch (const std::invalid_argument& e) {
      throw usage_error(fmt::format("--set {}: {}: {}", set, chosen.name, e.what()));
    }
  }
  return values;
}

void check_names(const std::vector<const scenario*>& chosen, const std::vector<std::string>& sets) {
  std::vector<std::string_view> known;
  for (const scenario* s : chosen)
    for (const parameter& p : s->parameters)
      if (std::find(known.begin(), known.end(), p.name) == known.end()) known.push_back(p.name);
  std::sort(known.begin(), known.end());
  for (const std::string& set : sets) {
    const std::string name = set.substr(0, set.find('='));
    if (set.find('=') == std::string::npos ||
        std::find(known.begin(), known.end(), name) == known.end())
      throw usage_error(fmt::format("--set {}: valid is name=value with the names {}", set,
                                    fmt::join(known, ", ")));
  }
}

nlohmann::json json_of(const scenario_result& r) {
  return {{"scenario", r.checked->name},
          {"id", r.checked->id},
          {"memory_model", to_string(r.found.memory_model)},
          {"verdict", to_string(r.found.verdict)},
          {"declared", r.declared ? nlohmann::json(to_string(r.declared->kind)) : nullptr},
          {"surprises", r.surprises},
          {"executions", r.found.executions},
          {"blocked", r.found.blocked},
          {"events", r.found.events},
          {"largest_graph", r.found.largest_graph},
          {"message", r.found.message},
          {"where", r.found.where},
          {"other", r.found.other},
          {"bound", r.found.bound},
          {"counterexample", r.found.counterexample}};
}

nlohmann::json json_of(const cell_result& r) {
  return {{"table", r.table->family},
          {"row", r.row},
          {"column", r.column},
          {"memory_model", to_string(r.found.memory_model)},
          {"verdict", to_string(r.found.verdict)},
          {"declared", r.declared ? "holds" : "violated"},
          {"surprise", r.is_surprise()},
          {"executions", r.found.executions},
          {"blocked", r.found.blocked},
          {"message", r.found.message},
          {"where", r.found.where},
          {"counterexample", r.found.counterexample}};
}

// Tables of families all of whose scenarios are to run.
std::vector<const scenario_table*> tables_of(const std::vector<const scenario*>& chosen) {
  std::vector<const scenario_table*> tables;
  for (const scenario_table* table : registered_tables()) {
    const std::string prefix = std::string{table->family} + '.';
    const auto is_of_family = [&](const scenario* s) { return s->name.starts_with(prefix); };
    const auto all = registered_scenarios();
    const auto there = std::ranges::count_if(all, is_of_family);
    if (there != 0 && std::ranges::count_if(chosen, is_of_family) == there) tables.push_back(table);
  }
  return tables;
}

std::string remark(const scenario_result& r) {
  if (!r.surprises.empty()) return fmt::format("SURPRISE: {}", fmt::join(r.surprises, "; "));
  std::string text = r.is_judged() ? "as declared" : "not judged";
  if (!r.found.message.empty()) text += ": " + r.found.message;
  if (r.checked->spurious != spurious_failures{})
    text += fmt::format(" ({})", to_string(r.found.spurious));
  return text;
}

struct sums {
  unsigned runs = 0;
  unsigned as_declared = 0;
  unsigned surprises = 0;
  unsigned incomplete = 0;
  unsigned errors = 0;
  unsigned not_judged = 0;

  void add(const scenario_result& r) {
    ++runs;
    if (r.found.verdict == verdict_kind::error) {
      ++errors;
    } else if (r.found.verdict == verdict_kind::incomplete) {
      ++incomplete;
    } else if (!r.is_judged()) {
      ++not_judged;
    } else if (!r.surprises.empty()) {
      ++surprises;
    } else {
      ++as_declared;
    }
  }
  unsigned cells = 0;
  unsigned cells_as_declared = 0;
  void add(const cell_result& r) {
    ++cells;
    if (r.found.verdict == verdict_kind::error) {
      ++errors;
    } else if (r.found.verdict == verdict_kind::incomplete) {
      ++incomplete;
    } else if (r.is_surprise()) {
      ++surprises;
    } else {
      ++cells_as_declared;
    }
  }
  int status() const {
    if (errors != 0) return error;
    if (surprises != 0) return surprise;
    return incomplete != 0 ? exit_status::incomplete : exit_status::as_declared;
  }
};

}  // namespace

int run(const run_arguments& arguments) {
  const auto chosen = select(arguments.pattern);
  check_names(chosen, arguments.sets);
  // an unusable value is said before anything runs
  for (const scenario* s : chosen) values_for(*s, arguments.sets);
  const options with = with_environment(arguments.options);
  std::ofstream json;
  if (!arguments.json.empty()) {
    json.open(arguments.json);
    if (!json) throw usage_error(fmt::format("--json {}: cannot be written", arguments.json));
  }
  const auto interrupted = [&with] {
    return with.interrupted != nullptr && with.interrupted->load();
  };
  const bool one_model = arguments.options.memory_model.has_value() ||
                         std::getenv("HEDDLE_MEMORY_MODEL") != nullptr ||
                         with.search == strategy::interleavings;

  std::size_t width = 8;
  for (const scenario* s : chosen) width = std::max(width, s->name.size());
  fmt::print("{:{}}  {:5}  {:10}  {:>10}  {:>7}  {}\n", "scenario", width, "model", "verdict",
             "executions", "blocked", "");
  sums sum;
  nlohmann::json runs = nlohmann::json::array();
  nlohmann::json cells = nlohmann::json::array();
  for (const scenario* s : chosen) {
    for (const model m : all_models) {
      if (one_model ? m != with.memory_model : !declared_for(*s, m)) continue;
      options each = with;
      each.memory_model = m;
      const scenario_result r = check_scenario(*s, values_for(*s, arguments.sets), each);
      sum.add(r);
      fmt::print("{:{}}  {:5}  {:10}  {:>10}  {:>7}  {}\n", s->name, width, to_string(m),
                 to_string(r.found.verdict), r.found.executions, r.found.blocked, remark(r));
      if (!r.found.bound.empty()) fmt::print("  cut by {}\n", r.found.bound);
      if (arguments.traces ? !r.found.message.empty()
                           : !r.surprises.empty() || r.found.verdict == verdict_kind::error)
        fmt::print("\n{}\n", r.found.report());
      std::fflush(stdout);
      if (!arguments.json.empty()) runs.push_back(json_of(r));
      if (interrupted()) break;
    }
    if (interrupted()) break;
  }
  std::vector<model> models;
  for (const model m : all_models)
    if (!one_model || m == with.memory_model) models.push_back(m);
  for (const scenario_table* table :
       arguments.sets.empty() ? tables_of(chosen) : std::vector<const scenario_table*>{}) {
    const auto results = check_table(*table, models, with);
    print_table(*table, models, results);
    for (const cell_result& r : results) {
      sum.add(r);
      if (r.is_surprise() || r.found.verdict == verdict_kind::error)
        fmt::print("{}, {} ({}):\n{}\n", r.row, r.column, to_string(r.found.memory_model),
                   r.found.report());
      if (!r.found.bound.empty())
        fmt::print("{}, {} ({}): cut by {}\n", r.row, r.column, to_string(r.found.memory_model),
                   r.found.bound);
      cells.push_back(json_of(r));
    }
  }
  const std::string tables = sum.cells == 0 ? ""
                                            : fmt::format("; tables: {} of {} cells as declared",
                                                          sum.cells_as_declared, sum.cells);
  fmt::print(
      "{} scenarios, {} runs: {} as declared, {} surprises, {} incomplete, {} errors, {} "
      "not judged ({}){}\n",
      chosen.size(), sum.runs, sum.as_declared, sum.surprises, sum.incomplete, sum.errors,
      sum.not_judged, to_string(*with_environment({}).spurious), tables);
  if (!arguments.json.empty()) {
    json << nlohmann::json{{"runs", runs}, {"tables", cells}}.dump(2) << '\n';
    if (!json.flush())
      throw usage_error(fmt::format("--json {}: cannot be written", arguments.json));
  }
  // what did not run any more is missing, even if all that ran is as declared
  if (interrupted() && sum.status() == exit_status::as_declared) return incomplete;
  return sum.status();
}

}  // namespace heddle::cli
