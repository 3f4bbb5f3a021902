#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <set>
#include <sstream>

#include "checker/cli/commands.hpp"
#include "checker/litmus/program.hpp"
#include "checker/litmus/run.hpp"
#include "checker/search/interleavings.hpp"
#include "heddle/error.hpp"

namespace heddle::cli {

namespace {

// The text itself, or the content of the file of that name, without lines that begin with #.
std::string text_of(const std::string& program) {
  std::ifstream file{program};
  if (!file) return program;
  std::string text;
  for (std::string line; std::getline(file, line);)
    if (!line.starts_with('#')) text += line + ' ';
  return text;
}

// The registers that a thread's instructions set.
std::set<int> registers_of(const std::vector<heddle::litmus::instruction>& thread) {
  std::set<int> used;
  for (const auto& i : thread)
    if (i.result != heddle::litmus::none) used.insert(i.result);
  return used;
}

void print_outcomes(const heddle::litmus::program& source,
                    const heddle::litmus::run_result& result) {
  for (const auto& [state, times] : result.outcomes) {
    std::string line;
    for (std::size_t t = 0; t < source.threads.size(); ++t)
      for (const int r : registers_of(source.threads[t]))
        line += fmt::format(" {}:r{}={}", t, r, state.registers[t][static_cast<std::size_t>(r)]);
    for (std::size_t l = 0; l < source.locations.size(); ++l)
      line += fmt::format(" {}={}", source.locations[l], state.memory[l]);
    fmt::print("{:>8} {}\n", times, line);
  }
}

}  // namespace

int litmus(const litmus_arguments& arguments) {
  heddle::litmus::program source;
  try {
    source = heddle::litmus::parse(text_of(arguments.program));
  } catch (const heddle::litmus::parse_error& e) {
    throw usage_error(fmt::format("litmus: {}", e.what()));
  }
  const options with = with_environment(arguments.options);
  const auto sequences = arguments.release_sequences == "c++11"
                             ? memory_model::release_sequences::cpp11
                             : memory_model::release_sequences::cpp20;
  std::unique_ptr<memory_model::memory_model> model;
  switch (*with.memory_model) {
    case model::rc11:
      model = memory_model::make_rc11(sequences);
      break;
    case model::tso:
      model = memory_model::make_total_store_order();
      break;
    case model::sc:
      model = memory_model::make_sequential_consistency();
      break;
  }
  std::unique_ptr<search::strategy> search;
  if (*with.search == strategy::interleavings) {
    search = std::make_unique<search::interleavings>();
  } else {
    search = std::make_unique<search::exhaustive>(
        *model, arguments.awaits == "assume" ? search::awaits::as_assume : search::awaits::parked);
  }
  heddle::litmus::run_options run_with;
  run_with.outcomes = arguments.outcomes;
  run_with.limits.max_executions = with.max_executions;
  run_with.limits.time_limit = with.time_limit;
  run_with.limits.max_memory = with.max_memory;
  run_with.limits.interrupted = with.interrupted;
  const heddle::litmus::run_result result = heddle::litmus::run(source, *search, run_with);

  const search::exploration& explored = result.exploration;
  fmt::print("{}: {} complete, {} blocked\n", model->name(), explored.counts.executions,
             explored.counts.blocked);
  if (arguments.outcomes) print_outcomes(source, result);
  if (result.violations != 0)
    fmt::print("violation: an assert fails in {} execution{}\n", result.violations,
               result.violations == 1 ? "" : "s");
  if (explored.failure && explored.failure->kind != verdict_kind::deadlock)
    fmt::print("{}: {}\n", to_string(explored.failure->kind), explored.failure->message);
  if (!explored.bound.empty()) fmt::print("incomplete: cut by {}\n", explored.bound);

  if (explored.failure && explored.failure->kind == verdict_kind::error) return error;
  if (result.violations != 0 || explored.verdict == verdict_kind::data_race) return surprise;
  return explored.bound.empty() ? as_declared : incomplete;
}

}  // namespace heddle::cli
