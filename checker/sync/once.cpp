#include "checker/sync/once.hpp"

namespace heddle::sync {

namespace {

using graph::operation;
using graph::value;

constexpr std::uint32_t not_yet = 0;
constexpr std::uint32_t running = 1;
constexpr std::uint32_t done = 2;

}  // namespace

bool once::begin(runtime::location where) {
  if (!runtime::active()) {
    // std's would wait for itself
    if (state_ == running)
      runtime::misused_outside("call_once is called by the function that it calls", where);
    if (state_ == done) return false;
    state_ = running;
    return true;
  }
  const std::uint64_t me = std::uint64_t{runtime::this_thread()} + 1;
  if (const runtime::object_side& side = runtime::side(this, bytes()); side.word == me)
    runtime::misuse("call_once is called by the function that it calls", where, side.where);
  operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph::memory_order::acquire;
  op.failure_order = graph::memory_order::acquire;
  op.when = graph::condition::differs;
  op.expected = {running, 0};
  op.blocks = true;
  op.skips_unchanged = true;
  op.object = graph::object_kind::once_flag;
  op.modify = [](value old, value) { return old.low == not_yet ? value{running, 0} : old; };
  if (runtime::perform(this, bytes(), op, where).low == done) return false;
  runtime::side(this, bytes()) = {me, where};
  return true;
}

void once::end(bool is_done, runtime::location where) {
  if (!runtime::active()) {
    state_ = is_done ? done : not_yet;
    return;
  }
  runtime::side(this, bytes()) = {};
  operation op;
  op.kind = graph::operation_kind::store;
  op.order = graph::memory_order::release;
  op.object = graph::object_kind::once_flag;
  op.operand = {is_done ? done : not_yet, 0};
  runtime::perform(this, bytes(), op, where);
}

}  // namespace heddle::sync
