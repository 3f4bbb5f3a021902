#include "tests/oracle/execution.hpp"

#include <stdexcept>

namespace heddle::oracle {
namespace {

constexpr bool is_plain(const event& what) {
  return what.order == litmus::memory_order::plain && what.thread != litmus::none;
}

// The `t.i` of the writes, indexed by event.
std::vector<std::string> write_names(const execution& graph) {
  std::vector<std::string> names(static_cast<std::size_t>(graph.size), "init");
  std::array<int, max_threads> count{};
  for (int id = graph.locations; id < graph.size; ++id) {
    const event& what = graph.at(id);
    if (what.kind != event_kind::write || is_plain(what)) continue;
    int& number = count[static_cast<std::size_t>(what.thread)];
    names[static_cast<std::size_t>(id)] =
        std::to_string(what.thread) + "." + std::to_string(number++);
  }
  return names;
}

std::string text_of(const event& what, const std::vector<std::string>& names,
                    const litmus::program& source) {
  if (what.kind == event_kind::fence) return "F";
  const std::string value = std::to_string(what.value);
  if (what.kind == event_kind::choice) return "C " + value;
  const std::string access =
      source.locations[static_cast<std::size_t>(what.location)] + "=" + value;
  if (what.kind == event_kind::write) return "W " + access;
  return "R " + access + "@" + names[static_cast<std::size_t>(what.source)];
}

bool is_shown(const event& what) {
  switch (what.kind) {
    case event_kind::read:
    case event_kind::write:
      return !is_plain(what);
    case event_kind::fence:
    case event_kind::choice:
      return true;
    default:
      return false;
  }
}

void append_to_list(std::string& text, bool& is_first, const std::string& item) {
  if (!is_first) text += "; ";
  text += item;
  is_first = false;
}

}  // namespace

int execution::last_write(int location) const {
  const write_order& order = order_of(location);
  return order.size == 0 ? location : order.writes[static_cast<std::size_t>(order.size - 1)];
}

int execution::append(event what) {
  if (size == max_events) throw std::length_error("oracle: a program with too many events");
  if (what.kind == event_kind::write && what.thread != litmus::none) {
    what.number = writes_of[static_cast<std::size_t>(what.thread)]++;
  }
  events[static_cast<std::size_t>(size)] = what;
  return size++;
}

void execution::place(int write, int position) {
  write_order& order = co[static_cast<std::size_t>(at(write).location)];
  if (order.size == max_writes) throw std::length_error("oracle: too many writes of a location");
  for (int i = order.size; i > position; --i) {
    order.writes[static_cast<std::size_t>(i)] = order.writes[static_cast<std::size_t>(i - 1)];
  }
  order.writes[static_cast<std::size_t>(position)] = static_cast<std::int8_t>(write);
  ++order.size;
}

execution initial_execution(const litmus::program& source) {
  if (source.threads.size() > max_threads || source.locations.size() > max_locations) {
    throw std::length_error("oracle: a program with too many threads or locations");
  }
  execution graph;
  for (std::size_t i = 0; i < source.locations.size(); ++i) {
    event initial;
    initial.kind = event_kind::write;
    initial.order = litmus::memory_order::plain;
    initial.location = static_cast<std::int8_t>(i);
    initial.value = source.initial[i];
    graph.append(initial);
  }
  graph.locations = graph.size;
  return graph;
}

std::string canonical_text(const execution& graph, const litmus::program& source) {
  const std::vector<std::string> names = write_names(graph);
  std::string text;
  for (std::size_t thread = 0; thread < source.threads.size(); ++thread) {
    if (thread != 0) text += " | ";
    bool is_first = true;
    for (int id = graph.locations; id < graph.size; ++id) {
      const event& what = graph.at(id);
      if (what.thread != static_cast<int>(thread) || !is_shown(what)) continue;
      append_to_list(text, is_first, text_of(what, names, source));
    }
  }
  text += " # ";
  bool is_first = true;
  for (int location = 0; location < graph.locations; ++location) {
    std::string order;
    const write_order& co = graph.order_of(location);
    for (int i = 0; i < co.size; ++i) {
      const int write = co.writes[static_cast<std::size_t>(i)];
      if (!is_plain(graph.at(write))) order += " " + names[static_cast<std::size_t>(write)];
    }
    if (order.empty()) continue;
    append_to_list(text, is_first,
                   source.locations[static_cast<std::size_t>(location)] + ":" + order);
  }
  return text;
}

}  // namespace heddle::oracle
