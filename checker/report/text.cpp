#include "checker/report/text.hpp"

#include <algorithm>

#include "checker/report/table.hpp"

namespace heddle::report {

namespace {

constexpr std::size_t longest_loop = 8;

std::string thread_name(graph::thread_id t) { return "thread " + std::to_string(t); }

std::string effect(const row& r) {
  switch (r.what) {
    case action::load:
      return r.object + ".load -> " + r.read;
    case action::store:
      return r.object + ".store " + r.written;
    case action::read_modify_write:
      return r.object + "." + r.verb + (r.operand.empty() ? "" : "(" + r.operand + ")") + " " +
             r.read + " -> " + r.written;
    case action::compare_exchange:
      if (r.succeeded) return r.object + "." + r.verb + " " + r.read + " -> " + r.written;
      return r.object + "." + r.verb +
             (r.expected.empty() ? "" : "(" + r.expected + ", " + r.operand + ")") + " fails on " +
             r.read;
    case action::await:
      return r.object + ".await -> " + r.read + (r.written.empty() ? "" : ", then " + r.written) +
             (r.succeeded ? "" : ", waits");
    case action::pick:
      return r.succeeded ? r.object + ".pick -> " + r.operand : r.object + ".pick -> none";
    case action::lock:
      return r.succeeded ? "lock " + r.object : "lock " + r.object + ", waits";
    case action::try_lock:
      return "try_lock " + r.object + (r.succeeded ? "" : " fails");
    case action::unlock:
      return "unlock " + r.object;
    case action::synchronise:
      return r.phrase;
    case action::wait:
      return r.object + ".wait(" + r.expected + ")" +
             (r.succeeded ? " -> " + r.read : " reads " + r.read + ", sleeps");
    case action::notify:
      return r.object + "." + r.verb;
    case action::fence:
      return "fence";
    case action::choice:
      return r.phrase.empty() ? "choose -> " + r.read : r.phrase;
    case action::spawn:
      return "start " + thread_name(r.other);
    case action::join:
      return "join " + thread_name(r.other);
    case action::end:
      return "end";
  }
  return {};
}

// --- the table

bool is_same_step(const table_row& a, const table_row& b) {
  return a.thread == b.thread && a.cell == b.cell && a.order == b.order && a.place == b.place;
}

// How often the `length` rows from `from` on stand there one after the other.
std::size_t repetitions(const std::vector<table_row>& rows, std::size_t from, std::size_t length) {
  std::size_t i = from + length;
  while (i < rows.size() && is_same_step(rows[i], rows[i - length])) ++i;
  return (i - from) / length;
}

table_row remark(std::string text) {
  table_row made;
  made.cell = std::move(text);
  made.is_remark = true;
  return made;
}

// A loop that does the same again and again is shown once.
std::vector<table_row> without_loops(const std::vector<table_row>& rows) {
  std::vector<table_row> made;
  for (std::size_t i = 0; i < rows.size();) {
    std::size_t length = 0;
    std::size_t times = 0;
    for (std::size_t l = 1; l <= longest_loop && times == 0; ++l)
      if (const std::size_t n = repetitions(rows, i, l); n >= 3 && (n - 1) * l >= 3) {
        length = l;
        times = n;
      }
    if (times == 0) {
      made.push_back(rows[i++]);
      continue;
    }
    for (std::size_t k = 0; k < length; ++k) made.push_back(rows[i + k]);
    made.push_back(remark((length == 1 ? std::string{"... the same"}
                                       : "... these " + std::to_string(length) + " steps") +
                          " " + std::to_string(times - 1) + " times more"));
    i += length * times;
  }
  return made;
}

std::vector<table_row> without_middle(std::vector<table_row> rows, std::size_t max_rows) {
  if (rows.size() <= max_rows) return rows;
  const std::size_t first = max_rows / 4;
  const std::size_t left_out = rows.size() - max_rows;
  rows[first] = remark("... " + std::to_string(left_out + 1) + " rows left out ...");
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(first) + 1;
  rows.erase(begin, begin + static_cast<std::ptrdiff_t>(left_out));
  return rows;
}

std::string table_of(const counterexample& what, const text_options& how) {
  std::vector<table_row> rows;
  for (const row& r : what.rows) {
    if (r.number == 0) continue;
    std::string cell = cell_text(r);
    if (r.what == action::spawn && r.other < what.threads.size() && what.threads[r.other].is_daemon)
      cell += " (daemon)";
    rows.push_back({std::to_string(r.number), std::size_t{r.thread}, ascii(cell), ascii(r.order),
                    ascii(r.place), false});
  }
  if (rows.empty()) return "(no steps)\n";
  std::vector<std::string> headers;
  std::size_t threads = what.threads.size();
  for (const table_row& r : rows) threads = std::max(threads, r.thread + 1);
  for (std::size_t t = 0; t < threads; ++t)
    headers.push_back(thread_name(static_cast<graph::thread_id>(t)));
  return table(without_middle(without_loops(rows), std::max<std::size_t>(how.max_rows, 8)), headers,
               how.width);
}

// --- around it

void add_wrapped(std::string& out, const std::string& text, const std::string& indent,
                 std::size_t width) {
  for (const std::string& line : wrapped(ascii(text), width, indent)) out += line + '\n';
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('\n', from), text.size());
    lines.push_back(ascii(text.substr(from, to - from)));
    from = to + 1;
  }
  while (lines.size() > 1 && lines.back().empty()) lines.pop_back();
  return lines;
}

