// A table of checks that sums up a family of scenarios: which combinations of two choices keep an
// invariant. `heddle run FAMILY` fills it in by running every cell, and ends with it.
//
// Defining one at namespace scope registers it, as with scenarios:
//
//     const heddle::scenario_table drains{
//         .family = "backlog",
//         .title = "Is the drain exact?",
//         .holds = "exact",
//         .corner = "drain",
//         .columns = {"add by RMW", "add by load and store"},
//         .rows = {{"exchange", {{true, body}, {false, other_body}}}, ...}};
#pragma once

#include <functional>
#include <string_view>
#include <vector>

namespace heddle {

struct scenario_table;

namespace detail {

// Keeps the table it is a member of in the registry for as long as it lives.
class table_registration {
 public:
  explicit table_registration(const scenario_table* registered);
  table_registration(const table_registration&) = delete;
  table_registration& operator=(const table_registration&) = delete;
  ~table_registration();

 private:
  const scenario_table* table_;
};

}  // namespace detail

struct scenario_table {
  struct cell {
    // Declared: every execution under every memory model keeps the invariant. If not, there is a
    // violation under every model. What is found otherwise is a surprise.
    bool holds = false;
    std::function<void()> body{};
  };
  struct row {
    std::string_view name;
    std::vector<cell> cells;  // one a column
  };

  std::string_view family;  // of the scenarios it stands below
  std::string_view title;
  std::string_view holds;     // what a cell says in which the invariant is kept; else the violation
  std::string_view corner{};  // above the names of the rows
  std::vector<std::string_view> columns{};
  std::vector<row> rows{};

  detail::table_registration registered{this};  // not to be given
};

// All of them, by family. Throws std::logic_error if a row has not one cell a column.
std::vector<const scenario_table*> registered_tables();

}  // namespace heddle
