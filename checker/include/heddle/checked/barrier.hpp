// heddle::barrier of the checked build.
//
// The last to arrive in a phase, whoever it is, calls the completion function within its call. All
// arrivals happen before that, and that before the waits of the phase return; the arrivals are not
// ordered among themselves.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "checker/sync/barrier.hpp"
#include "heddle/checked/request.hpp"

namespace heddle {

namespace checked {

// What is called at the end of a phase if nothing else is given.
struct no_completion {
  void operator()() noexcept {}
};

}  // namespace checked

// std::barrier. What std leaves undefined is misuse, a violation of its own kind with both source
// lines: an expected count below 0 or above max() (outside a body a usage_error, of a constant one
// the compiler says it); more arrivals in a phase than it expects, also while the completion
// function runs; an arrival of nobody; waiting with a token of another barrier or of a phase before
// the last one; destroying it while another thread may still use it, and using it after that.
// Outside a body only construction and destruction work: the rest throws usage_error.
template <class CompletionFunction = checked::no_completion>
class barrier {
  static_assert(std::is_nothrow_invocable_v<CompletionFunction&>,
                "heddle::barrier: the completion function must be noexcept");

 public:
  // Of an arrival: its phase.
  class arrival_token {
   public:
    arrival_token(arrival_token&&) = default;
    arrival_token& operator=(arrival_token&&) = default;
    ~arrival_token() = default;

   private:
    friend class barrier;
    arrival_token(const barrier& of, std::uint64_t phase) : of_(&of), phase_(phase) {}
    const barrier* of_;
    std::uint64_t phase_;
  };

  constexpr explicit barrier(std::ptrdiff_t expected,
                             CompletionFunction completion = CompletionFunction(),
                             location where = location::current())
      : barrier_(expected, where), completion_(std::move(completion)) {}
  [[gnu::noinline]] constexpr ~barrier() {
    if (!std::is_constant_evaluated())
      barrier_.destroy(location::from_return_address(__builtin_return_address(0)));
  }
  barrier(const barrier&) = delete;
  barrier& operator=(const barrier&) = delete;

  // 2^31 - 1.
  [[nodiscard]] static constexpr std::ptrdiff_t max() noexcept { return sync::barrier::max; }

  // Arrives for `update` of those who are expected. Waits for nobody.
  [[nodiscard]] arrival_token arrive(std::ptrdiff_t update = 1,
                                     location where = location::current()) {
    return arrival_token(*this, arrive(update, false, where));
  }
  // Waits until the phase of the token is over.
  void wait(arrival_token&& arrival, location where = location::current()) const {
    if (arrival.of_ != this)
      runtime::misuse("a wait with the token of another barrier", where, barrier_.made());
    barrier_.wait(arrival.phase_, where);
  }
  void arrive_and_wait(location where = location::current()) {
    barrier_.wait(arrive(1, false, where), where);
  }
  // Arrives, and is not expected in the phases after this one.
  void arrive_and_drop(location where = location::current()) { arrive(1, true, where); }

 private:
  std::uint64_t arrive(std::ptrdiff_t update, bool drops, location where) {
    const sync::barrier::arrival arrived = barrier_.arrive(update, drops, where);
    if (arrived.is_last) {
      completion_();
      barrier_.complete(arrived, where);
    }
    return arrived.phase;
  }

  sync::barrier barrier_;
  [[no_unique_address]] CompletionFunction completion_;
};

}  // namespace heddle
