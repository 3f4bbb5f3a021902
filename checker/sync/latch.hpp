// The counter under a latch: counting down releases, waiting for zero acquires (exploration.md 9.6,
// in its plain form: N threads that count down are N! executions).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

// All misuse is as runtime::misuse says: outside a body it is a usage_error.
class latch {
 public:
  // Misuse if `expected` is not in 0..max; no constant expression then.
  constexpr latch(std::ptrdiff_t expected, std::ptrdiff_t max, runtime::location made)
      : count_{expected}, made_{made} {
    if (!std::is_constant_evaluated() || expected < 0 || expected > max) construct(max);
  }
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  // Misuse if `update` is negative or above the count. Outside a body it acts on the object.
  void count_down(std::ptrdiff_t update, runtime::location where);
  // Synchronises only if it is zero. Outside a body it looks at the object.
  bool is_zero(runtime::location where) const;
  // Outside a body: usage_error if it would have to wait.
  void wait(runtime::location where) const;
  // See lifetime.hpp.
  void destroy(runtime::location where);

 private:
  void construct(std::ptrdiff_t max);
  void check_alive(runtime::location where) const;
  void check_count(std::ptrdiff_t count, std::ptrdiff_t update, runtime::location where) const;
  graph::value bytes() const { return {static_cast<std::uint64_t>(count_), 0}; }

  std::ptrdiff_t count_;
  runtime::location made_;
};

}  // namespace heddle::sync
