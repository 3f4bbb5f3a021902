#include "checker/report/table.hpp"

#include <algorithm>

namespace heddle::report {

namespace {

constexpr const char* gap = "  ";
constexpr std::size_t gap_width = 2;
constexpr std::size_t least_column = 22;
constexpr std::size_t longest_place = 44;

struct column {
  std::string header;
  std::size_t width;
};

// The end of a path says more than its beginning.
std::string shortened(const std::string& place, bool only_file) {
  std::string text = place;
  if (only_file) text = text.substr(text.find_last_of('/') + 1);
  if (text.size() > longest_place) text = "..." + text.substr(text.size() - (longest_place - 3));
  return text;
}

void add_line(std::string& out, const std::vector<column>& columns,
              const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i != 0) line += gap;
    const std::size_t pad = columns[i].width - std::min(columns[i].width, cells[i].size());
    // the first column is a number
    if (i == 0) line.append(pad, ' ');
    line += cells[i];
    if (i != 0) line.append(pad, ' ');
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + '\n';
}

// Where each row's cell goes: all the same, or by thread.
using column_of = std::vector<std::size_t>;

std::string laid_out(const std::vector<table_row>& rows, const std::vector<column>& columns,
                     const column_of& where, const std::vector<std::string>& places,
                     bool names_threads) {
  std::string out;
  std::vector<std::string> cells;
  cells.reserve(columns.size());
  for (const column& c : columns) cells.push_back(c.header);
  add_line(out, columns, cells);
  for (std::size_t i = 0; i < columns.size(); ++i) cells[i].assign(columns[i].width, '-');
  add_line(out, columns, cells);
  const bool has_places = columns.back().header == "place";
  const std::size_t orders = columns.size() - (has_places ? 2 : 1);
  const bool has_orders = columns[orders].header == "order";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].is_remark) {
      out += std::string(columns[0].width, ' ') + gap + rows[i].cell + '\n';
      continue;
    }
    const std::size_t at = where[i];
    bool is_first = true;
    for (std::string& part : wrapped(rows[i].cell, columns[at].width, "  ")) {
      cells.assign(columns.size(), {});
      cells[at] = std::move(part);
      if (is_first) {
        cells[0] = rows[i].number;
        if (names_threads) cells[1] = std::to_string(rows[i].thread);
        if (has_orders) cells[orders] = rows[i].order;
        if (has_places) cells.back() = places[i];
      }
      is_first = false;
      add_line(out, columns, cells);
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> wrapped(const std::string& text, std::size_t width,
                                 const std::string& indent) {
  std::vector<std::string> lines(1);
  bool is_empty = true;
  for (std::size_t from = 0; from < text.size();) {
    std::size_t to = std::min(text.find(' ', from), text.size());
    std::string word = text.substr(from, to - from);
    from = to + 1;
    if (!is_empty && lines.back().size() + 1 + word.size() > width) {
      lines.push_back(indent);
      is_empty = true;
    }
    const std::size_t room = width - std::min(width, lines.back().size());
    if (is_empty && word.size() > room)
      word = word.substr(0, room - std::min<std::size_t>(room, 3)) + "...";
    if (!is_empty) lines.back() += ' ';
    lines.back() += word;
    is_empty = false;
  }
  return lines;
}

std::string ascii(const std::string& text) {
  std::string made;
  for (char c : text) {
    if (c >= ' ' && c <= '~') {
      made += c;
    } else {
      made += c == '\n' || c == '\t' || c == '\r' ? ' ' : '?';
    }
  }
  return made;
}

std::string table(const std::vector<table_row>& rows, const std::vector<std::string>& threads,
                  std::size_t width) {
  constexpr std::size_t none = static_cast<std::size_t>(-1);
  std::size_t number_width = 2;
  std::vector<std::size_t> natural(threads.size(), 0);
  std::size_t longest = 0;
  std::size_t order_width = 0;
  bool has_places = false;
  bool has_long_places = false;
  for (const table_row& r : rows) {
    if (r.is_remark) continue;
    number_width = std::max(number_width, r.number.size());
    natural[r.thread] = std::max(natural[r.thread], r.cell.size());
    longest = std::max(longest, r.cell.size());
    if (!r.order.empty()) order_width = std::max({order_width, r.order.size(), std::size_t{5}});
    has_places = has_places || !r.place.empty();
    has_long_places = has_long_places || r.place.size() > longest_place;
  }
  std::vector<std::size_t> number_of_column(threads.size(), none);
  std::size_t used = 0;
  for (std::size_t t = 0; t < threads.size(); ++t) {
    if (natural[t] == 0) continue;
    natural[t] = std::max(natural[t], threads[t].size());
    number_of_column[t] = 1 + used++;
  }

  column_of where(rows.size(), 2);
  std::vector<std::string> places(rows.size());
  const auto shorten_places = [&](bool only_file) {
    std::size_t place_width = has_places ? 5 : 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      places[i] = shortened(rows[i].place, only_file);
      place_width = std::max(place_width, places[i].size());
    }
    return place_width;
  };
  const auto room = [&](std::size_t place_width) {
    const std::size_t taken = number_width + (has_places ? gap_width + place_width : 0) +
                              (order_width != 0 ? gap_width + order_width : 0);
    return width - std::min(width, taken);
  };
  // How wide columns may be so that all fit.
  const auto limit = [&](std::size_t available) {
    std::size_t cap = width;
    for (; cap > 0; --cap) {
      std::size_t sum = 0;
      for (std::size_t t = 0; t < threads.size(); ++t)
        if (natural[t] != 0) sum += gap_width + std::min(natural[t], cap);
      if (sum <= available) break;
    }
    return cap;
  };

  const auto add_common_columns = [&](std::vector<column>& columns, std::size_t place_width) {
    if (order_width != 0) columns.push_back({"order", order_width});
    if (has_places) columns.push_back({"place", place_width});
  };

  const std::size_t widest =
      natural.empty() ? 0 : *std::max_element(natural.begin(), natural.end());
  for (const bool only_file : {false, true}) {
    if (!only_file && has_long_places) continue;
    const std::size_t place_width = shorten_places(only_file);
    const std::size_t cap = limit(room(place_width));
    if (cap < widest && (!only_file || cap < least_column)) continue;
    std::vector<column> columns{{"#", number_width}};
    for (std::size_t t = 0; t < threads.size(); ++t)
      if (natural[t] != 0) columns.push_back({threads[t], std::min(natural[t], cap)});
    add_common_columns(columns, place_width);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (!rows[i].is_remark) where[i] = number_of_column[rows[i].thread];
    return laid_out(rows, columns, where, places, false);
  }

  constexpr std::size_t thread_width = 6;
  constexpr std::size_t least_step = 8;
  for (const bool only_file : {false, true}) {
    if (!only_file && has_long_places) continue;
    const std::size_t place_width = shorten_places(only_file);
    const std::size_t taken = thread_width + 2 * gap_width;
    const std::size_t available = room(place_width) - std::min(room(place_width), taken);
    if (longest > available && !only_file) continue;
    std::vector<column> columns{{"#", number_width},
                                {"thread", thread_width},
                                {"step", std::max(std::min(longest, available), least_step)}};
    add_common_columns(columns, place_width);
    return laid_out(rows, columns, where, places, true);
  }
  return {};
}

}  // namespace heddle::report
