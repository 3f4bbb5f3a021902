#include "checker/sync/latch.hpp"

namespace heddle::sync {

namespace {

using graph::operation;
using graph::value;

operation observation() {
  operation op;
  op.kind = graph::operation_kind::load;
  op.order = graph::memory_order::acquire;
  op.object = graph::object_kind::latch;
  return op;
}

}  // namespace

void latch::construct(std::ptrdiff_t expected, runtime::location where) {
  if (!runtime::active()) return;
  if (expected < 0) runtime::misuse("a latch starts below zero", where);
  runtime::constructed(this, bytes());
  runtime::side(this, bytes()).where = where;
}

void latch::count_down(std::ptrdiff_t update, runtime::location where) {
  if (!runtime::active()) {
    count_ -= update;
    return;
  }
  const runtime::location made = runtime::side(this, bytes()).where;
  if (update < 0) runtime::misuse("a latch is counted down by a negative number", where, made);
  operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph::memory_order::release;
  op.modify = [](value old, value by) { return value{old.low - by.low, 0}; };
  op.operand = {static_cast<std::uint64_t>(update), 0};
  op.object = graph::object_kind::latch;
  const auto before = static_cast<std::int64_t>(runtime::perform(this, bytes(), op, where).low);
  if (before < update) runtime::misuse("a latch is counted down below zero", where, made);
}

bool latch::try_wait(runtime::location where) const {
  if (!runtime::active()) return count_ == 0;
  return runtime::perform(this, bytes(), observation(), where) == value{};
}

void latch::wait(runtime::location where) const {
  if (!runtime::active()) runtime::outside_of_check("waiting for a latch", where);
  operation op = observation();
  op.blocks = true;
  op.when = graph::condition::equal;
  op.expected = {};
  runtime::perform(this, bytes(), op, where);
}

}  // namespace heddle::sync
