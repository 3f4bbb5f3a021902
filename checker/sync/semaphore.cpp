#include "checker/sync/semaphore.hpp"

namespace heddle::sync {

namespace {

using graph::operation;
using graph::value;

bool is_positive(value current, const std::byte*) {
  return static_cast<std::int64_t>(current.low) > 0;
}

operation acquisition() {
  operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph::memory_order::acquire;
  op.when = graph::condition::predicate;
  op.predicate = &is_positive;
  op.state = {};
  op.modify = [](value old, value) { return value{old.low - 1, 0}; };
  op.object = graph::object_kind::semaphore;
  return op;
}

}  // namespace

void semaphore::construct(std::ptrdiff_t desired, std::ptrdiff_t max, runtime::location where) {
  if (!runtime::active()) return;
  if (desired < 0) runtime::misuse("a semaphore starts below zero", where);
  if (desired > max) runtime::misuse("a semaphore starts above its maximum", where);
  runtime::constructed(this, bytes());
  runtime::side(this, bytes()).where = where;
}

void semaphore::acquire(runtime::location where) {
  if (!runtime::active()) runtime::outside_of_check("acquiring a semaphore", where);
  operation op = acquisition();
  op.blocks = true;
  runtime::perform(this, bytes(), op, where);
}

bool semaphore::try_acquire(runtime::location where) {
  if (!runtime::active()) {
    if (count_ == 0) return false;
    --count_;
    return true;
  }
  return is_positive(runtime::perform(this, bytes(), acquisition(), where), nullptr);
}

void semaphore::release(std::ptrdiff_t update, std::ptrdiff_t max, runtime::location where) {
  if (!runtime::active()) {
    count_ += update;
    return;
  }
  const runtime::location made = runtime::side(this, bytes()).where;
  if (update < 0)
    runtime::misuse("a semaphore is released a negative number of times", where, made);
  operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph::memory_order::release;
  op.modify = [](value old, value by) { return value{old.low + by.low, 0}; };
  op.operand = {static_cast<std::uint64_t>(update), 0};
  op.object = graph::object_kind::semaphore;
  const auto before = static_cast<std::int64_t>(runtime::perform(this, bytes(), op, where).low);
  if (update > max - before)
    runtime::misuse("a semaphore is released above its maximum", where, made);
}

}  // namespace heddle::sync
