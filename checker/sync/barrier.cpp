#include "checker/sync/barrier.hpp"

#include <cstring>

namespace heddle::sync {

namespace {

using graph::operation;
using graph::value;

std::uint32_t remaining(value v) { return static_cast<std::uint32_t>(v.low); }
std::uint32_t expected(value v) { return static_cast<std::uint32_t>(v.low >> 32); }

// Between the last arrival and the end of the phase nobody arrives.
bool is_open(value current, const std::byte*) {
  return remaining(current) != 0 || expected(current) == 0;
}

bool is_over(value current, const std::byte* state) {
  std::uint64_t phase = 0;
  std::memcpy(&phase, state, sizeof phase);
  return current.high != phase;
}

}  // namespace

void barrier::construct(std::ptrdiff_t expected, runtime::location where) {
  if (!runtime::active()) return;
  if (expected < 0) runtime::misuse("a barrier expects a negative number", where);
  if (expected > max) runtime::misuse("a barrier expects more than its maximum", where);
  runtime::constructed(this, bytes());
  runtime::side(this, bytes()).where = where;
}

barrier::arrival barrier::arrive(std::ptrdiff_t update, bool drops, runtime::location where) {
  if (!runtime::active()) runtime::outside_of_check("arriving at a barrier", where);
  const runtime::location made = runtime::side(this, bytes()).where;
  if (update <= 0) runtime::misuse("nobody arrives at a barrier", where, made);
  operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph::memory_order::release;
  op.when = graph::condition::predicate;
  op.predicate = &is_open;
  op.state = {};
  op.blocks = true;
  op.object = graph::object_kind::barrier;
  op.modify = [](value old, value by) { return value{old.low - by.low, old.high}; };
  op.operand = {static_cast<std::uint64_t>(update) + (drops ? std::uint64_t{1} << 32 : 0), 0};
  const value before = runtime::perform(this, bytes(), op, where);
  if (update > remaining(before))
    runtime::misuse("more arrive at a barrier than it expects in the phase", where, made);
  const bool is_last = update == remaining(before);
  if (is_last) {
    // Reads what this arrival has just written, because nobody else writes now; so it knows what
    // all did that arrived.
    operation meet;
    meet.kind = graph::operation_kind::load;
    meet.order = graph::memory_order::acquire;
    meet.object = graph::object_kind::barrier;
    runtime::perform(this, bytes(), meet, where);
  }
  return {before.high, is_last};
}

void barrier::complete(runtime::location where) {
  // nobody else writes now, so this reads what the last arrival wrote
  operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph::memory_order::release;
  op.object = graph::object_kind::barrier;
  op.modify = [](value old, value) {
    return value{std::uint64_t{expected(old)} << 32 | expected(old), old.high + 1};
  };
  runtime::perform(this, bytes(), op, where);
}

void barrier::wait(std::uint64_t phase, runtime::location where) const {
  if (!runtime::active()) runtime::outside_of_check("waiting at a barrier", where);
  operation op;
  op.kind = graph::operation_kind::load;
  op.order = graph::memory_order::acquire;
  op.when = graph::condition::predicate;
  op.predicate = &is_over;
  op.state = {};
  std::memcpy(op.state.data(), &phase, sizeof phase);
  op.blocks = true;
  op.object = graph::object_kind::barrier;
  if (runtime::perform(this, bytes(), op, where).high != phase + 1)
    runtime::misuse("a wait at a barrier for a phase before the last one", where,
                    runtime::side(this, bytes()).where);
}

}  // namespace heddle::sync
