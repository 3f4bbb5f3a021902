#include "heddle/result.hpp"

#include <fmt/format.h>

namespace heddle {

std::string result::summary() const {
  std::string line = std::string{to_string(verdict)};
  line +=
      fmt::format(", {} execution{} ({} blocked), {}, {}", executions, executions == 1 ? "" : "s",
                  blocked, to_string(memory_model), to_string(spurious));
  if (!bound.empty()) line += fmt::format("; cut by {}", bound);
  if (is_verified() && !vacuous.empty()) line += fmt::format("; vacuous: {}", vacuous);
  return line;
}

std::string result::report() const {
  std::string text = summary();
  text += '\n';
  text += counterexample;
  return text;
}

}  // namespace heddle
