// require of the production build.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace heddle {

// The invariant: if it does not hold, prints message and place to stderr and aborts. It is always
// on, NDEBUG or not.
inline void require(bool condition, std::string_view message, const char* file = __builtin_FILE(),
                    unsigned line = __builtin_LINE()) {
  if (condition) return;
  std::fprintf(stderr, "%s:%u: required: %.*s\n", file, line, static_cast<int>(message.size()),
               message.data());
  std::abort();
}

}  // namespace heddle
