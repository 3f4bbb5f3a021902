// State beside an instrumented object that is no event: who holds a lock, and since which line.
// Whoever writes it must be ordered by the object's own events, or replays would not see the same.
#pragma once

#include <cstdint>

#include "checker/runtime/location.hpp"

namespace heddle::runtime {

struct object_side {
  std::uint64_t word = 0;
  location where;
  std::uint64_t sharers = 0;  // the threads that share a lock, as bits; each writes only its own
};

}  // namespace heddle::runtime
