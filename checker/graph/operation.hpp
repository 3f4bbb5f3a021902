// Operations: what a thread asks for, complete enough to be carried out, and carried out again with
// another value, without running user code. shared/design/exploration.md 1.1.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "checker/graph/event.hpp"

namespace heddle::graph {

enum class operation_kind : std::uint8_t {
  load,    // with a condition: try_wait; and blocks: an await
  store,   // operand
  rmw,     // with a condition: compare_exchange, try_acquire; and blocks: a lock, a semaphore
  pick,    // removes one element of the set of bits, any; empty: a load
  fence,   // order
  choice,  // count: a value 0..count-1
  spawn,   // other: the new thread
  join,    // other: the thread to end
  notify,  // count: 1, or 0 for all; wakes what sleeps on the location
  end,     // the last of a thread
};

// What an operation acts on. The engine treats all the same; reports name it, and the end of an
// execution tells a sleeper that somebody was to wake from a thread that waits for a lock.
enum class object_kind : std::uint8_t {
  atomic,
  mutex,
  shared_mutex,
  semaphore,
  latch,
  barrier,
  barrier_phases,  // how many phases of a barrier are complete
  once_flag,
  static_guard,    // of a function-local static
  condition,       // the set of waiting threads of a condition variable
  condition_slot,  // where one of them sleeps
  futex,           // the set of threads that wait on a futex word
  futex_slot,      // where a thread sleeps in a futex
  stop_state,      // the stop request of stop_source and stop_token
  inner,           // within a primitive, and of no interest to who uses it
  task,            // state of something that sleeps until it is woken
};

// Why a choice is made: by the body, or by an adversary that was asked for.
enum class choice_reason : std::uint8_t {
  body,
  picked,            // the element of a pick
  spurious_wakeup,   // 1: woken for no reason
  weak_failure,      // 1: a weak compare_exchange fails although the values are equal
  try_lock_failure,  // 1: try_lock fails although the lock may be free
};

// When an operation that has a condition takes effect.
enum class condition : std::uint8_t {
  always,
  equal,      // the value read equals `expected`
  differs,    // it does not
  predicate,  // `predicate(value read, state)`
};

// The new value, from the old one and the operand; stateless, one instance for each type and
// operator.
using modify_function = value (*)(value old, value operand);
using predicate_function = bool (*)(value current, const std::byte* state);
inline constexpr std::size_t predicate_size = 32;

struct operation {
  operation_kind kind = operation_kind::end;
  memory_order order = memory_order::relaxed;
  // Of the plain read that a conditional operation becomes when its condition does not hold, and of
  // a conditional load that does not block.
  memory_order failure_order = memory_order::relaxed;
  condition when = condition::always;
  // Waits until the condition holds, instead of going on without effect.
  bool blocks = false;
  // With `blocks`: the read that does not satisfy the condition stays in the graph and its thread
  // sleeps, until a notify whose writer it has missed (exploration.md 9.5).
  bool sleeps = false;
  // rmw: writing the value that is there already is no write, only a read.
  bool skips_unchanged = false;
  object_kind object = object_kind::atomic;
  choice_reason reason = choice_reason::body;
  location_id location = no_location;
  union {
    std::uint32_t count = 0;  // choice, notify
    thread_id other;          // spawn, join
  };
  modify_function modify = nullptr;  // rmw; null: the operand is the new value
  predicate_function predicate = nullptr;
  value operand;
  union {
    value expected{};
    alignas(value) std::array<std::byte, predicate_size> state;
  };

  bool holds_for(value current) const {
    switch (when) {
      case condition::always:
        return true;
      case condition::equal:
        return current == expected;
      case condition::differs:
        return current != expected;
      case condition::predicate:
        return predicate(current, state.data());
    }
    return true;
  }

  bool reads() const { return kind <= operation_kind::pick && kind != operation_kind::store; }

  // Would it write if it read `current`?
  bool writes_after(value current) const {
    if (kind == operation_kind::pick) return current != value{};
    return kind == operation_kind::rmw && holds_for(current) &&
           !(skips_unchanged && new_value(current) == current);
  }

  // Not for pick, whose new value needs the choice as well.
  value new_value(value current) const { return modify ? modify(current, operand) : operand; }

  memory_order read_order(value current) const {
    const bool succeeds =
        kind == operation_kind::load ? blocks || holds_for(current) : writes_after(current);
    return succeeds ? order : failure_order;
  }
};

// What a pick of an empty set yields.
inline constexpr value nothing_picked{~std::uint64_t{0}, 0};

// The element that choice number `chosen` of a pick takes out of the set: the index of a bit.
constexpr std::uint32_t picked_element(std::uint64_t set, std::uint32_t chosen) {
  for (; chosen != 0; --chosen) set &= set - 1;
  return static_cast<std::uint32_t>(std::countr_zero(set));
}

}  // namespace heddle::graph
