#include "checker/search/exhaustive.hpp"

#include <bit>
#include <utility>

#include "checker/memory_model/candidates.hpp"
#include "checker/search/maximality.hpp"
#include "checker/search/parking.hpp"

namespace heddle::search {

using graph::event;
using graph::event_id;
using graph::event_kind;
using graph::execution_graph;
using graph::operation;
using graph::operation_kind;
using graph::thread_id;

exhaustive::exhaustive(const memory_model::memory_model& model, awaits handling)
    : model_{model}, handling_{handling} {}

void exhaustive::push_level() {
  if (levels_.size() == depth_) {
    levels_.push_back(std::make_unique<level>());
    levels_.back()->graph = execution_graph{model_.rule()};
  }
  ++depth_;
}

bool exhaustive::consistent(std::initializer_list<event_id> changed) {
  return model_.consistent(top().graph, {changed.begin(), changed.size()});
}

// --- the items

void exhaustive::restart() {
  started_ = false;
  work_ = {};
  while (depth_ != 0) {
    level& old = top();
    old.graph.clear();
    old.changes.clear();
    old.operations.clear();
    --depth_;
  }
}

bool exhaustive::next() {
  if (!started_) {
    started_ = true;
    push_level();
    ++work_.items;
    return true;
  }
  while (depth_ != 0) {
    level& current = top();
    if (current.changes.empty()) {
      current.operations.clear();
      --depth_;
      continue;
    }
    const change c = current.changes.back();
    current.changes.pop_back();
    if (make(c)) {
      ++work_.items;
      return true;
    }
    ++work_.dead_ends;
  }
  return false;
}

bool exhaustive::make(const change& c) {
  execution_graph& g = top().graph;
  switch (c.kind) {
    case change_kind::read_again:
      return make_read(c);
    case change_kind::place_again:
      g.cut(c.at + 1);
      g.remove_from_order(c.event);
      g.place(c.event, c.number);
      return consistent({c.event});
    case change_kind::choose_again:
      g.cut(c.at + 1);
      g.choose_again(c.event, c.number);
      if (c.event.index() != 0 && g[{c.event.thread(), c.event.index() - 1}].is_rmw &&
          g[{c.event.thread(), c.event.index() - 1}].kind == event_kind::read)
        return write_half(c.event.thread());
      return true;
    case change_kind::revisit:
      return make_revisit(c);
  }
  return false;
}

bool exhaustive::make_read(const change& c) {
  level& current = top();
  current.graph.cut(c.at);
  const event_id read =
      current.graph.append_read(c.thread, current.operations[c.operation], c.source);
  current.operations.resize(current.changes.empty() ? 0 : c.operation + 1);
  if (!consistent({read})) return false;
  return !current.graph[read].is_rmw || finish_rmw(c.thread);
}

bool exhaustive::make_revisit(const change& c) {
  const event_id write = c.event;
  const event_id read = c.source;
  level& parent = top();
  parent.graph.cut(c.at + 1);
  if (parent.graph[write].position != graph::unplaced) parent.graph.remove_from_order(write);
  const event target = parent.graph[read];
  operation op;
  if (target.operation != 0) {
    op = parent.graph.operation_of(read);
  } else {
    op.kind = operation_kind::load;
    op.order = target.order;
    op.location = target.location;
  }

  push_level();
  execution_graph& g = top().graph;
  g.restrict_to_revisit(parent.graph, read, write);
  memory_model::placements(model_, g, write, positions_);
  if (positions_.empty()) {
    --depth_;
    return false;
  }
  const std::size_t chosen = c.number == change::last_placement ? positions_.size() - 1 : c.number;
  if (chosen != 0) {
    change rest = c;
    rest.number = static_cast<std::uint32_t>(chosen - 1);
    parent.changes.push_back(rest);
  } else if (parent.changes.empty()) {
    // nothing is left to do in the parent's graph
    std::swap(levels_[depth_ - 1], levels_[depth_ - 2]);
    levels_[depth_ - 1]->operations.clear();
    --depth_;
  }
  g.place(write, positions_[chosen]);

  bool useful = true;
  if (parks(op) && !op.holds_for(g[write].val)) {
    // the await is not read again but waits, knowing what has woken it in vain
    useful = chosen == 0;
    if (useful) g.park(read.thread(), target.location, write, target.stamp, g.next_stamp());
  } else if (g[write].position <
             memory_model::coherence_floor(model_, g, target.location,
                                           g.happens_before_next(read.thread()))) {
    useful = false;
  } else {
    g.append_read(read.thread(), op, write, target.stamp);
    useful = consistent({read, write}) && (!g[read].is_rmw || finish_rmw(read.thread()));
  }
  return useful;
}

// --- operations, live

runtime::answer exhaustive::perform(thread_id thread, const operation& op) {
  execution_graph& g = top().graph;
  switch (op.kind) {
    case operation_kind::load:
    case operation_kind::rmw:
    case operation_kind::pick:
      return read(thread, op);
    case operation_kind::store:
      write(thread, op);
      return {};
    case operation_kind::choice: {
      const event_id choice = g.append_choice(thread, 0, op.reason);
      for (std::uint32_t v = 1; v < op.count; ++v)
        top().changes.push_back({change_kind::choose_again, g[choice].stamp, thread, 0, choice,
                                 graph::initial_write, v});
      return {};
    }
    default:
      return append_unbranching(g, thread, op);
  }
}

runtime::answer exhaustive::read(thread_id thread, const operation& op) {
  level& current = top();
  execution_graph& g = current.graph;
  memory_model::read_candidates(model_, g, thread, op, candidates_);
  const event_id latest = candidates_.front();
  if (parks(op)) {
    keep_satisfying(g, thread, op, candidates_);
    if (candidates_.empty() || candidates_.front() != latest) return {runtime::outcome::wait};
  }
  if (candidates_.size() > 1) {
    const auto number = static_cast<std::uint32_t>(current.operations.size());
    current.operations.push_back(op);
    for (std::size_t i = 1; i < candidates_.size(); ++i)
      current.changes.push_back({change_kind::read_again, g.next_stamp(), thread, number,
                                 graph::initial_write, candidates_[i], 0});
  }
  const event_id id = g.append_read(thread, op, latest);
  const graph::value seen = g[id].val;
  if (g[id].is_rmw) finish_rmw(thread);  // of the latest write: never a dead end
  if (op.blocks && !op.holds_for(seen)) return {runtime::outcome::stuck};
  if (op.kind == operation_kind::pick) {
    if (seen == graph::value{}) return {runtime::outcome::done, graph::nothing_picked};
    return {runtime::outcome::done, {graph::picked_element(seen.low, 0), 0}};
  }
  return {runtime::outcome::done, seen};
}

void exhaustive::write(thread_id thread, const operation& op) {
  level& current = top();
  execution_graph& g = current.graph;
  const event_id w = g.append_write(thread, op.location, op.order, op.operand, false);
  record_revisits(w);
  memory_model::placements(model_, g, w, positions_);
  for (std::size_t i = 1; i < positions_.size(); ++i)
    current.changes.push_back(
        {change_kind::place_again, g[w].stamp, thread, 0, w, graph::initial_write, positions_[i]});
  g.place(w, positions_.front());
}

bool exhaustive::finish_rmw(thread_id thread) {
  level& current = top();
  execution_graph& g = current.graph;
  const event_id read{thread, g.size(thread) - 1};
  if (g.operation_of(read).kind == operation_kind::pick) {
    const event_id choice = g.append_choice(thread, 0, graph::choice_reason::picked);
    const int elements = std::popcount(g[read].val.low);
    for (int v = 1; v < elements; ++v)
      current.changes.push_back({change_kind::choose_again, g[choice].stamp, thread, 0, choice,
                                 graph::initial_write, static_cast<std::uint32_t>(v)});
  }
  return write_half(thread);
}

bool exhaustive::write_half(thread_id thread) {
  execution_graph& g = top().graph;
  const event& last = g.events(thread).back();
  event_id read{thread, g.size(thread) - 1};
  graph::value written;
  if (last.kind == event_kind::choice) {
    read = {thread, read.index() - 1};
    written = g[read].val;
    written.low &= ~(std::uint64_t{1} << graph::picked_element(
                         written.low, static_cast<std::uint32_t>(last.val.low)));
  } else {
    written = g.operation_of(read).new_value(last.val);
  }
  const operation& op = g.operation_of(read);
  const event_id w = g.append_write(thread, op.location, op.order, written, true);
  record_revisits(w);
  memory_model::placements(model_, g, w, positions_);
  if (positions_.empty()) return false;  // another read-modify-write has read the same write
  const std::uint32_t position = positions_.front();
  const bool is_last = position > g.modification_order(op.location).size();
  g.place(w, position);
  return is_last || consistent({w});
}

void exhaustive::record_revisits(event_id write) {
  level& current = top();
  const execution_graph& g = current.graph;
  const previous present{g, write};
  const graph::location_id location = g[write].location;
  std::size_t left = 0;
  for (event_id read : g.reads(location))
    if (!present.in_past(read)) ++left;
  const auto sequence = g.sequence();
  for (std::size_t i = sequence.size(); left != 0 && i-- > 0;) {
    if (sequence[i].is_record()) {
      const graph::park_record& record = g.records()[sequence[i].record()];
      const event_id await{record.thread, record.index};
      if (record.index < g.size(record.thread) && present.in_past(await)) continue;
      if (!record_maximal(g, present, record)) return;
      continue;
    }
    const event_id id = sequence[i].event();
    if (present.in_past(id)) continue;
    if (!present.added_maximally(id)) return;
    if (g[id].kind != event_kind::read || g[id].location != location) continue;
    --left;
    const graph::park_record* mark = last_marked(g, id.thread(), id.index());
    if (mark == nullptr || chain(g, *mark, write, true))
      current.changes.push_back({change_kind::revisit, g[write].stamp, write.thread(), 0, write, id,
                                 change::last_placement});
  }
}

// --- when nobody can move

bool exhaustive::decide(std::span<const thread_id> waiting,
                        std::span<const operation* const> operations) {
  level& current = top();
  execution_graph& g = current.graph;
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const operation& op = *operations[i];
    if (!parks(op)) continue;
    memory_model::read_candidates(model_, g, waiting[i], op, candidates_);
    keep_satisfying(g, waiting[i], op, candidates_);
    if (candidates_.empty()) continue;
    const auto number = static_cast<std::uint32_t>(current.operations.size());
    current.operations.push_back(op);
    for (event_id source : candidates_)
      current.changes.push_back({change_kind::read_again, g.next_stamp(), waiting[i], number,
                                 graph::initial_write, source, 0});
    g.park(waiting[i], op.location, graph::initial_write, g.next_stamp(), g.next_stamp());
    return true;
  }
  return false;
}

bool exhaustive::waits_for_ever(thread_id thread, const operation& op) {
  return !parks(op) || search::waits_for_ever(top().graph, thread, op);
}

}  // namespace heddle::search
