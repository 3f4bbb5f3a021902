// heddle::latch of the checked build.
#pragma once

#include <cstddef>
#include <latch>
#include <type_traits>

#include "checker/sync/latch.hpp"
#include "heddle/checked/request.hpp"

namespace heddle {

// std::latch. What std leaves undefined is misuse, a violation of its own kind with both source
// lines, and outside a body a usage_error: a count below 0 or above max(), at the construction (of
// a constant one the compiler says it) or because more is counted down than is left; counting down
// by a negative number; and, in a body, destroying it while another thread may still use it, and
// using it after that. Outside a body the operations act on the object; to wait for a count that is
// not 0 throws usage_error.
class latch {
 public:
  constexpr explicit latch(std::ptrdiff_t expected, location where = location::current())
      : latch_(expected, max(), where) {}
  [[gnu::noinline]] constexpr ~latch() {
    if (!std::is_constant_evaluated())
      latch_.destroy(location::from_return_address(__builtin_return_address(0)));
  }
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  // The same as std's.
  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return std::latch::max(); }

  // All that happened before happens before the waits return. Waits for nobody.
  void count_down(std::ptrdiff_t update = 1, location where = location::current()) {
    latch_.count_down(update, where);
  }
  // Is the count 0? False also although it is, as often as options::spurious says. Then it
  // synchronises with nobody, and may have read an old count if the memory model allows it.
  [[nodiscard]] bool try_wait(location where = location::current()) const noexcept {
    if (runtime::active() &&
        runtime::fails_spuriously(graph::choice_reason::try_lock_failure, where))
      return false;
    return latch_.is_zero(where);
  }
  // Waits until the count is 0.
  void wait(location where = location::current()) const { latch_.wait(where); }
  void arrive_and_wait(std::ptrdiff_t update = 1, location where = location::current()) {
    latch_.count_down(update, where);
    latch_.wait(where);
  }

 private:
  sync::latch latch_;
};

}  // namespace heddle
