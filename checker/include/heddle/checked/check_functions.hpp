// require, assume and choose of the checked build. All three need a body; outside of one they throw
// usage_error.
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>
#include <utility>

#include "heddle/checked/request.hpp"

namespace heddle {

// The invariant: if it does not hold, that is a violation of kind assertion, with `message` and the
// source line, and the search stops.
inline void require(bool condition, std::string_view message,
                    location where = location::current()) {
  if (!runtime::active()) runtime::outside_of_check("require", where);
  if (!condition) runtime::require_failed(message, where);
  runtime::required();
}

// If it does not hold this thread goes no further; the others do, and violations they reach count.
// The execution is counted as blocked, and is never a deadlock.
inline void assume(bool condition, location where = location::current()) {
  if (!runtime::active()) runtime::outside_of_check("assume", where);
  if (!condition) runtime::stop_here(where);
}

// A value 0..count-1, of count's type; all of them are explored. count must be at least 1, and at
// most 2^32 - 1.
template <std::integral Integer>
[[nodiscard]] Integer choose(Integer count, location where = location::current()) {
  if (!runtime::active()) runtime::outside_of_check("choose", where);
  if (!std::in_range<std::uint32_t>(count) || count == 0) {
    runtime::misuse("choose(n): n must be at least 1, and less than 2^32", where);
  }
  return static_cast<Integer>(runtime::choose(static_cast<std::uint32_t>(count), where));
}

}  // namespace heddle
