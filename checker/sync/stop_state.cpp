#include "checker/sync/stop_state.hpp"

#include "checker/sync/inner_lock.hpp"

namespace heddle::sync {

namespace {

using graph::memory_order;
using graph::operation;
using graph::operation_kind;
using graph::value;

// Numbers of parts.
constexpr std::uint32_t lock_part = 0;
constexpr std::uint32_t first_source_part = 1;
constexpr std::uint32_t first_callback_part = first_source_part + graph::max_thread_count;

operation access(operation_kind kind, memory_order order, graph::object_kind object) {
  operation op;
  op.kind = kind;
  op.order = order;
  op.object = object;
  return op;
}

value sum(value a, value b) { return {a.low + b.low, 0}; }

}  // namespace

void stop_state::lock(runtime::location where) const {
  if (runtime::active()) acquire_inner(this, bytes(), lock_part, where);
}

void stop_state::unlock(runtime::location where) const {
  if (runtime::active()) release_inner(this, bytes(), lock_part, where);
}

bool stop_state::is_requested(runtime::location where) const {
  if (!runtime::active()) return is_requested_;
  return runtime::perform(
             this, bytes(),
             access(operation_kind::load, memory_order::acquire, graph::object_kind::stop_state),
             where) != value{};
}

bool stop_state::request(runtime::location where) {
  lock(where);
  if (is_requested_) {
    unlock(where);
    return false;
  }
  if (runtime::active()) {
    operation op =
        access(operation_kind::store, memory_order::release, graph::object_kind::stop_state);
    op.operand = {1, 0};
    runtime::perform(this, bytes(), op, where);
    requester_ = runtime::this_thread();
  }
  is_requested_ = true;
  // Nobody adds any more, but others may remove theirs between two that run.
  while (callback* const next = newest_) {
    unlink(*next);
    const bool is_last = newest_ == nullptr;
    unlock(where);
    run(*next, where);
    if (is_last) return true;
    lock(where);
  }
  unlock(where);
  return true;
}

void stop_state::run(callback& next, runtime::location where) {
  const std::uint32_t number = next.number_;
  running_ = &next;
  running_is_destroyed_ = false;
  next.run_(next);
  running_ = nullptr;
  if (runtime::active() && !running_is_destroyed_) {
    operation op = access(operation_kind::store, memory_order::release, graph::object_kind::inner);
    op.operand = {1, 0};
    runtime::perform_part(this, bytes(), first_callback_part + number, op, where);
  }
}

bool stop_state::add(callback& added, runtime::location where) {
  lock(where);
  const bool is_late = is_requested_;
  if (!is_late) {
    added.number_ = registrations_++;
    added.is_listed_ = true;
    added.older_ = newest_;
    if (newest_ != nullptr) newest_->newer_ = &added;
    newest_ = &added;
  }
  unlock(where);
  return !is_late;
}

void stop_state::unlink(callback& linked) {
  linked.is_listed_ = false;
  (linked.newer_ != nullptr ? linked.newer_->older_ : newest_) = linked.older_;
  if (linked.older_ != nullptr) linked.older_->newer_ = linked.newer_;
}

void stop_state::remove(callback& removed, runtime::location where) {
  lock(where);
  const bool was_listed = removed.is_listed_;
  if (was_listed) unlink(removed);
  unlock(where);
  if (was_listed) return;
  if (!runtime::active() || requester_ == runtime::this_thread()) {
    // destroyed by itself, or it has returned
    if (running_ == &removed) running_is_destroyed_ = true;
    return;
  }
  operation op =
      access(operation_kind::load, memory_order::acquire, graph::object_kind::stop_state);
  op.when = graph::condition::equal;
  op.blocks = true;
  op.expected = {1, 0};
  runtime::perform_part(this, bytes(), first_callback_part + removed.number_, op, where);
}

void stop_state::count_source(int by, runtime::location where) {
  if (!runtime::active()) {
    sources_ += by;
    return;
  }
  operation op = access(operation_kind::rmw, memory_order::release, graph::object_kind::inner);
  op.modify = &sum;
  op.operand = {static_cast<std::uint64_t>(static_cast<std::int64_t>(by)), 0};
  runtime::perform_part(this, bytes(), first_source_part + runtime::this_thread(), op, where);
}

bool stop_state::has_source(runtime::location where) const {
  auto count = static_cast<std::uint64_t>(static_cast<std::int64_t>(sources_));
  if (runtime::active()) {
    const operation op =
        access(operation_kind::load, memory_order::acquire, graph::object_kind::inner);
    for (graph::thread_id t = 0; t < graph::max_thread_count; ++t)
      count += runtime::perform_part(this, bytes(), first_source_part + t, op, where).low;
  }
  return count != 0;
}

}  // namespace heddle::sync