std::string head(const counterexample& what) {
  const std::vector<std::string> message = lines_of(what.message);
  std::string out = ascii(what.kind) + ": " + message.front() + '\n';
  for (std::size_t i = 1; i < message.size(); ++i) out += "  " + message[i] + '\n';
  if (!what.place.empty() || what.thread) {
    out += "  ";
    if (!what.place.empty()) out += "at " + ascii(what.place);
    if (what.thread)
      out += std::string{what.place.empty() ? "" : ", "} + "in " + thread_name(*what.thread);
    out += '\n';
  }
  if (!what.other_place.empty()) out += "  and at " + ascii(what.other_place) + '\n';
  return out;
}

std::string initial_values(const counterexample& what, std::size_t width) {
  std::string text;
  for (const initial_value& i : what.initially)
    text += (text.empty() ? "initially " : ", ") + i.object + " = " + i.value;
  std::string out;
  if (!text.empty()) add_wrapped(out, text, "  ", width);
  return out;
}

std::string condition(const counterexample& what) {
  std::string out = "=> ";
  if (what.thread) out += thread_name(*what.thread) + ": ";
  return out + lines_of(what.message).front() + '\n';
}

std::string explanations(const counterexample& what, const text_options& how) {
  std::string out;
  if (what.is_sequentially_consistent) return out;
  out += "No interleaving of these steps gives these values, but " +
         (what.memory_model.empty() ? "the memory model" : ascii(what.memory_model)) +
         " allows them.\n";
  const std::size_t shown = std::min(what.explanations.size(), how.max_explanations);
  for (std::size_t i = 0; i < shown; ++i)
    add_wrapped(out, "- " + what.explanations[i], "  ", how.width);
  if (shown < what.explanations.size())
    out += "- and " + std::to_string(what.explanations.size() - shown) + " more like these.\n";
  return out;
}

std::string sleepers(const counterexample& what) {
  std::string out;
  std::size_t longest = 0;
  for (const sleeper& s : what.sleepers)
    longest = std::max(longest, thread_name(s.thread).size() + 1 + ascii(s.reason).size());
  for (const sleeper& s : what.sleepers) {
    std::string line = thread_name(s.thread) + " " + ascii(s.reason);
    line.append(longest - line.size() + 2, ' ');
    line += ascii(s.place);
    line.erase(line.find_last_not_of(' ') + 1);
    out += "  " + line + '\n';
  }
  return out;
}

std::string whole_text(const counterexample& what, const text_options& how) {
  std::string out = head(what) + '\n';
  out += initial_values(what, how.width);
  out += table_of(what, how);
  out += condition(what);
  out += sleepers(what);
  const std::string why = explanations(what, how);
  return why.empty() ? out : out + '\n' + why;
}

constexpr const char* failed = "(report failed)";  // short enough to need no memory

}  // namespace

std::string cell_text(const row& r) {
  std::string text = effect(r);
  if (r.is_stale) {
    text += " [stale]";
  } else if (r.is_out_of_order) {
    text += r.newest == 0 ? " [underneath]" : " [under #" + std::to_string(r.newest) + "]";
  }
  return text;
}

std::string to_text(const counterexample& what, const text_options& how) noexcept {
  try {
    return whole_text(what, how);
  } catch (...) {
    return failed;
  }
}

std::string to_text(const graph::execution_graph& graph, const run_facts& facts,
                    const text_options& how) noexcept {
  try {
    return whole_text(make_counterexample(graph, facts), how);
  } catch (...) {
    return failed;
  }
}

}  // namespace heddle::report
