// Values as the engine sees them: 128 raw bits, zero-extended, and the functions that make a new
// value from an old one. One instance for each type and operator, without state, so that the engine
// can carry out a read-modify-write again with another old value (exploration.md 1.1).
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "checker/graph/operation.hpp"

namespace heddle::checked {

// The bytes of T that carry its value: x87 long double has 10, and 6 of padding.
template <class T>
inline constexpr std::size_t value_size =
    std::is_same_v<T, long double>&& std::numeric_limits<long double>::digits == 64 ? 10
                                                                                    : sizeof(T);

// Do equal values of T have equal bits? Only then can compare_exchange compare bits. -0.0 and the
// NaNs are what std::atomic makes of them: bits too.
template <class T>
inline constexpr bool has_plain_bits =
    std::has_unique_object_representations_v<T> || std::is_floating_point_v<T>;

template <class T>
graph::value bits_of(const T& from) {
  std::array<std::byte, sizeof(graph::value)> bytes{};
  std::memcpy(bytes.data(), &from, value_size<T>);
  return std::bit_cast<graph::value>(bytes);
}

template <class T>
T from_bits(graph::value bits) {
  std::array<std::byte, sizeof(T)> bytes{};
  std::memcpy(bytes.data(), &bits, value_size<T>);
  return std::bit_cast<T>(bytes);
}

// Does the compiler know the value? Then std's atomic would be initialised before the program runs.
// Without optimisation that cannot be asked, and all count as known but addresses.
template <class T>
[[gnu::always_inline]] inline bool is_constant(const T& value) {
#ifdef __OPTIMIZE__
  if constexpr (std::is_scalar_v<T>) {
    return __builtin_constant_p(value);
  } else {
    const graph::value bits = bits_of(value);
    return __builtin_constant_p(bits.low) && __builtin_constant_p(bits.high);
  }
#else
  return !std::is_pointer_v<T> || bits_of(value) == graph::value{};
#endif
}

// Integers and addresses wrap around at their own width, signed ones too, as in std::atomic.
template <std::size_t Size>
graph::value add_wrapping(graph::value old, graph::value operand) {
  return {(old.low + operand.low) & std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * Size),
          0};
}

template <std::size_t Size>
graph::value subtract_wrapping(graph::value old, graph::value operand) {
  return {(old.low - operand.low) & std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * Size),
          0};
}

template <class T>
graph::value add_floating(graph::value old, graph::value operand) {
  return bits_of<T>(from_bits<T>(old) + from_bits<T>(operand));
}

template <class T>
graph::value subtract_floating(graph::value old, graph::value operand) {
  return bits_of<T>(from_bits<T>(old) - from_bits<T>(operand));
}

inline graph::value and_bits(graph::value old, graph::value operand) {
  return {old.low & operand.low, 0};
}
inline graph::value or_bits(graph::value old, graph::value operand) {
  return {old.low | operand.low, 0};
}
inline graph::value xor_bits(graph::value old, graph::value operand) {
  return {old.low ^ operand.low, 0};
}

}  // namespace heddle::checked
