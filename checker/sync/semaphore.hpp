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

// All misuse is as runtime::misuse says: outside a body it is a usage_error.
class semaphore {
 public:
  // Misuse if `desired` is not in 0..max; no constant expression then.
  constexpr semaphore(std::ptrdiff_t desired, std::ptrdiff_t max, runtime::location made)
      : count_{desired}, max_{max}, made_{made} {
    if (!std::is_constant_evaluated() || desired < 0 || desired > max) construct();
  }
  semaphore(const semaphore&) = delete;
  semaphore& operator=(const semaphore&) = delete;

  // Outside a body: usage_error if it would have to wait.
  void acquire(runtime::location where);
  // Fails only at zero, and then synchronises with nobody. Outside a body it acts on the object,
  // like release.
  bool try_acquire(runtime::location where);
  // Misuse if `update` is negative or the count would be above the maximum.
  void release(std::ptrdiff_t update, runtime::location where);
  // See lifetime.hpp.
  void destroy(runtime::location where);

 private:
  void construct();
  void check_alive(runtime::location where) const;
  void check_release(std::ptrdiff_t count, std::ptrdiff_t update, runtime::location where) const;
  graph::value bytes() const { return {static_cast<std::uint64_t>(count_), 0}; }

  std::ptrdiff_t count_;
  std::ptrdiff_t max_;
  runtime::location made_;
};

}  // namespace heddle::sync
