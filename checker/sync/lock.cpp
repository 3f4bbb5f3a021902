#include "checker/sync/lock.hpp"

#include <limits>

namespace heddle::sync {

namespace {

// The word of a lock taken outside a body, where threads have no numbers; one less for each time
// it was taken again.
constexpr std::uint32_t held_outside = std::numeric_limits<std::uint32_t>::max();

// What the side word of a recursive lock counts in.
constexpr std::uint64_t once_more = std::uint64_t{1} << 32;

std::uint64_t this_holder() { return std::uint64_t{runtime::this_thread()} + 1; }

// Takes the lock if it is free; with `blocks` set, waits until it is.
graph::operation acquisition(std::uint64_t holder) {
  graph::operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph::memory_order::acquire;
  op.failure_order = graph::memory_order::relaxed;
  op.when = graph::condition::equal;
  op.expected = {};
  op.operand = {holder, 0};
  op.object = graph::object_kind::mutex;
  return op;
}

}  // namespace

void lock::acquire(runtime::location where) {
  if (!runtime::active()) runtime::outside_of_check("locking a mutex", where);
  const std::uint64_t me = this_holder();
  if (held_by_this_thread()) {
    runtime::misuse("a mutex is locked by the thread that holds it already", where,
                    runtime::side(this, bytes()).where);
  }
  graph::operation op = acquisition(me);
  op.blocks = true;
  runtime::perform(this, bytes(), op, where);
  runtime::side(this, bytes()) = {me, where};
}

void lock::check_not_held(runtime::location where) const {
  if (held_by_this_thread()) {
    runtime::misuse("try_lock of a mutex by the thread that holds it already", where,
                    runtime::side(this, bytes()).where);
  }
}

bool lock::take_if_free(runtime::location where) {
  const std::uint64_t me = this_holder();
  if (runtime::perform(this, bytes(), acquisition(me), where) != graph::value{}) return false;
  runtime::side(this, bytes()) = {me, where};
  return true;
}

bool lock::try_acquire(runtime::location where) {
  if (!runtime::active()) {
    if (word_ != 0) return false;
    word_ = held_outside;
    return true;
  }
  check_not_held(where);
  if (runtime::fails_spuriously(graph::choice_reason::try_lock_failure, where)) return false;
  return take_if_free(where);
}

bool lock::acquire_in_time(runtime::location where) {
  check_not_held(where);
  return take_if_free(where);
}

void lock::release(runtime::location where) {
  if (!runtime::active()) {
    word_ = 0;
    return;
  }
  if (!held_by_this_thread()) {
    runtime::misuse("a mutex is unlocked by a thread that does not hold it", where,
                    runtime::last_use(this, runtime::this_thread()));
  }
  runtime::side(this, bytes()) = {};
  graph::operation op;
  op.kind = graph::operation_kind::store;
  op.order = graph::memory_order::release;
  op.operand = {};
  op.object = graph::object_kind::mutex;
  runtime::perform(this, bytes(), op, where);
}

bool lock::held_by_this_thread() const {
  if (!runtime::active()) return word_ != 0;
  return runtime::side(this, bytes()).word % once_more == this_holder();
}

void lock::take_again() {
  if (!runtime::active()) {
    --word_;
    return;
  }
  runtime::side(this, bytes()).word += once_more;
}

bool lock::give_back() {
  if (!runtime::active()) {
    if (word_ == held_outside) return false;
    ++word_;
    return true;
  }
  runtime::object_side& side = runtime::side(this, bytes());
  if (side.word < once_more) return false;
  side.word -= once_more;
  return true;
}

void lock::check_destruction(runtime::location where) const {
  if (!runtime::active()) return;
  if (const runtime::object_side& side = runtime::side(this, bytes()); side.word != 0) {
    runtime::misuse("a mutex is destroyed while a thread holds it", where, side.where);
  }
}

}  // namespace heddle::sync
