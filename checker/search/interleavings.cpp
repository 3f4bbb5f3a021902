#include "checker/search/interleavings.hpp"

#include <bit>

namespace heddle::search {

using graph::event_id;
using graph::operation;
using graph::operation_kind;
using graph::thread_id;
using graph::value;

void interleavings::restart() {
  started_ = false;
  path_.clear();
  work_ = {};
}

bool interleavings::next() {
  graph_.clear();
  taken_ = 0;
  ++work_.items;
  if (!started_) {
    started_ = true;
    return true;
  }
  while (!path_.empty() && path_.back().chosen + 1 == path_.back().count) path_.pop_back();
  if (path_.empty()) return false;
  ++path_.back().chosen;
  return true;
}

std::uint32_t interleavings::decide_among(std::uint32_t count) {
  if (taken_ == path_.size()) path_.push_back({0, count});
  return path_[taken_++].chosen;
}

bool interleavings::is_enabled(const operation& op) const {
  if (op.kind == operation_kind::join) return graph_.has_ended(op.other);
  return !op.blocks || op.sleeps ||
         op.holds_for(graph_.value_of(op.location, graph_.latest(op.location)));
}

std::size_t interleavings::choose(std::span<const thread_id>,
                                  std::span<const operation* const> operations) {
  enabled_.clear();
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const operation& op = *operations[i];
    if (!is_enabled(op)) continue;
    if (op.kind > operation_kind::fence && op.kind != operation_kind::notify)
      return i;  // no scheduling point
    enabled_.push_back(i);
  }
  if (enabled_.empty()) return none;
  return enabled_[decide_among(static_cast<std::uint32_t>(enabled_.size()))];
}

void interleavings::write(thread_id thread, graph::location_id location, graph::memory_order order,
                          value written, bool is_rmw) {
  const event_id w = graph_.append_write(thread, location, order, written, is_rmw);
  graph_.place(w, static_cast<std::uint32_t>(graph_.modification_order(location).size()) + 1);
}

runtime::answer interleavings::perform(thread_id thread, const operation& op) {
  switch (op.kind) {
    case operation_kind::load:
    case operation_kind::rmw:
    case operation_kind::pick: {
      if (!is_enabled(op)) return {runtime::outcome::wait};
      const event_id read = graph_.append_read(thread, op, graph_.latest(op.location));
      const value seen = graph_[read].val;
      if (op.kind == operation_kind::pick) {
        if (seen == value{}) return {runtime::outcome::done, graph::nothing_picked};
        const std::uint32_t chosen =
            decide_among(static_cast<std::uint32_t>(std::popcount(seen.low)));
        const std::uint32_t element = graph::picked_element(seen.low, chosen);
        graph_.append_choice(thread, chosen, graph::choice_reason::picked);
        write(thread, op.location, op.order, {seen.low & ~(std::uint64_t{1} << element), 0}, true);
        return {runtime::outcome::done, {element, 0}};
      }
      if (op.sleeps && !op.holds_for(seen)) return {runtime::outcome::stuck};
      if (graph_[read].is_rmw) write(thread, op.location, op.order, op.new_value(seen), true);
      return {runtime::outcome::done, seen};
    }
    case operation_kind::store:
      write(thread, op.location, op.order, op.operand, false);
      return {};
    case operation_kind::choice: {
      const std::uint32_t chosen = decide_among(op.count);
      graph_.append_choice(thread, chosen, op.reason);
      return {runtime::outcome::done, {chosen, 0}};
    }
    default:
      return append_unbranching(graph_, thread, op);
  }
}

}  // namespace heddle::search
