// The clocks of the checked build, and deadlines on them.
//
// Time is virtual: a clock stands still while threads run, and moves when one of them sleeps or
// times out. A deadline may pass before or after anything that another thread does, so both are
// explored, and no execution depends on the machine's speed.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>

#include "heddle/checked/request.hpp"

namespace heddle {

namespace checked {

template <class Real>
std::chrono::nanoseconds reading() noexcept {
  return runtime::active()
             ? std::chrono::nanoseconds(runtime::now())
             : std::chrono::duration_cast<std::chrono::nanoseconds>(Real::now().time_since_epoch());
}

}  // namespace checked

// std::chrono::steady_clock in virtual time: 0 when the body starts, and for two readings that one
// happens before the other never backwards. Outside a body it reads std's.
struct steady_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<steady_clock>;
  static constexpr bool is_steady = true;

  [[nodiscard]] static time_point now() noexcept {
    return time_point(checked::reading<std::chrono::steady_clock>());
  }
};

// std::chrono::system_clock in virtual time; a body starts at its epoch.
struct system_clock {
  using duration = std::chrono::nanoseconds;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<system_clock>;
  static constexpr bool is_steady = false;

  [[nodiscard]] static time_point now() noexcept {
    return time_point(checked::reading<std::chrono::system_clock>());
  }
  [[nodiscard]] static std::time_t to_time_t(const time_point& point) noexcept {
    return std::chrono::duration_cast<std::chrono::duration<std::time_t>>(point.time_since_epoch())
        .count();
  }
  [[nodiscard]] static time_point from_time_t(std::time_t seconds) noexcept {
    return time_point(std::chrono::duration<std::time_t>(seconds));
  }
};

using high_resolution_clock = steady_clock;

namespace checked {

// When a wait gives up.
class deadline {
 public:
  // Now, if the duration is not positive; beyond the clock's end it is the end.
  template <class Rep, class Period>
  static deadline after(const std::chrono::duration<Rep, Period>& duration) {
    const std::int64_t now = runtime::now();
    const std::int64_t time = nanoseconds(duration);
    if (time <= 0) return {now, true};
    const std::int64_t left = std::numeric_limits<std::int64_t>::max() - now;
    return {now + std::min(time, left), true};
  }
  // Of a clock that is not the body's own: may pass at any time, and moves no clock.
  template <class Clock, class Duration>
  static deadline at(const std::chrono::time_point<Clock, Duration>&) {
    return {0, false};
  }
  template <class Duration>
  static deadline at(const std::chrono::time_point<steady_clock, Duration>& point) {
    return {nanoseconds(point.time_since_epoch()), true};
  }
  template <class Duration>
  static deadline at(const std::chrono::time_point<system_clock, Duration>& point) {
    return {nanoseconds(point.time_since_epoch()), true};
  }

  // Then a wait times out at once.
  bool has_passed() const { return is_known_ && time_ <= runtime::now(); }
  // The running thread has waited until then.
  void pass() const {
    if (is_known_) runtime::advance_clock(time_);
  }

 private:
  deadline(std::int64_t time, bool is_known) : time_(time), is_known_(is_known) {}

  // Rounded up, within the range. long double has all values of std::int64_t.
  template <class Rep, class Period>
  static std::int64_t nanoseconds(const std::chrono::duration<Rep, Period>& duration) {
    using exact = std::chrono::duration<long double, std::nano>;
    const long double count = std::ceil(exact(duration).count());
    constexpr auto max = std::numeric_limits<std::int64_t>::max();
    constexpr auto min = std::numeric_limits<std::int64_t>::min();
    if (count >= static_cast<long double>(max)) return max;
    return count <= static_cast<long double>(min) ? min : static_cast<std::int64_t>(count);
  }

  std::int64_t time_;
  bool is_known_;
};

}  // namespace checked

}  // namespace heddle
