#include "checker/cli/table_print.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace heddle::cli {

namespace {

std::string short_verdict(const scenario_table& table, const result& found) {
  if (found.is_verified()) return std::string{table.holds};
  if (found.verdict == verdict_kind::assertion) return found.message;
  return std::string{to_string(found.verdict)};
}

// What a cell says: once if all models agree, else with the model behind each.
std::string text_of(const scenario_table& table, std::string_view row, std::string_view column,
                    const std::vector<cell_result>& results) {
  std::vector<std::string> parts;
  std::string text;
  bool is_surprise = false;
  bool agree = true;
  std::string first;
  for (const cell_result& r : results) {
    if (r.row != row || r.column != column) continue;
    const std::string verdict = short_verdict(table, r.found);
    if (parts.empty()) first = verdict;
    agree = agree && verdict == first;
    is_surprise = is_surprise || r.is_surprise();
    parts.push_back(fmt::format("{} ({})", verdict, to_string(r.found.memory_model)));
  }
  if (parts.empty()) return "-";
  text = agree ? first : fmt::format("{}", fmt::join(parts, ", "));
  return is_surprise ? text + " SURPRISE" : text;
}

}  // namespace

void print_table(const scenario_table& table, const std::vector<model>& models,
                 const std::vector<cell_result>& results) {
  std::vector<std::string_view> names;
  names.reserve(models.size());
  for (const model m : models) names.push_back(to_string(m));
  fmt::print("\n{} ({})\n\n", table.title, fmt::join(names, ", "));

  std::vector<std::vector<std::string>> lines{{std::string{table.corner}}};
  for (const std::string_view column : table.columns) lines[0].emplace_back(column);
  for (const scenario_table::row& row : table.rows) {
    lines.push_back({std::string{row.name}});
    for (const std::string_view column : table.columns)
      lines.back().push_back(text_of(table, row.name, column, results));
  }
  std::vector<std::size_t> widths(lines[0].size());
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  std::vector<std::string> rule;
  rule.reserve(widths.size());
  for (const std::size_t width : widths) rule.emplace_back(width, '-');
  lines.insert(lines.begin() + 1, rule);
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i)
      text += i + 1 == line.size() ? line[i] : fmt::format("{:{}}  ", line[i], widths[i]);
    fmt::print("{}\n", text);
  }
  fmt::print("\n");
}

}  // namespace heddle::cli
