// Requests of the atomic types to the engine, independent of the value's type.
//
// All of them are for a running body. They check that the memory order is one the operation may
// have: std leaves a load with release undefined, here it is misuse, with the source line.
#pragma once

#include <atomic>

#include "checker/runtime/interface.hpp"

namespace heddle {

using runtime::location;

}  // namespace heddle

namespace heddle::checked {

inline graph::memory_order graph_order(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return graph::memory_order::relaxed;
    case std::memory_order_consume:
    case std::memory_order_acquire:
      return graph::memory_order::acquire;
    case std::memory_order_release:
      return graph::memory_order::release;
    case std::memory_order_acq_rel:
      return graph::memory_order::acq_rel;
    case std::memory_order_seq_cst:
      break;
  }
  return graph::memory_order::seq_cst;
}

// The failure order that compare_exchange with one order has.
constexpr std::memory_order without_release(std::memory_order order) {
  return order == std::memory_order_acq_rel   ? std::memory_order_acquire
         : order == std::memory_order_release ? std::memory_order_relaxed
                                              : order;
}

inline void check_load_order(std::memory_order order, location where) {
  if (order == std::memory_order_release || order == std::memory_order_acq_rel) {
    runtime::misuse("an atomic load cannot have the order release or acq_rel", where);
  }
}

inline graph::value request_load(const void* object, graph::value initial, std::memory_order order,
                                 location where) {
  check_load_order(order, where);
  graph::operation op;
  op.kind = graph::operation_kind::load;
  op.order = graph_order(order);
  return runtime::perform(object, initial, op, where);
}

// Returns when the value differs from `old`; while it is equal the thread sleeps, until a notify
// that comes after a change of the value. Another sleep, if the value is `old` again, is the same.
inline void request_wait(const void* object, graph::value initial, graph::value old,
                         std::memory_order order, location where) {
  if (!runtime::active()) {
    if (initial == old) runtime::outside_of_check("waiting for an atomic to change", where);
    return;
  }
  check_load_order(order, where);
  graph::operation op;
  op.kind = graph::operation_kind::load;
  op.order = graph_order(order);
  op.when = graph::condition::differs;
  op.blocks = true;
  op.sleeps = true;
  op.expected = old;
  runtime::perform(object, initial, op, where);
}

// `count`: 1, or 0 for all. Outside a body nobody waits.
inline void request_notify(const void* object, graph::value initial, std::uint32_t count,
                           location where) {
  if (!runtime::active()) return;
  graph::operation op;
  op.kind = graph::operation_kind::notify;
  op.count = count;
  runtime::perform(object, initial, op, where);
}

inline void request_store(const void* object, graph::value initial, graph::value desired,
                          std::memory_order order, location where) {
  if (order == std::memory_order_acquire || order == std::memory_order_consume ||
      order == std::memory_order_acq_rel) {
    runtime::misuse("an atomic store cannot have the order acquire, consume or acq_rel", where);
  }
  graph::operation op;
  op.kind = graph::operation_kind::store;
  op.order = graph_order(order);
  op.operand = desired;
  runtime::perform(object, initial, op, where);
}

// Returns the old value. `modify` null: an exchange.
inline graph::value request_modify(const void* object, graph::value initial,
                                   graph::modify_function modify, graph::value operand,
                                   std::memory_order order, location where) {
  graph::operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph_order(order);
  op.modify = modify;
  op.operand = operand;
  return runtime::perform(object, initial, op, where);
}

inline void check_failure_order(std::memory_order order, location where) {
  if (order == std::memory_order_release || order == std::memory_order_acq_rel) {
    runtime::misuse("compare_exchange cannot have the failure order release or acq_rel", where);
  }
}

// Returns the old value; it has been replaced exactly if it equals `expected`.
inline graph::value request_compare_exchange(const void* object, graph::value initial,
                                             graph::value expected, graph::value desired,
                                             std::memory_order success, std::memory_order failure,
                                             location where) {
  check_failure_order(failure, where);
  graph::operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph_order(success);
  op.failure_order = graph_order(failure);
  op.when = graph::condition::equal;
  op.expected = expected;
  op.operand = desired;
  return runtime::perform(object, initial, op, where);
}

// Does a weak compare_exchange fail although the value is `expected`? With another value it fails
// without an adversary too, in the executions where this one does not strike.
inline bool fails_weakly(const void* object, graph::value initial, graph::value expected,
                         std::memory_order failure, location where) {
  if (!runtime::fails_spuriously(graph::choice_reason::weak_failure, where)) return false;
  check_failure_order(failure, where);
  if (request_load(object, initial, failure, where) != expected) runtime::covered_elsewhere(where);
  return true;
}

}  // namespace heddle::checked
