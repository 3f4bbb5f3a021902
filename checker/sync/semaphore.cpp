#include "checker/sync/semaphore.hpp"

#include <string>

#include "checker/sync/last_change.hpp"
#include "checker/sync/lifetime.hpp"

namespace heddle::sync {

namespace {

using graph::operation;
using graph::value;

std::int64_t count_of(value v) { return static_cast<std::int64_t>(v.low); }

bool is_positive(value current, const std::byte*) { return count_of(current) > 0; }

operation acquisition() {
  operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph::memory_order::acquire;
  op.failure_order = graph::memory_order::relaxed;
  op.when = graph::condition::predicate;
  op.predicate = &is_positive;
  op.state = {};
  op.modify = [](value old, value) { return value{old.low - 1, 0}; };
  op.object = graph::object_kind::semaphore;
  return op;
}

}  // namespace

void semaphore::construct() {
  if (runtime::active()) runtime::constructed(this, bytes());
  if (count_ < 0 || count_ > max_)
    runtime::misuse("a semaphore is constructed with the count " + std::to_string(count_) +
                        ", which is not in 0.." + std::to_string(max_),
                    made_);
}

void semaphore::check_alive(runtime::location where) const {
  sync::check_alive(this, "a semaphore", where);
}

void semaphore::check_release(std::ptrdiff_t count, std::ptrdiff_t update,
                              runtime::location where) const {
  if (update <= max_ - count) return;
  runtime::misuse("a semaphore is released above its maximum of " + std::to_string(max_) +
                      ": the count is " + std::to_string(count) + " and " + std::to_string(update) +
                      (update == 1 ? " is added" : " are added"),
                  where, runtime::active() ? last_change(this, made_) : made_);
}

void semaphore::acquire(runtime::location where) {
  if (!runtime::active()) {
    if (count_ == 0) runtime::outside_of_check("waiting for a semaphore", where);
    --count_;
    return;
  }
  check_alive(where);
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
  check_alive(where);
  return count_of(runtime::perform(this, bytes(), acquisition(), where)) > 0;
}

void semaphore::release(std::ptrdiff_t update, runtime::location where) {
  if (runtime::active()) check_alive(where);
  if (update < 0)
    runtime::misuse("a semaphore is released " + std::to_string(update) + " times", where, made_);
  if (!runtime::active()) {
    check_release(count_, update, where);
    count_ += update;
    return;
  }
  operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph::memory_order::release;
  op.modify = [](value old, value by) { return value{old.low + by.low, 0}; };
  op.operand = {static_cast<std::uint64_t>(update), 0};
  op.object = graph::object_kind::semaphore;
  check_release(count_of(runtime::perform(this, bytes(), op, where)), update, where);
}

void semaphore::destroy(runtime::location where) { end_life(this, bytes(), "a semaphore", where); }

}  // namespace heddle::sync
