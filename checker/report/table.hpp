// Lays texts out in columns: one column a thread if they fit into the width, else a single column
// in which each row names its thread; on the right, for all threads, memory orders and places.
// In-house header of report/.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace heddle::report {

struct table_row {
  std::string number;  // empty: a remark
  std::size_t thread = 0;
  std::string cell;
  std::string order;
  std::string place;
  bool is_remark = false;  // a line across all columns

  friend bool operator==(const table_row&, const table_row&) = default;
};

// Ends with a newline. `threads` has a header for each thread; those without a row get no column.
std::string table(const std::vector<table_row>& rows, const std::vector<std::string>& threads,
                  std::size_t width);

// Breaks at spaces, continuation lines start with `indent`; a word that is too long is cut.
std::vector<std::string> wrapped(const std::string& text, std::size_t width,
                                 const std::string& indent);

// Printable ASCII; anything else becomes '?', white space a space.
std::string ascii(const std::string& text);

}  // namespace heddle::report
