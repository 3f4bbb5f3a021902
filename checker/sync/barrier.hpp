// The phases of a barrier in one location: low half how many are still to arrive and, above that,
// how many there are in a phase; high half the number of the phase. Arriving is a read-modify-write
// of release order: who arrives knows nothing yet of the others. The last one then reads what it
// wrote, with acquire order, and so knows what all did before they arrived; it ends the phase with
// a write of release order, which the waits acquire (exploration.md 9.6, for any use of arrival
// tokens).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

class barrier {
 public:
  static constexpr std::ptrdiff_t max = 0x7fffffff;

  // Misuse if `expected` is negative or above `max`.
  constexpr barrier(std::ptrdiff_t expected, runtime::location where)
      : expected_{static_cast<std::uint32_t>(expected)} {
    if (!std::is_constant_evaluated()) construct(expected, where);
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  struct arrival {
    std::uint64_t phase;
    bool is_last;  // then the caller does what is to be done, and calls complete
  };
  // Misuse if `update` is not positive, or more than are expected. `drops`: one fewer from the next
  // phase on. Outside a body: usage_error, like the others.
  arrival arrive(std::ptrdiff_t update, bool drops, runtime::location where);
  // Begins the next phase.
  void complete(runtime::location where);
  // Until the phase is over. Misuse if one after it is over too.
  void wait(std::uint64_t phase, runtime::location where) const;

 private:
  void construct(std::ptrdiff_t expected, runtime::location where);
  graph::value bytes() const { return {std::uint64_t{expected_} << 32 | expected_, 0}; }

  std::uint32_t expected_;
};

}  // namespace heddle::sync
