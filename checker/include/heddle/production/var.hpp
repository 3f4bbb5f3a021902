// heddle::var<T> of the production build: a T, and nothing else.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

namespace heddle {

// The members are those of checked/var.hpp, without source places. Trivially copyable if T is.
template <class T>
class var {
  static_assert(std::is_object_v<T> && !std::is_array_v<T> && !std::is_const_v<T>,
                "heddle::var<T>: T must be an object type, neither array (make an array of var "
                "instead) nor const");

  static constexpr bool is_object_pointer =
      std::is_pointer_v<T> && std::is_object_v<std::remove_pointer_t<T>>;
  static constexpr bool has_addition =
      (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) || is_object_pointer;

 public:
  using value_type = T;
  using difference_type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

  // T().
  constexpr var() requires(std::default_initializable<T>) : value_() {}
  constexpr var(T value) : value_(std::move(value)) {}
  constexpr var& operator=(T value) {
    value_ = std::move(value);
    return *this;
  }

  [[nodiscard]] constexpr T get() const { return value_; }
  constexpr void set(T value) { value_ = std::move(value); }
  constexpr operator T() const { return value_; }
  constexpr T operator->() const requires(std::is_pointer_v<T>) { return value_; }

  // `function` sees the T by reference; returns what it returns, by value.
  template <std::invocable<const T&> Function>
  constexpr auto read(Function&& function) const {
    return std::invoke(std::forward<Function>(function), value_);
  }
  template <std::invocable<T&> Function>
  constexpr auto write(Function&& function) {
    return std::invoke(std::forward<Function>(function), value_);
  }

  // Not atomic.
  constexpr var& operator++() requires(has_addition) {
    ++value_;
    return *this;
  }
  constexpr T operator++(int) requires(has_addition) { return value_++; }
  constexpr var& operator--() requires(has_addition) {
    --value_;
    return *this;
  }
  constexpr T operator--(int) requires(has_addition) { return value_--; }
  constexpr var& operator+=(difference_type operand) requires(has_addition) {
    value_ = static_cast<T>(value_ + operand);
    return *this;
  }
  constexpr var& operator-=(difference_type operand) requires(has_addition) {
    value_ = static_cast<T>(value_ - operand);
    return *this;
  }
  constexpr var& operator&=(T operand) requires(std::is_integral_v<T>) {
    value_ = static_cast<T>(value_ & operand);
    return *this;
  }
  constexpr var& operator|=(T operand) requires(std::is_integral_v<T>) {
    value_ = static_cast<T>(value_ | operand);
    return *this;
  }
  constexpr var& operator^=(T operand) requires(std::is_integral_v<T>) {
    value_ = static_cast<T>(value_ ^ operand);
    return *this;
  }

 private:
  T value_;
};

}  // namespace heddle
