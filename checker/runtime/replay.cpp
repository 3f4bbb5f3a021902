// The replay of a recorded prefix: shared/design/exploration.md 6. Each request of a thread whose
// next event is recorded is held against the record and answered from it.
#include <string>

#include "checker/runtime/execution.hpp"

namespace heddle::runtime {

using graph::event;
using graph::event_kind;
using graph::operation;
using graph::operation_kind;
using graph::thread_id;
using graph::value;

bool execution::can_replay(const event& e) const {
  if (e.kind == event_kind::read)
    return e.reads_from.is_initial() ||
           threads_[e.reads_from.thread()]->consumed > e.reads_from.index();
  if (e.kind == event_kind::join) {
    const model_thread& ended = *threads_[e.location];
    return ended.recorded != 0 && ended.consumed == ended.recorded;
  }
  return true;
}

bool execution::replay() {
  for (bool progress = true; progress;) {
    progress = false;
    for (thread_id id = 0; id < threads_.size(); ++id) {
      const model_thread& thread = *threads_[id];
      if (thread.state == thread_state::absent || thread.consumed == thread.recorded) continue;
      if (thread.state != thread_state::fresh &&
          !(thread.replay_waiting && can_replay((*graph_)[{id, thread.consumed}])))
        continue;
      resume(id);
      if (failure_) return false;
      progress = true;
    }
  }
  for (thread_id id = 0; id < graph_->thread_count(); ++id) {
    if (graph_->size(id) == 0) continue;
    if (id < threads_.size() && threads_[id]->state != thread_state::absent &&
        threads_[id]->consumed == threads_[id]->recorded)
      continue;
    failure_.emplace(failure{verdict_kind::error,
                             "the body does not repeat itself: thread " + std::to_string(id) +
                                 " did more in an earlier execution with the same decisions",
                             last_place(id),
                             {},
                             id,
                             0});
    return false;
  }
  return true;
}

namespace {

// The two operations that are most frequent, if all is as recorded.
bool is_plainly_recorded(const operation& op, const event& e) {
  if (e.location != op.location || e.order != op.order || e.is_rmw) return false;
  return op.kind == operation_kind::load ? e.kind == event_kind::read
                                         : op.kind == operation_kind::store &&
                                               e.kind == event_kind::write && e.val == op.operand;
}

}  // namespace

value execution::replayed(model_thread& me, const operation& op, location where) {
  const thread_id id = running_;
  const event& e = (*graph_)[{id, me.consumed}];  // the graph does not grow meanwhile
  while (!can_replay(e)) {
    me.replay_waiting = true;
    leave(me);
    me.replay_waiting = false;
  }
  if (!is_plainly_recorded(op, e)) check_recorded(op, e, where);
  value result = e.val;
  if (e.kind == event_kind::read && e.is_rmw) {
    if (op.kind == operation_kind::pick) {
      const event& choice = (*graph_)[{id, me.consumed + 1}];
      result = {graph::picked_element(e.val.low, static_cast<std::uint32_t>(choice.val.low)), 0};
      me.consumed += 3;
    } else {
      me.consumed += 2;
    }
  } else {
    if (op.kind == operation_kind::pick) result = graph::nothing_picked;
    me.consumed += 1;
  }
  note_places(me, where);
  if (op.blocks && !op.holds_for(e.val)) {
    me.pending = op;
    me.pending_where = where;
    leave_for_good(op.sleeps ? thread_state::sleeping : thread_state::assumed);
  }
  return result;
}

namespace {

const char* text(operation_kind kind) {
  switch (kind) {
    case operation_kind::load:
      return "a load";
    case operation_kind::store:
      return "a store";
    case operation_kind::rmw:
      return "a read-modify-write";
    case operation_kind::pick:
      return "a pick";
    case operation_kind::fence:
      return "a fence";
    case operation_kind::choice:
      return "a choice";
    case operation_kind::spawn:
      return "the start of a thread";
    case operation_kind::join:
      return "a join";
    case operation_kind::notify:
      return "a notify";
    case operation_kind::end:
      return "the end of the thread";
  }
  return "?";
}

const char* text(event_kind kind) {
  switch (kind) {
    case event_kind::read:
      return "a read";
    case event_kind::write:
      return "a write";
    case event_kind::fence:
      return "a fence";
    case event_kind::choice:
      return "a choice";
    case event_kind::spawn:
      return "the start of a thread";
    case event_kind::join:
      return "a join";
    case event_kind::notify:
      return "a notify";
    case event_kind::end:
      return "the end of the thread";
  }
  return "?";
}

}  // namespace

void execution::not_repeated(const char* recorded, const char* detail, const operation& op,
                             location where) {
  fail(verdict_kind::error,
       "the body does not repeat itself: operation " +
           std::to_string(threads_[running_]->consumed) + " of thread " + std::to_string(running_) +
           " was " + recorded + detail + ", now it is " + text(op.kind) +
           " (usual causes: a plain global that keeps its value, a variable captured by reference "
           "from outside, a thread_local, time or random numbers)",
       where.file != nullptr ? where : last_place(running_));
}

void execution::check_recorded(const operation& op, const event& e, location where) {
  const model_thread& me = *threads_[running_];
  const auto mismatch = [&](const char* what) { not_repeated(text(e.kind), what, op, where); };
  switch (op.kind) {
    case operation_kind::load:
    case operation_kind::rmw:
    case operation_kind::pick:
      if (e.kind != event_kind::read) mismatch("");
      if (e.location != op.location) mismatch(" of another object");
      if (e.order != op.read_order(e.val) || e.is_rmw != op.writes_after(e.val))
        mismatch(" with another order or effect");
      if (e.is_rmw && op.kind == operation_kind::rmw &&
          (*graph_)[{running_, me.consumed + 1}].val != op.new_value(e.val))
        mismatch(" that wrote another value");
      return;
    case operation_kind::store:
      if (e.kind != event_kind::write) mismatch("");
      if (e.location != op.location) mismatch(" of another object");
      if (e.val != op.operand || e.order != op.order) mismatch(" of another value or order");
      return;
    case operation_kind::fence:
      if (e.kind != event_kind::fence || e.order != op.order) mismatch("");
      return;
    case operation_kind::choice:
      if (e.kind != event_kind::choice || e.val.low >= op.count ||
          e.location != static_cast<graph::location_id>(op.reason))
        mismatch("");
      return;
    case operation_kind::spawn:
      if (e.kind != event_kind::spawn || e.location != op.other) mismatch("");
      return;
    case operation_kind::join:
      if (e.kind != event_kind::join || e.location != op.other) mismatch("");
      return;
    case operation_kind::notify:
      if (e.kind != event_kind::notify || e.location != op.location || e.val.low != op.count)
        mismatch("");
      return;
    case operation_kind::end:
      if (e.kind != event_kind::end) mismatch("");
      return;
  }
}

}  // namespace heddle::runtime
