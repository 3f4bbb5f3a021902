// From a source place to text: file, line and function.
//
// A location that holds a return address is looked up in the debug information of the program with
// libbacktrace: about a millisecond for the first one, then microseconds. Of the inlined functions
// at that address the innermost counts that is neither inside the checker's own headers nor inside
// the standard library's, so that an operation shows the user's line. Only reports come here.
// Nothing here throws or crashes for want of debug information: what is unknown is "?".
#pragma once

#include <cstdint>
#include <string>

#include "checker/runtime/call_stack.hpp"
#include "checker/runtime/location.hpp"

namespace heddle::runtime {

struct resolved_place {
  std::string file = "?";  // as it was given to the compiler
  std::uint32_t line = 0;
  std::string function;  // demangled; empty when it is unknown or the location has a file and line
};

resolved_place resolve(location where) noexcept;

// "models/backlog.hpp:41", or "?".
std::string describe(location where) noexcept;

// What the symbol table has at an address; an empty name if nothing.
struct symbol {
  std::string name;  // mangled
  std::size_t size = 0;
};
symbol symbol_at(const void* address) noexcept;

// The innermost frame that is the user's: neither the checker's nor a library's. Unknown if there
// is none.
location user_place(const call_stack& stack) noexcept;

}  // namespace heddle::runtime
