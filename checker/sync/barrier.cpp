#include "checker/sync/barrier.hpp"

#include <cstring>
#include <string>

#include "checker/sync/last_change.hpp"
#include "checker/sync/lifetime.hpp"

namespace heddle::sync {

namespace {

using graph::operation;
using graph::operation_kind;
using graph::value;

constexpr unsigned half = 32;

std::uint32_t to_arrive(value v) { return static_cast<std::uint32_t>(v.low); }
std::uint32_t expected(value v) { return static_cast<std::uint32_t>(v.low >> half); }

value packed(std::uint32_t to_arrive, std::uint32_t expected, std::uint64_t phase) {
  return {std::uint64_t{expected} << half | to_arrive, phase};
}

operation request(operation_kind kind, graph::memory_order order) {
  operation op;
  op.kind = kind;
  op.order = order;
  op.object = graph::object_kind::barrier;
  return op;
}

bool is_over(value complete, const std::byte* state) {
  std::uint64_t phase = 0;
  std::memcpy(&phase, state, sizeof phase);
  return complete.low > phase;
}

}  // namespace

graph::value barrier::bytes() const {
  const auto count = static_cast<std::uint32_t>(expected_);
  return packed(count, count, 0);
}

void barrier::construct() {
  if (runtime::active()) runtime::constructed(this, bytes());
  if (expected_ < 0 || expected_ > max)
    runtime::misuse("a barrier is constructed for " + std::to_string(expected_) +
                        " arrivals, which is not in 0.." + std::to_string(max),
                    made_);
}

void barrier::check_alive(runtime::location where) const {
  sync::check_alive(this, "a barrier", where);
}

barrier::arrival barrier::arrive(std::ptrdiff_t update, bool drops, runtime::location where) {
  if (!runtime::active()) runtime::outside_of_check("arriving at a barrier", where);
  check_alive(where);
  if (update <= 0)
    runtime::misuse(std::to_string(update) + " threads arrive at a barrier", where, made_);
  operation op = request(operation_kind::rmw, graph::memory_order::release);
  op.modify = [](value old, value by) {
    return packed(to_arrive(old) - to_arrive(by), expected(old) - expected(by), old.high);
  };
  op.operand = packed(static_cast<std::uint32_t>(update), drops ? 1 : 0, 0);
  const value before = runtime::perform(this, bytes(), op, where);
  if (update > to_arrive(before))
    runtime::misuse(
        "more threads arrive at a barrier than it expects: " + std::to_string(to_arrive(before)) +
            " of " + std::to_string(expected(before)) + " are still to arrive in phase " +
            std::to_string(before.high) + ", and " + std::to_string(update) +
            (update == 1 ? " arrives" : " arrive"),
        where, last_change(this, made_));
  const arrival made{before.high, update == to_arrive(before), expected(before) - (drops ? 1 : 0)};
  // Nobody else writes now, so the last one reads what it has just written: the end of a release
  // sequence of all arrivals.
  if (made.is_last)
    runtime::perform(this, bytes(), request(operation_kind::load, graph::memory_order::acquire),
                     where);
  return made;
}

void barrier::complete(const arrival& last, runtime::location where) {
  operation op = request(operation_kind::store, graph::memory_order::release);
  op.operand = packed(last.expected, last.expected, last.phase + 1);
  runtime::perform(this, bytes(), op, where);
  op.object = graph::object_kind::barrier_phases;
  op.operand = {last.phase + 1, 0};
  runtime::perform_part(this, bytes(), 0, op, where);
}

void barrier::wait(std::uint64_t phase, runtime::location where) const {
  if (!runtime::active()) runtime::outside_of_check("waiting at a barrier", where);
  check_alive(where);
  operation op = request(operation_kind::load, graph::memory_order::acquire);
  op.object = graph::object_kind::barrier_phases;
  op.when = graph::condition::predicate;
  op.predicate = &is_over;
  op.state = {};
  std::memcpy(op.state.data(), &phase, sizeof phase);
  op.blocks = true;
  if (runtime::perform_part(this, bytes(), 0, op, where).low != phase + 1)
    runtime::misuse("a wait at a barrier for a phase before the last one", where, made_);
}

void barrier::destroy(runtime::location where) { end_life(this, bytes(), "a barrier", where); }

}  // namespace heddle::sync
