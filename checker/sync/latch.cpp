#include "checker/sync/latch.hpp"

#include <string>

#include "checker/sync/last_change.hpp"
#include "checker/sync/lifetime.hpp"

namespace heddle::sync {

namespace {

using graph::operation;
using graph::value;

operation look_for_zero() {
  operation op;
  op.kind = graph::operation_kind::load;
  op.order = graph::memory_order::acquire;
  op.failure_order = graph::memory_order::relaxed;
  op.when = graph::condition::equal;
  op.expected = {};
  op.object = graph::object_kind::latch;
  return op;
}

}  // namespace

void latch::construct(std::ptrdiff_t max) {
  if (runtime::active()) runtime::constructed(this, bytes());
  if (count_ < 0 || count_ > max)
    runtime::misuse("a latch is constructed with the count " + std::to_string(count_) +
                        ", which is not in 0.." + std::to_string(max),
                    made_);
}

void latch::check_alive(runtime::location where) const {
  sync::check_alive(this, "a latch", where);
}

void latch::check_count(std::ptrdiff_t count, std::ptrdiff_t update,
                        runtime::location where) const {
  if (update <= count) return;
  runtime::misuse("a latch is counted down below zero: the count is " + std::to_string(count) +
                      " and " + std::to_string(update) +
                      (update == 1 ? " is taken off" : " are taken off"),
                  where, runtime::active() ? last_change(this, made_) : made_);
}

void latch::count_down(std::ptrdiff_t update, runtime::location where) {
  if (runtime::active()) check_alive(where);
  if (update < 0)
    runtime::misuse("a latch is counted down by " + std::to_string(update), where, made_);
  if (!runtime::active()) {
    check_count(count_, update, where);
    count_ -= update;
    return;
  }
  operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph::memory_order::release;
  op.modify = [](value old, value by) { return value{old.low - by.low, 0}; };
  op.operand = {static_cast<std::uint64_t>(update), 0};
  op.object = graph::object_kind::latch;
  const value before = runtime::perform(this, bytes(), op, where);
  check_count(static_cast<std::ptrdiff_t>(before.low), update, where);
}

bool latch::is_zero(runtime::location where) const {
  if (!runtime::active()) return count_ == 0;
  check_alive(where);
  return runtime::perform(this, bytes(), look_for_zero(), where) == value{};
}

void latch::wait(runtime::location where) const {
  if (!runtime::active()) {
    if (count_ != 0) runtime::outside_of_check("waiting for a latch", where);
    return;
  }
  check_alive(where);
  operation op = look_for_zero();
  op.blocks = true;
  runtime::perform(this, bytes(), op, where);
}

void latch::destroy(runtime::location where) { end_life(this, bytes(), "a latch", where); }

}  // namespace heddle::sync
