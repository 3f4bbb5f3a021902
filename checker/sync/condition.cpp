#include "checker/sync/condition.hpp"

#include <bit>
#include <string>

namespace heddle::sync {

namespace {

using graph::operation;
using graph::operation_kind;
using graph::value;

std::uint64_t this_bit() { return std::uint64_t{1} << runtime::this_thread(); }

operation on_set(operation_kind kind) {
  operation op;
  op.kind = kind;
  op.object = graph::object_kind::condition;
  return op;
}

operation on_slot(operation_kind kind) {
  operation op;
  op.kind = kind;
  op.object = graph::object_kind::condition_slot;
  return op;
}

value with(value old, value operand) { return {old.low | operand.low, 0}; }
value without(value old, value operand) { return {old.low & ~operand.low, 0}; }
value one_more(value old, value) { return {old.low + 1, 0}; }

}  // namespace

condition::ticket condition::enter(const void* mutex, runtime::location where,
                                   graph::memory_order order) {
  const graph::thread_id me = runtime::this_thread();
  const value so_far = runtime::perform_part(this, {}, me, on_slot(operation_kind::load), where);
  operation op = on_set(operation_kind::rmw);
  op.order = order;
  op.modify = &with;
  op.operand = {this_bit(), 0};
  const std::uint64_t others = runtime::perform(this, {}, op, where).low;
  // Whoever waits with the same mutex holds it now, and sees what the others have noted.
  runtime::object_side& side = runtime::side(this, {});
  const auto number = reinterpret_cast<std::uintptr_t>(mutex);
  if (others == 0) {
    side.word = number;
  } else if (side.word != number) {
    const auto other = static_cast<graph::thread_id>(std::countr_zero(others));
    runtime::misuse("two threads wait on one condition variable with different mutexes", where,
                    runtime::last_use(this, other));
  }
  return {so_far.low + 1};
}

void condition::sleep(ticket entered, runtime::location where) {
  operation op = on_slot(operation_kind::load);
  op.when = graph::condition::equal;
  op.blocks = true;
  op.expected = {entered.wakeups, 0};
  runtime::perform_part(this, {}, runtime::this_thread(), op, where);
}

bool condition::leave(runtime::location where) {
  operation op = on_set(operation_kind::rmw);
  op.modify = &without;
  op.skips_unchanged = true;
  op.operand = {this_bit(), 0};
  return (runtime::perform(this, {}, op, where).low & this_bit()) != 0;
}

void condition::notify_one(runtime::location where) {
  if (!runtime::active()) return;
  const value picked = runtime::perform(this, {}, on_set(operation_kind::pick), where);
  if (picked.low < graph::max_thread_count) wake(std::uint64_t{1} << picked.low, where);
}

void condition::notify_all(runtime::location where) {
  if (!runtime::active()) return;
  operation op = on_set(operation_kind::rmw);
  op.skips_unchanged = true;
  wake(runtime::perform(this, {}, op, where).low, where);
}

void condition::notify_all_released(runtime::location where) {
  operation op = on_set(operation_kind::rmw);
  op.order = graph::memory_order::release;
  wake(runtime::perform(this, {}, op, where).low, where);
}

void condition::wake(std::uint64_t set, runtime::location where) {
  for (; set != 0; set &= set - 1) {
    operation op = on_slot(operation_kind::rmw);
    op.modify = &one_more;
    runtime::perform_part(this, {}, static_cast<std::uint32_t>(std::countr_zero(set)), op, where);
  }
}

void condition::check_destruction(runtime::location where) const {
  if (!runtime::active()) return;
  const std::uint64_t set = runtime::perform(this, {}, on_set(operation_kind::load), where).low;
  if (set == 0) return;
  const std::uint64_t others = set & ~this_bit();
  if (others == 0)
    runtime::misuse(
        "a condition variable is destroyed while, for all that this thread can know, the notify "
        "that woke it is not over",
        where, runtime::last_change(this, runtime::this_thread()));
  const auto waiter = static_cast<graph::thread_id>(std::countr_zero(others));
  const std::string message =
      "a condition variable is destroyed while, for all that this thread can know, thread " +
      std::to_string(waiter) + " waits on it";
  runtime::misuse(message, where, runtime::last_use(this, waiter));
}

}  // namespace heddle::sync
