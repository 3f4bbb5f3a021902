#include "checker/sync/shared_lock.hpp"

#include <bit>
#include <limits>
#include <string>

namespace heddle::sync {

namespace {

using graph::operation;
using graph::value;

// In place of a thread's number, of a lock taken outside a body, where threads have none.
constexpr std::uint32_t held_outside = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t shared_outside = held_outside - 1;

constexpr std::uint64_t one_turn = std::uint64_t{1} << 32;
// The part in which the turns are published.
constexpr std::uint32_t turns = 0;

std::uint64_t this_holder() { return std::uint64_t{runtime::this_thread()} + 1; }
std::uint64_t this_bit() { return std::uint64_t{1} << runtime::this_thread(); }

std::uint64_t holder(value v) { return v.low % one_turn; }
std::uint64_t turn(value v) { return v.low / one_turn; }
bool is_free(value v) { return holder(v) == 0 && v.high == 0; }
bool can_be_shared(value v) { return holder(v) == 0 || holder(v) == shared_outside; }
value with(value old, value operand) { return {old.low | operand.low, old.high | operand.high}; }
value without(value old, value operand) { return {old.low, old.high & ~operand.high}; }

operation on_lock(graph::operation_kind kind, graph::memory_order order) {
  operation op;
  op.kind = kind;
  op.order = order;
  op.object = graph::object_kind::shared_mutex;
  return op;
}

}  // namespace

graph::value shared_lock::bytes() const {
  return {is_held_outside_ ? held_outside : sharers_outside_ != 0 ? shared_outside : 0u, 0};
}

bool shared_lock::held_by_this_thread() const {
  return runtime::side(this, bytes()).word % one_turn == this_holder();
}

bool shared_lock::shared_by_this_thread() const {
  return (runtime::side(this, bytes()).sharers & this_bit()) != 0;
}

void shared_lock::check_not_held(std::string_view what, runtime::location where) const {
  const bool held = held_by_this_thread();
  if (!held && !shared_by_this_thread()) return;
  const std::string message = std::string(what) + " of a shared mutex by a thread that " +
                              (held ? "holds" : "shares") + " it already";
  // nothing that this thread may do with a lock that it has comes after it was taken
  runtime::misuse(message, where, runtime::last_use(this, runtime::this_thread()));
}

// With `blocks`: waits until it can, and returns true.
bool shared_lock::take(runtime::location where, bool blocks) {
  operation op = on_lock(graph::operation_kind::rmw, graph::memory_order::acquire);
  op.when = graph::condition::predicate;
  op.blocks = blocks;
  op.predicate = [](value now, const std::byte*) { return is_free(now); };
  op.state = {};
  op.modify = &with;
  op.operand = {this_holder(), 0};
  const value before = runtime::perform(this, bytes(), op, where);
  if (!is_free(before)) return false;
  runtime::object_side& side = runtime::side(this, bytes());
  side.word = turn(before) * one_turn + this_holder();
  side.where = where;
  return true;
}

bool shared_lock::share(runtime::location where, bool blocks) {
  operation op = on_lock(graph::operation_kind::rmw, graph::memory_order::relaxed);
  op.when = graph::condition::predicate;
  op.blocks = blocks;
  op.predicate = [](value now, const std::byte*) { return can_be_shared(now); };
  op.state = {};
  op.modify = &with;
  op.operand = {0, this_bit()};
  const value before = runtime::perform(this, bytes(), op, where);
  if (!can_be_shared(before)) return false;
  runtime::side(this, bytes()).sharers |= this_bit();
  if (turn(before) == 0) return true;
  // one write has this value, and it came before what has been read here: no wait, no choice
  operation last = on_lock(graph::operation_kind::load, graph::memory_order::acquire);
  last.when = graph::condition::equal;
  last.blocks = true;
  last.expected = {turn(before), 0};
  last.object = graph::object_kind::inner;
  runtime::perform_part(this, bytes(), turns, last, where);
  return true;
}

void shared_lock::acquire(runtime::location where) {
  if (!runtime::active()) runtime::outside_of_check("locking a shared mutex", where);
  check_not_held("lock", where);
  take(where, true);
}

void shared_lock::acquire_shared(runtime::location where) {
  if (!runtime::active()) runtime::outside_of_check("sharing a shared mutex", where);
  check_not_held("lock_shared", where);
  share(where, true);
}

bool shared_lock::try_acquire(runtime::location where) {
  if (!runtime::active()) {
    if (!is_free(bytes())) return false;
    is_held_outside_ = true;
    return true;
  }
  check_not_held("try_lock", where);
  if (runtime::fails_spuriously(graph::choice_reason::try_lock_failure, where)) return false;
  return take(where, false);
}

bool shared_lock::try_acquire_shared(runtime::location where) {
  if (!runtime::active()) {
    if (!can_be_shared(bytes())) return false;
    ++sharers_outside_;
    return true;
  }
  check_not_held("try_lock_shared", where);
  if (runtime::fails_spuriously(graph::choice_reason::try_lock_failure, where)) return false;
  return share(where, false);
}

bool shared_lock::acquire_in_time(runtime::location where) {
  check_not_held("try_lock", where);
  return take(where, false);
}

bool shared_lock::acquire_shared_in_time(runtime::location where) {
  check_not_held("try_lock_shared", where);
  return share(where, false);
}

void shared_lock::release(runtime::location where) {
  if (!runtime::active()) {
    is_held_outside_ = false;
    return;
  }
  if (!held_by_this_thread()) {
    runtime::misuse(shared_by_this_thread()
                        ? "unlock of a shared mutex by a thread that shares it"
                        : "unlock of a shared mutex by a thread that does not hold it",
                    where, runtime::last_use(this, runtime::this_thread()));
  }
  runtime::object_side& side = runtime::side(this, bytes());
  const std::uint64_t next = side.word / one_turn + 1;
  side.word = 0;
  side.where = {};
  operation op = on_lock(graph::operation_kind::store, graph::memory_order::release);
  op.operand = {next, 0};
  op.object = graph::object_kind::inner;
  runtime::perform_part(this, bytes(), turns, op, where);
  op.operand = {next * one_turn, 0};
  op.object = graph::object_kind::shared_mutex;
  runtime::perform(this, bytes(), op, where);
}

void shared_lock::release_shared(runtime::location where) {
  if (!runtime::active()) {
    --sharers_outside_;
    return;
  }
  if (!shared_by_this_thread()) {
    runtime::misuse(held_by_this_thread()
                        ? "unlock_shared of a shared mutex by a thread that holds it alone"
                        : "unlock_shared of a shared mutex by a thread that does not share it",
                    where, runtime::last_use(this, runtime::this_thread()));
  }
  runtime::side(this, bytes()).sharers &= ~this_bit();
  operation op = on_lock(graph::operation_kind::rmw, graph::memory_order::release);
  op.modify = &without;
  op.operand = {0, this_bit()};
  runtime::perform(this, bytes(), op, where);
}

void shared_lock::check_destruction(runtime::location where) const {
  if (!runtime::active()) return;
  const runtime::object_side& side = runtime::side(this, bytes());
  if (side.word != 0)
    runtime::misuse("a shared mutex is destroyed while a thread holds it", where, side.where);
  if (side.sharers != 0) {
    const auto sharer = static_cast<graph::thread_id>(std::countr_zero(side.sharers));
    runtime::misuse("a shared mutex is destroyed while a thread shares it", where,
                    runtime::last_use(this, sharer));
  }
}

}  // namespace heddle::sync
