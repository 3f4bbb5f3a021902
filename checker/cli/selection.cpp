#include "checker/cli/selection.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <string_view>

#include "heddle/error.hpp"

namespace heddle::cli {

namespace {

bool matches(const std::string& pattern, const scenario& candidate) {
  const std::string name{candidate.name};
  const std::string id{candidate.id};
  return pattern.empty() || name.starts_with(pattern + '.') ||
         fnmatch(pattern.c_str(), name.c_str(), 0) == 0 ||
         (!id.empty() && fnmatch(pattern.c_str(), id.c_str(), 0) == 0);
}

}  // namespace

std::vector<const scenario*> select(const std::string& pattern) {
  std::vector<const scenario*> chosen;
  std::string names;
  for (const scenario* s : registered_scenarios()) {
    if (matches(pattern, *s)) chosen.push_back(s);
    names += fmt::format("{}{}", names.empty() ? "" : ", ", s->name);
  }
  if (chosen.empty())
    throw usage_error(fmt::format(
        "no scenario matches '{}': valid are families, ids, patterns with *, and the names {}",
        pattern, names));
  return chosen;
}

}  // namespace heddle::cli
