// The counter under a latch: counting down releases, waiting for zero acquires (exploration.md 9.6,
// in its plain form: N threads that count down are N! executions).
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

class latch {
 public:
  // Misuse if `expected` is negative.
  constexpr latch(std::ptrdiff_t expected, runtime::location where) : count_{expected} {
    if (!std::is_constant_evaluated()) construct(expected, where);
  }
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  // Misuse if `update` is negative or above the count. Outside a body it acts on the object.
  void count_down(std::ptrdiff_t update, runtime::location where);
  // Outside a body it looks at the object.
  bool try_wait(runtime::location where) const;
  // Outside a body: usage_error.
  void wait(runtime::location where) const;

 private:
  void construct(std::ptrdiff_t expected, runtime::location where);
  graph::value bytes() const { return {static_cast<std::uint64_t>(count_), 0}; }

  std::ptrdiff_t count_;
};

}  // namespace heddle::sync
