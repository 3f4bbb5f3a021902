// heddle::stop_source, stop_token and stop_callback of the checked build.
//
// stop_requested is one acquire load, and may miss a request that it is not ordered with, as any
// load may. request_stop runs the callbacks one after the other, the newest first, as libstdc++
// does. A stop state that bodies use is made in the body: its list of callbacks is plain memory.
#pragma once

#include <concepts>
#include <memory>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "checker/sync/stop_state.hpp"
#include "heddle/checked/request.hpp"

namespace heddle {

namespace checked {

struct stop_access;

}  // namespace checked

// std::stop_token.
class stop_token {
 public:
  stop_token() noexcept = default;

  [[nodiscard]] bool stop_requested(location where = location::current()) const noexcept {
    return state_ != nullptr && state_->is_requested(where);
  }
  // Has a stop been requested, or is there a stop_source that can do so?
  [[nodiscard]] bool stop_possible(location where = location::current()) const noexcept {
    return state_ != nullptr && (state_->is_requested(where) || state_->has_source(where));
  }
  void swap(stop_token& other) noexcept { state_.swap(other.state_); }

  [[nodiscard]] friend bool operator==(const stop_token&, const stop_token&) noexcept = default;

 private:
  friend class stop_source;
  friend struct checked::stop_access;

  explicit stop_token(std::shared_ptr<sync::stop_state> state) noexcept
      : state_(std::move(state)) {}

  std::shared_ptr<sync::stop_state> state_;
};

inline void swap(stop_token& a, stop_token& b) noexcept { a.swap(b); }

struct checked::stop_access {
  static const std::shared_ptr<sync::stop_state>& state(const stop_token& token) {
    return token.state_;
  }
};

// std::stop_source.
class stop_source {
 public:
  stop_source() : state_(std::make_shared<sync::stop_state>()) {}
  explicit stop_source(std::nostopstate_t) noexcept {}
  [[gnu::noinline]] stop_source(const stop_source& other) noexcept : state_(other.state_) {
    count(1, location::from_return_address(__builtin_return_address(0)));
  }
  stop_source(stop_source&&) noexcept = default;
  [[gnu::noinline]] stop_source& operator=(const stop_source& other) noexcept {
    const location where = location::from_return_address(__builtin_return_address(0));
    if (this == &other || state_ == other.state_) return *this;
    count(-1, where);
    state_ = other.state_;
    count(1, where);
    return *this;
  }
  [[gnu::noinline]] stop_source& operator=(stop_source&& other) noexcept {
    if (this == &other) return *this;
    count(-1, location::from_return_address(__builtin_return_address(0)));
    state_ = std::move(other.state_);
    return *this;
  }
  [[gnu::noinline]] ~stop_source() {
    count(-1, location::from_return_address(__builtin_return_address(0)));
  }

  [[nodiscard]] stop_token get_token() const noexcept { return stop_token(state_); }
  [[nodiscard]] bool stop_possible() const noexcept { return state_ != nullptr; }
  [[nodiscard]] bool stop_requested(location where = location::current()) const noexcept {
    return state_ != nullptr && state_->is_requested(where);
  }
  // The first request runs all callbacks and returns true.
  bool request_stop(location where = location::current()) const noexcept {
    return state_ != nullptr && state_->request(where);
  }
  void swap(stop_source& other) noexcept { state_.swap(other.state_); }

  [[nodiscard]] friend bool operator==(const stop_source&, const stop_source&) noexcept = default;

 private:
  void count(int by, location where) noexcept {
    if (state_ != nullptr) state_->count_source(by, where);
  }

  std::shared_ptr<sync::stop_state> state_;
};

inline void swap(stop_source& a, stop_source& b) noexcept { a.swap(b); }

// std::stop_callback. Runs in the thread that requests the stop, or at once in the constructor if
// that has happened; destroying it waits until it has returned, unless it destroys itself.
template <class Callback>
class [[nodiscard]] stop_callback : private sync::stop_state::callback {
  static_assert(std::invocable<Callback>, "heddle::stop_callback: called without arguments");
  static_assert(std::destructible<Callback>);

 public:
  using callback_type = Callback;

  template <class Initializer>
  requires(std::constructible_from<Callback, Initializer>) explicit stop_callback(
      const stop_token& token, Initializer&& initializer,
      location where =
          location::current()) noexcept(std::is_nothrow_constructible_v<Callback, Initializer>)
      : sync::stop_state::callback(&call),
        callback_(std::forward<Initializer>(initializer)),
        state_(checked::stop_access::state(token)) {
    if (state_ == nullptr || state_->add(*this, where)) return;
    state_ = nullptr;
    call(*this);
  }
  [[gnu::noinline]] ~stop_callback() {
    if (state_ != nullptr) {
      state_->remove(*this, location::from_return_address(__builtin_return_address(0)));
    }
  }
  stop_callback(const stop_callback&) = delete;
  stop_callback& operator=(const stop_callback&) = delete;

 private:
  static void call(sync::stop_state::callback& me) noexcept {
    std::forward<Callback>(static_cast<stop_callback&>(me).callback_)();
  }

  Callback callback_;
  std::shared_ptr<sync::stop_state> state_;  // null: it is not registered
};

template <class Callback>
stop_callback(stop_token, Callback, location = {}) -> stop_callback<Callback>;

}  // namespace heddle
