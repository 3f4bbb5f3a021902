#include "heddle/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

constexpr std::uint32_t most_spurious = 100;

struct kind_of_failure {
  std::string_view name;
  std::string_view text;
  std::uint32_t spurious_failures::*count;
};
constexpr std::array<kind_of_failure, 3> kinds_of_failure{{
    {"wakeups", "wake-up", &spurious_failures::wakeups},
    {"weak_cas", "failure of a weak compare_exchange", &spurious_failures::weak_cas},
    {"try_lock", "failure of try_lock", &spurious_failures::try_lock},
}};

std::optional<std::uint32_t> count_from(std::string_view text) {
  std::uint32_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count > most_spurious) return {};
  return count;
}

// Nothing if the text is malformed.
std::optional<spurious_failures> failures_from(std::string_view text) {
  spurious_failures failures;
  if (text == "off") return failures;
  if (const auto all = count_from(text)) return spurious_failures{*all, *all, *all};
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    const std::size_t equals = part.find('=');
    const auto kind =
        std::find_if(kinds_of_failure.begin(), kinds_of_failure.end(),
                     [&](const kind_of_failure& k) { return k.name == part.substr(0, equals); });
    if (kind == kinds_of_failure.end() || equals == std::string_view::npos) return {};
    const auto count = count_from(part.substr(equals + 1));
    if (!count) return {};
    failures.*(kind->count) = *count;
  }
  return failures;
}

void spurious_from_environment(std::optional<spurious_failures>& field) {
  constexpr std::string_view valid =
      "off, 0 to 100, or a list like wakeups=1,weak_cas=1,try_lock=1";
  if (field) {
    for (const kind_of_failure& k : kinds_of_failure)
      if (*field.*(k.count) > most_spurious)
        bad_value("HEDDLE_SPURIOUS", fmt::format("{}={}", k.name, *field.*(k.count)), valid);
    return;
  }
  field.emplace();
  const char* given = variable("HEDDLE_SPURIOUS");
  if (given == nullptr) return;
  const auto parsed = failures_from(given);
  if (!parsed) bad_value("HEDDLE_SPURIOUS", given, valid);
  field = parsed;
}

}  // namespace

std::string to_string(const spurious_failures& failures) {
  std::string text;
  for (const kind_of_failure& k : kinds_of_failure)
    if (const std::uint32_t count = failures.*(k.count); count != 0)
      text += fmt::format("{}{} spurious {}{}", text.empty() ? "at most " : ", ", count, k.text,
                          count == 1 || k.text != "wake-up" ? "" : "s");
  return text.empty() ? "no spurious failures" : text + " in each thread";
}

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
  spurious_from_environment(full.spurious);
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
