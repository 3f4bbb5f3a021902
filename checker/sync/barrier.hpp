// The phases of a barrier. Its location packs how many are still to arrive (low half) and, above
// that, how many arrive in each phase; the high half is the number of the phase. Arriving is a
// read-modify-write of release order: who arrives knows nothing yet of the others. The last one
// then reads what it wrote, with acquire order, and so knows what all did before they arrived; it
// ends the phase with two stores of release order (exploration.md 9.6, for any use of arrival
// tokens).
//
// The second of them is to part 0, how many phases are complete, which the waits acquire: a
// location of its own, so that a wait cannot read the next phase's arrivals too. N threads are N!
// executions a phase.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

// All misuse is as runtime::misuse says: outside a body it is a usage_error.
class barrier {
 public:
  static constexpr std::ptrdiff_t max = 0x7fffffff;

  // Misuse if `expected` is not in 0..max; no constant expression then.
  constexpr barrier(std::ptrdiff_t expected, runtime::location made)
      : expected_{expected}, made_{made} {
    if (!std::is_constant_evaluated() || expected < 0 || expected > max) construct();
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  struct arrival {
    std::uint64_t phase;
    bool is_last;            // then the caller does what is to be done, and calls complete
    std::uint32_t expected;  // in the next phase
  };
  // Misuse if `update` is not positive, or more than are still to arrive, as nobody is between the
  // last arrival and the end of the phase. `drops`: one fewer from the next phase on. Outside a
  // body: usage_error, like the others.
  arrival arrive(std::ptrdiff_t update, bool drops, runtime::location where);
  // Begins the next phase, after the last arrival of this one.
  void complete(const arrival& last, runtime::location where);
  // Until the phase is over. Misuse if one after it is over too.
  void wait(std::uint64_t phase, runtime::location where) const;
  // See lifetime.hpp.
  void destroy(runtime::location where);

  runtime::location made() const { return made_; }

 private:
  void construct();
  void check_alive(runtime::location where) const;
  graph::value bytes() const;

  std::ptrdiff_t expected_;
  runtime::location made_;
};

}  // namespace heddle::sync
