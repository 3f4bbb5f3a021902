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
  load,    // with a condition and blocks: an await
  store,   // operand
  rmw,     // with a condition: compare_exchange, try_acquire; and blocks: a lock, a semaphore
  pick,    // removes one element of the set of bits, any; empty: a load
  fence,   // order
  choice,  // count: a value 0..count-1
  spawn,   // other: the new thread
  join,    // other: the thread to end
  end,     // the last of a thread
};

// When an operation that has a condition takes effect.
enum class condition : std::uint8_t {
  always,
  equal,      // the value read equals `expected`
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
  // Of the plain read that a conditional operation becomes when its condition does not hold.
  memory_order failure_order = memory_order::relaxed;
  condition when = condition::always;
  // Waits until the condition holds, instead of going on without effect.
  bool blocks = false;
  location_id location = no_location;
  union {
    std::uint32_t count = 0;  // choice
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
      case condition::predicate:
        return predicate(current, state.data());
    }
    return true;
  }

  bool reads() const { return kind <= operation_kind::pick && kind != operation_kind::store; }

  // Would it write if it read `current`?
  bool writes_after(value current) const {
    return kind == operation_kind::pick ? current != value{}
                                        : kind == operation_kind::rmw && holds_for(current);
  }

  // Not for pick, whose new value needs the choice as well.
  value new_value(value current) const { return modify ? modify(current, operand) : operand; }

  memory_order read_order(value current) const {
    return kind == operation_kind::load || writes_after(current) ? order : failure_order;
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
