// A source place in 16 bytes: where in the user's code an operation stands.
//
// It is either a file and a line, taken by the default argument `location::current()` at the call,
// or a return address, for the operators and conversions that cannot have a default argument.
// Making one costs nothing; runtime/source_place.hpp turns either form into text, and only a report
// does that. std::source_location would be the natural type, but clang 14 has none with
// libstdc++ 12, and passing 24 bytes instead of 16 costs 3-5 ns a call.
//
// A location owns nothing: the file name is a string literal of the program.
#pragma once

#include <cstdint>

namespace heddle::runtime {

struct location {
  // A file name, or a return address when `line` says so; null when the place is unknown.
  const char* file = nullptr;
  std::uint32_t line = 0;

  static constexpr std::uint32_t return_address_line = 0xffffffff;

  static constexpr location current(const char* f = __builtin_FILE(),
                                    std::uint32_t l = __builtin_LINE()) {
    return {f, l};
  }

  // For out-of-line functions: location::from_return_address(__builtin_return_address(0)).
  static location from_return_address(const void* address) {
    return {static_cast<const char*>(address), return_address_line};
  }

  constexpr bool is_return_address() const { return line == return_address_line; }
};

static_assert(sizeof(location) == 16);

}  // namespace heddle::runtime
