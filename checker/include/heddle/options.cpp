#include "heddle/options.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdlib>
#include <string>

#include "heddle/error.hpp"

namespace heddle {

namespace {

[[noreturn]] void bad_value(std::string_view name, std::string_view found, std::string_view valid) {
  throw usage_error(fmt::format("{}={}: valid values are {}", name, found, valid));
}

const char* variable(const char* name) {
  const char* found = std::getenv(name);
  return found != nullptr && *found != '\0' ? found : nullptr;
}

template <class Number>
void number_from(const char* name, std::optional<Number>& field, Number least, Number most,
                 std::string_view valid) {
  if (!field) {
    const char* found = variable(name);
    if (found == nullptr) return;
    Number parsed{};
    const std::string_view text{found};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), parsed);
    if (error != std::errc{} || end != text.data() + text.size() || !(parsed >= least) ||
        parsed > most)
      bad_value(name, text, valid);
    field = parsed;
  } else if (!(*field >= least) || *field > most) {
    bad_value(name, fmt::format("{}", *field), valid);
  }
}

}  // namespace

std::string_view to_string(model memory_model) {
  switch (memory_model) {
    case model::rc11:
      return "rc11";
    case model::tso:
      return "tso";
    case model::sc:
      return "sc";
  }
  return "?";
}

std::string_view to_string(strategy search) {
  return search == strategy::exhaustive ? "exhaustive" : "interleavings";
}

options with_environment(const options& given) {
  options full = given;
  if (const char* name = variable("HEDDLE_MEMORY_MODEL"); name != nullptr && !full.memory_model) {
    for (model m : {model::rc11, model::tso, model::sc})
      if (to_string(m) == name) full.memory_model = m;
    if (!full.memory_model) bad_value("HEDDLE_MEMORY_MODEL", name, "rc11, tso, sc");
  }
  if (const char* name = variable("HEDDLE_SEARCH"); name != nullptr && !full.search) {
    for (strategy s : {strategy::exhaustive, strategy::interleavings})
      if (to_string(s) == name) full.search = s;
    if (!full.search) bad_value("HEDDLE_SEARCH", name, "exhaustive, interleavings");
  }
  number_from<std::uint32_t>("HEDDLE_MAX_STEPS", full.max_steps, 1, 1'000'000, "1 to 1000000");
  number_from<std::uint32_t>("HEDDLE_MAX_THREADS", full.max_threads, 1, 64, "1 to 64");
  number_from<std::uint64_t>("HEDDLE_MAX_EXECUTIONS", full.max_executions, 1, UINT64_MAX,
                             "whole numbers from 1");
  number_from<double>("HEDDLE_TIME_LIMIT", full.time_limit, 0.0, 1e9, "seconds from 0");
  number_from<std::uint64_t>("HEDDLE_MAX_MEMORY", full.max_memory, 1, UINT64_MAX,
                             "bytes, whole numbers from 1");
  number_from<std::size_t>("HEDDLE_STACK_SIZE", full.stack_size, std::size_t{16} << 10,
                           std::size_t{64} << 20, "bytes, 16384 to 67108864");
  if (!full.memory_model) full.memory_model = model::rc11;
  if (!full.search) full.search = strategy::exhaustive;
  if (!full.max_steps) full.max_steps = 10'000;
  if (!full.max_threads) full.max_threads = 32;
  if (!full.stack_size) full.stack_size = std::size_t{256} << 10;
  if (*full.search == strategy::interleavings && *full.memory_model != model::sc)
    throw usage_error(
        "search interleavings knows only the memory model sc: set memory_model "
        "(HEDDLE_MEMORY_MODEL) to sc");
  return full;
}

}  // namespace heddle
