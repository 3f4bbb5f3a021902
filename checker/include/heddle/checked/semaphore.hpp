// heddle::counting_semaphore and binary_semaphore of the checked build.
//
// A release above the maximum, and a count below zero at the start, are misuse. A timed acquire is
// one try, as late as the search likes: it fails only if it finds zero, and then the virtual clock
// moves to its deadline. try_acquire does not fail spuriously.
#pragma once

#include <chrono>
#include <cstddef>
#include <limits>

#include "checker/sync/semaphore.hpp"
#include "heddle/checked/clock.hpp"
#include "heddle/checked/request.hpp"

namespace heddle {

// std::counting_semaphore.
template <std::ptrdiff_t LeastMax = std::numeric_limits<std::ptrdiff_t>::max()>
class counting_semaphore {
  static_assert(LeastMax >= 0, "heddle::counting_semaphore: the maximum must not be negative");

 public:
  constexpr explicit counting_semaphore(std::ptrdiff_t desired,
                                        location where = location::current())
      : semaphore_(desired, LeastMax, where) {}
  counting_semaphore(const counting_semaphore&) = delete;
  counting_semaphore& operator=(const counting_semaphore&) = delete;

  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return LeastMax; }

  void release(std::ptrdiff_t update = 1, location where = location::current()) {
    semaphore_.release(update, LeastMax, where);
  }
  void acquire(location where = location::current()) { semaphore_.acquire(where); }
  [[nodiscard]] bool try_acquire(location where = location::current()) noexcept {
    return semaphore_.try_acquire(where);
  }
  // Outside a body: usage_error.
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
