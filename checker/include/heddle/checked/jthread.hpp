// heddle::jthread of the checked build.
#pragma once

#include <concepts>
#include <functional>
#include <type_traits>
#include <utility>

#include "heddle/checked/stop_token.hpp"
#include "heddle/checked/thread.hpp"

namespace heddle {

// std::jthread: as thread, but what would destroy or overwrite a joinable thread requests a stop
// and joins it. If `function` can be called with a stop_token before `args`, it gets one.
class jthread {
 public:
  using id = thread::id;

  jthread() noexcept : source_(std::nostopstate) {}
  template <class Function, class... Args>
  requires(!std::same_as<std::remove_cvref_t<Function>, jthread>)
      [[gnu::noinline]] explicit jthread(Function&& function, Args&&... args)
      : source_(),
        thread_(started(location::from_return_address(__builtin_return_address(0)),
                        source_.get_token(), std::forward<Function>(function),
                        std::forward<Args>(args)...)) {}
  jthread(jthread&&) noexcept = default;
  [[gnu::noinline]] jthread& operator=(jthread&& other) noexcept {
    if (this == &other) return *this;
    stop_and_join(location::from_return_address(__builtin_return_address(0)));
    source_ = std::move(other.source_);
    thread_ = std::move(other.thread_);
    return *this;
  }
  [[gnu::noinline]] ~jthread() {
    stop_and_join(location::from_return_address(__builtin_return_address(0)));
  }

  [[nodiscard]] bool joinable() const noexcept { return thread_.joinable(); }
  void join(location where = location::current()) { thread_.join(where); }
  void detach(location where = location::current()) { thread_.detach(where); }
  [[nodiscard]] id get_id() const noexcept { return thread_.get_id(); }

  [[nodiscard]] stop_source get_stop_source() noexcept { return source_; }
  [[nodiscard]] stop_token get_stop_token() const noexcept { return source_.get_token(); }
  bool request_stop(location where = location::current()) noexcept {
    return source_.request_stop(where);
  }

  void swap(jthread& other) noexcept {
    source_.swap(other.source_);
    thread_.swap(other.thread_);
  }
  friend void swap(jthread& a, jthread& b) noexcept { a.swap(b); }

  [[nodiscard]] static unsigned hardware_concurrency() noexcept {
    return thread::hardware_concurrency();
  }

 private:
  template <class Function, class... Args>
  static thread started(location where, stop_token token, Function&& function, Args&&... args) {
    if constexpr (std::is_invocable_v<std::decay_t<Function>, stop_token, std::decay_t<Args>...>) {
      return checked::thread_access::start(where, std::forward<Function>(function),
                                           std::move(token), std::forward<Args>(args)...);
    } else {
      return checked::thread_access::start(where, std::forward<Function>(function),
                                           std::forward<Args>(args)...);
    }
  }

  void stop_and_join(location where) noexcept {
    if (!thread_.joinable()) return;
    source_.request_stop(where);
    thread_.join(where);
  }

  stop_source source_;
  thread thread_;
};

}  // namespace heddle
