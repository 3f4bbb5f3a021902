// await of the checked build. Needs a body; outside of one it throws usage_error, even if the
// condition holds.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "heddle/checked/atomic.hpp"
#include "heddle/checked/atomic_flag.hpp"

namespace heddle {

namespace checked {

// pred(value), pred being copied out of the operation: the engine's predicate_function.
template <class T, class Predicate>
bool holds(graph::value current, const std::byte* state) {
  alignas(Predicate) std::array<std::byte, sizeof(Predicate)> copy;
  std::memcpy(copy.data(), state, sizeof(Predicate));
  Predicate& predicate = *std::launder(reinterpret_cast<Predicate*>(copy.data()));
  return static_cast<bool>(predicate(from_bits<T>(current)));
}

}  // namespace checked

namespace checked {

template <class T, class Predicate>
T await_on(const atomic<T>& object, Predicate pred, std::memory_order order,
           graph::object_kind what, location where) {
  static_assert(std::is_trivially_copyable_v<Predicate>,
                "heddle::await: the engine keeps a copy of the predicate's bytes, so it must be "
                "trivially copyable: capture plain values, or pointers");
  static_assert(sizeof(Predicate) <= graph::predicate_size && alignof(Predicate) <= 16,
                "heddle::await: the predicate's captures may have at most 32 bytes");
  if (!runtime::active()) runtime::outside_of_check("await", where);
  check_load_order(order, where);
  graph::operation op;
  op.kind = graph::operation_kind::load;
  op.order = graph_order(order);
  op.when = graph::condition::predicate;
  op.blocks = true;
  op.object = what;
  op.predicate = &holds<T, Predicate>;
  op.state = {};
  std::memcpy(op.state.data(), std::addressof(pred), sizeof(Predicate));
  return from_bits<T>(runtime::perform(&object, atomic_access::bytes(object), op, where));
}

}  // namespace checked

// Waits until pred(value of object) holds, and returns that value: a load with `order`. While it
// does not hold the thread is parked, at no cost in executions; if nobody can make it hold any
// more, that is a violation.
//
// The engine calls pred at any time, with any value, on any thread. So it must be trivially
// copyable, have at most 32 bytes, capture by value only and depend on nothing else; no operation
// of heddle may stand in it.
template <class T, std::predicate<T> Predicate>
T await(const atomic<T>& object, Predicate pred,
        std::memory_order order = std::memory_order_seq_cst, location where = location::current()) {
  return checked::await_on(object, pred, order, graph::object_kind::atomic, where);
}

// The same for a thread that sleeps until somebody wakes it by changing `object`, its state: for
// models of schedulers. If it sleeps for ever that is a lost wake-up, not a deadlock.
template <class T, std::predicate<T> Predicate>
T await_wakeup(const atomic<T>& object, Predicate pred,
               std::memory_order order = std::memory_order_seq_cst,
               location where = location::current()) {
  return checked::await_on(object, pred, order, graph::object_kind::task, where);
}

template <std::predicate<bool> Predicate>
bool await(const atomic_flag& flag, Predicate pred,
           std::memory_order order = std::memory_order_seq_cst,
           location where = location::current()) {
  return await(checked::flag_access::value(flag), pred, order, where);
}

// Waits until pred() holds, where pred loads whatever atomics it likes: ordinary reads of this
// thread. A store, a read-modify-write or a choice inside pred is an error. An evaluation that
// fails ends this thread's part of the execution, and others, in which pred reads other values, go
// on: blocked executions, which await(object, pred) does not have.
template <std::predicate Predicate>
void await(Predicate pred, location where = location::current()) {
  if (!runtime::active()) runtime::outside_of_check("await", where);
  runtime::await_begin(where);
  if (!static_cast<bool>(pred())) runtime::await_again(where);
  runtime::await_end();
}

}  // namespace heddle
