// heddle::counting_semaphore and binary_semaphore of the checked build.
//
// A timed acquire is one try, as late as the search likes: it fails only if it finds zero, and then
// the virtual clock moves to its deadline. A loop that tries again after each time-out has no end
// in the checker: it is explored like a spin loop.
#pragma once

#include <chrono>
#include <cstddef>
#include <semaphore>
#include <type_traits>

#include "checker/sync/semaphore.hpp"
#include "heddle/checked/clock.hpp"
#include "heddle/checked/request.hpp"

namespace heddle {

// std::counting_semaphore. What std leaves undefined is misuse, a violation of its own kind with
// both source lines, and outside a body a usage_error: a count below 0 or above max(), at the
// construction (of a constant one the compiler says it) or by a release; a negative release; and,
// in a body, destroying it while another thread may still use it, and using it after that. Outside
// a body the operations act on the object; acquire of a count of 0, and the timed waits, throw
// usage_error.
template <std::ptrdiff_t LeastMax = std::counting_semaphore<>::max()>
class counting_semaphore {
  static_assert(LeastMax >= 0, "heddle::counting_semaphore: the maximum must not be negative");

 public:
  constexpr explicit counting_semaphore(std::ptrdiff_t desired,
                                        location where = location::current())
      : semaphore_(desired, LeastMax, where) {}
  [[gnu::noinline]] constexpr ~counting_semaphore() {
    if (!std::is_constant_evaluated())
      semaphore_.destroy(location::from_return_address(__builtin_return_address(0)));
  }
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;

  // std's may be greater.
  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return LeastMax; }

  // All that happened before happens before the acquisitions that take from the count after it.
  void release(std::ptrdiff_t update = 1, location where = location::current()) {
    semaphore_.release(update, where);
  }
  // Waits until the count is above 0, and takes one.
  void acquire(location where = location::current()) { semaphore_.acquire(where); }
  // Also fails although the count is above 0, as often as options::spurious says. A failure
  // synchronises with nobody, and may have read an old count if the memory model allows it.
  [[nodiscard]] bool try_acquire(location where = location::current()) noexcept {
    if (runtime::active() &&
        runtime::fails_spuriously(graph::choice_reason::try_lock_failure, where))
      return false;
    return semaphore_.try_acquire(where);
  }
  // Does not fail spuriously. False: the duration has passed, on this thread's clocks too.
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period>& duration,
                                     location where = location::current()) {
    if (!runtime::active()) runtime::outside_of_check("a timed wait", where);
    return try_acquire_before(checked::deadline::after(duration), where);
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& point,
                                       location where = location::current()) {
    if (!runtime::active()) runtime::outside_of_check("a timed wait", where);
    return try_acquire_before(checked::deadline::at(point), where);
  }

 private:
  bool try_acquire_before(const checked::deadline& end, location where) {
    if (semaphore_.try_acquire(where)) return true;
    end.pass();
    return false;
  }

  sync::semaphore semaphore_;
};

using binary_semaphore = counting_semaphore<1>;

}  // namespace heddle
