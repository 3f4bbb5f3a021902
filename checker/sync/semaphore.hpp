// The counter under every semaphore (exploration.md 9.7). Acquiring is a read-modify-write that
// waits for a positive count, with acquire order; releasing adds, with release order. Releases that
// nobody tells apart are told apart here: N threads that acquire and release are N! executions and
// more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

class semaphore {
 public:
  // Misuse if `desired` is negative or above `max`. Outside a body nobody looks.
  constexpr semaphore(std::ptrdiff_t desired, std::ptrdiff_t max, runtime::location where)
      : count_{desired} {
    if (!std::is_constant_evaluated()) construct(desired, max, where);
  }
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  // Outside a body: usage_error.
  void acquire(runtime::location where);
  // Fails only at zero, and then synchronises with nobody. Outside a body it acts on the object.
  bool try_acquire(runtime::location where);
  // Misuse if `update` is negative or the count would be above `max`. Outside a body it acts on the
  // object.
  void release(std::ptrdiff_t update, std::ptrdiff_t max, runtime::location where);

 private:
  void construct(std::ptrdiff_t desired, std::ptrdiff_t max, runtime::location where);
  graph::value bytes() const { return {static_cast<std::uint64_t>(count_), 0}; }

  std::ptrdiff_t count_;
};

}  // namespace heddle::sync
