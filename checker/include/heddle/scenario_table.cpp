#include "heddle/scenario_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace heddle {
namespace {

// Constructed by the first registration, so destroyed after the last.
std::vector<const scenario_table*>& registry() {
  static std::vector<const scenario_table*> all;
  return all;
}

}  // namespace

namespace detail {

table_registration::table_registration(const scenario_table* registered) : table_{registered} {
  registry().push_back(registered);
}

table_registration::~table_registration() { std::erase(registry(), table_); }

}  // namespace detail

std::vector<const scenario_table*> registered_tables() {
  std::vector<const scenario_table*> sorted = registry();
  std::ranges::stable_sort(sorted, {}, &scenario_table::family);
  for (const scenario_table* table : sorted)
    for (const scenario_table::row& row : table->rows)
      if (row.cells.size() != table->columns.size())
        throw std::logic_error{"the table of " + std::string{table->family} + " has a row '" +
                               std::string{row.name} + "' that has not one cell a column"};
  return sorted;
}

}  // namespace heddle
