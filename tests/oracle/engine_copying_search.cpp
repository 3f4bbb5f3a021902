#include "tests/oracle/engine_copying_search.hpp"

#include <bit>
#include <utility>

#include "checker/memory_model/candidates.hpp"
#include "checker/search/maximality.hpp"
#include "checker/search/parking.hpp"

namespace heddle::oracle {

using graph::event_id;
using graph::event_kind;
using graph::operation;
using graph::operation_kind;
using graph::thread_id;

copying_search::copying_search(const memory_model::memory_model& model, search::awaits handling)
    : model_{model}, handling_{handling}, graph_{model.rule()} {}

bool copying_search::next() {
  if (!started_) {
    started_ = true;
    return true;
  }
  while (!stack_.empty()) {
    item popped = std::move(stack_.back());
    stack_.pop_back();
    graph_ = popped.graph;
    if (popped.missing_after == half::none ||
        (popped.missing_after == half::read ? finish_rmw(popped.thread)
                                            : write_half(popped.thread))) {
      return true;
    }
  }
  return false;
}

// --- items

void copying_search::push(graph_type copy) { stack_.push_back({std::move(copy)}); }

void copying_search::push_read(const graph_type& graph, thread_id thread, const operation& op,
                               event_id source) {
  graph_type copy = graph;
  const event_id read = copy.append_read(thread, op, source);
  if (!consistent(copy, {read})) return;
  const half missing = copy[read].is_rmw ? half::read : half::none;
  stack_.push_back({std::move(copy), thread, missing});
}

void copying_search::push_choices(thread_id thread, event_id choice, std::uint32_t count,
                                  half missing_after) {
  for (std::uint32_t value = 1; value < count; ++value) {
    graph_type copy = graph_;
    copy.choose_again(choice, value);
    stack_.push_back({std::move(copy), thread, missing_after});
  }
}

void copying_search::push_revisits(event_id write) {
  const search::previous present{graph_, write};
  const auto sequence = graph_.sequence();
  for (std::size_t i = sequence.size(); i-- > 0;) {
    if (sequence[i].is_record()) {
      const graph::park_record& record = graph_.records()[sequence[i].record()];
      const event_id await{record.thread, record.index};
      if (record.index < graph_.size(record.thread) && present.in_past(await)) continue;
      if (!record_maximal(graph_, present, record)) return;
      continue;
    }
    const event_id e = sequence[i].event();
    if (present.in_past(e)) continue;
    if (!present.added_maximally(e)) return;
    if (graph_[e].kind != event_kind::read || graph_[e].location != graph_[write].location)
      continue;
    const graph::park_record* mark = search::last_marked(graph_, e.thread(), e.index());
    if (mark == nullptr || search::chain(graph_, *mark, write, true)) push_revisit(e, write);
  }
}

void copying_search::push_revisit(event_id read, event_id write) {
  const graph::event target = graph_[read];
  operation op;
  if (target.operation != 0) {
    op = graph_.operation_of(read);
  } else {
    op.kind = operation_kind::load;
    op.order = target.order;
    op.location = target.location;
  }
  graph_type kept{model_.rule()};
  kept.restrict_to_revisit(graph_, read, write);
  std::vector<std::uint32_t> positions;
  memory_model::placements(model_, kept, write, positions);
  for (const std::uint32_t position : positions) {
    graph_type copy = kept;
    copy.place(write, position);
    if (parks(op) && !op.holds_for(copy[write].val)) {
      if (position != positions.front()) continue;
      copy.park(read.thread(), target.location, write, target.stamp, copy.next_stamp());
      push(std::move(copy));
      continue;
    }
    if (position < memory_model::coherence_floor(model_, copy, target.location,
                                                 copy.happens_before_next(read.thread()))) {
      continue;
    }
    copy.append_read(read.thread(), op, write, target.stamp);
    if (!consistent(copy, {read, write})) continue;
    const half missing = copy[read].is_rmw ? half::read : half::none;
    stack_.push_back({std::move(copy), read.thread(), missing});
  }
}

// --- operations

runtime::answer copying_search::perform(thread_id thread, const operation& op) {
  switch (op.kind) {
    case operation_kind::load:
    case operation_kind::rmw:
    case operation_kind::pick:
      return read(thread, op);
    case operation_kind::store:
      write(thread, op);
      return {};
    case operation_kind::notify:
      graph_.append_notify(thread, op.location, op.count);
      return {};
    case operation_kind::fence:
      graph_.append_fence(thread, op.order);
      return {};
    case operation_kind::choice:
      push_choices(thread, graph_.append_choice(thread, 0, op.reason), op.count, half::none);
      return {};
    case operation_kind::spawn:
      graph_.append_spawn(thread, op.other);
      return {};
    case operation_kind::join:
      if (!graph_.has_ended(op.other)) return {runtime::outcome::wait};
      graph_.append_join(thread, op.other);
      return {};
    case operation_kind::end:
      graph_.append_end(thread);
      return {};
  }
  return {};
}

runtime::answer copying_search::read(thread_id thread, const operation& op) {
  std::vector<event_id> sources;
  memory_model::read_candidates(model_, graph_, thread, op, sources);
  const event_id latest = sources.front();
  if (parks(op)) {
    search::keep_satisfying(graph_, thread, op, sources);
    if (sources.empty() || sources.front() != latest) return {runtime::outcome::wait};
  }
  for (const event_id source : sources) {
    if (source != latest) push_read(graph_, thread, op, source);
  }
  const event_id read = graph_.append_read(thread, op, latest);
  const graph::value seen = graph_[read].val;
  if (graph_[read].is_rmw) finish_rmw(thread);
  if (op.blocks && !op.holds_for(seen)) return {runtime::outcome::stuck};
  if (op.kind != operation_kind::pick) return {runtime::outcome::done, seen};
  if (seen == graph::value{}) return {runtime::outcome::done, {~std::uint64_t{0}, 0}};
  return {runtime::outcome::done, {graph::picked_element(seen.low, 0), 0}};
}

void copying_search::write(thread_id thread, const operation& op) {
  const event_id w = graph_.append_write(thread, op.location, op.order, op.operand, false);
  push_revisits(w);
  std::vector<std::uint32_t> positions;
  memory_model::placements(model_, graph_, w, positions);
  for (const std::uint32_t position : positions) {
    if (position == positions.front()) continue;
    graph_type copy = graph_;
    copy.place(w, position);
    if (consistent(copy, {w})) push(std::move(copy));
  }
  graph_.place(w, positions.front());
}

bool copying_search::finish_rmw(thread_id thread) {
  const event_id read{thread, graph_.size(thread) - 1};
  if (graph_.operation_of(read).kind == operation_kind::pick) {
    const event_id choice = graph_.append_choice(thread, 0, graph::choice_reason::picked);
    push_choices(thread, choice, static_cast<std::uint32_t>(std::popcount(graph_[read].val.low)),
                 half::choice);
  }
  return write_half(thread);
}

bool copying_search::write_half(thread_id thread) {
  const graph::event last = graph_.events(thread).back();
  const bool is_pick = last.kind == event_kind::choice;
  const event_id read{thread, graph_.size(thread) - (is_pick ? 2 : 1)};
  const operation op = graph_.operation_of(read);
  graph::value written = graph_[read].val;
  if (is_pick) {
    const auto chosen = static_cast<std::uint32_t>(last.val.low);
    written.low &= ~(std::uint64_t{1} << graph::picked_element(written.low, chosen));
  } else {
    written = op.new_value(written);
  }
  const event_id w = graph_.append_write(thread, op.location, op.order, written, true);
  push_revisits(w);
  std::vector<std::uint32_t> positions;
  memory_model::placements(model_, graph_, w, positions);
  if (positions.empty()) return false;
  const bool is_last = positions.front() > graph_.modification_order(op.location).size();
  graph_.place(w, positions.front());
  return is_last || consistent(graph_, {w});
}

// --- when nobody can move

bool copying_search::decide(std::span<const thread_id> waiting,
                            std::span<const operation* const> operations) {
  for (std::size_t i = 0; i < waiting.size(); ++i) {
    const operation& op = *operations[i];
    if (!parks(op)) continue;
    std::vector<event_id> sources;
    memory_model::read_candidates(model_, graph_, waiting[i], op, sources);
    search::keep_satisfying(graph_, waiting[i], op, sources);
    if (sources.empty()) continue;
    for (const event_id source : sources) push_read(graph_, waiting[i], op, source);
    graph_.park(waiting[i], op.location, graph::initial_write, graph_.next_stamp(),
                graph_.next_stamp());
    return true;
  }
  return false;
}

bool copying_search::waits_for_ever(thread_id thread, const operation& op) {
  return !parks(op) || search::waits_for_ever(graph_, thread, op);
}

}  // namespace heddle::oracle
