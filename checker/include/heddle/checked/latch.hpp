// heddle::latch of the checked build. Counting down below zero is misuse; try_wait does not fail
// spuriously.
#pragma once

#include <cstddef>
#include <limits>

#include "checker/sync/latch.hpp"
#include "heddle/checked/request.hpp"

namespace heddle {

// std::latch.
class latch {
 public:
  constexpr explicit latch(std::ptrdiff_t expected, location where = location::current())
      : latch_(expected, where) {}
  latch(const latch&) = delete;
  latch& operator=(const latch&) = delete;

  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept {
    return std::numeric_limits<std::ptrdiff_t>::max();
  }

  void count_down(std::ptrdiff_t update = 1, location where = location::current()) {
    latch_.count_down(update, where);
  }
  [[nodiscard]] bool try_wait(location where = location::current()) const noexcept {
    return latch_.try_wait(where);
  }
  void wait(location where = location::current()) const { latch_.wait(where); }
  void arrive_and_wait(std::ptrdiff_t update = 1, location where = location::current()) {
    latch_.count_down(update, where);
    latch_.wait(where);
  }

 private:
  sync::latch latch_;
};

}  // namespace heddle
