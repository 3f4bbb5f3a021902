// heddle::var<T> of the checked build: tells the engine of each access, then makes it.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "heddle/checked/request.hpp"

namespace heddle {

// T is any object type; what T points to, or keeps on the heap, is not watched. Outside a body a
// var is a T and nothing more. Its contents are ordinary memory: a var in static storage keeps the
// last execution's value.
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

  // T(). Constructing is a write.
  constexpr var(location where = location::current()) requires(std::default_initializable<T>)
      : value_() {
    if (!std::is_constant_evaluated()) writes(where);
  }
  constexpr var(T value, location where = location::current()) : value_(std::move(value)) {
    if (!std::is_constant_evaluated()) writes(where);
  }
  // Reads `other`; moving from it writes it, and may so find a race: not noexcept.
  constexpr var(const var& other,
                location where = location::current()) requires(std::copy_constructible<T>)
      : value_(other.seen(where)) {
    if (!std::is_constant_evaluated()) writes(where);
  }
  // NOLINTNEXTLINE(performance-noexcept-move-constructor)
  constexpr var(var&& other, location where = location::current())
      : value_(std::move(other.updated(where))) {
    if (!std::is_constant_evaluated()) writes(where);
  }
  [[gnu::noinline]] var& operator=(const var& other) requires(std::is_copy_assignable_v<T>) {
    const location where = location::from_return_address(__builtin_return_address(0));
    own(where) = other.seen(where);
    return *this;
  }
  // NOLINTNEXTLINE(performance-noexcept-move-constructor)
  [[gnu::noinline]] var& operator=(var&& other) {
    const location where = location::from_return_address(__builtin_return_address(0));
    own(where) = std::move(other.updated(where));
    return *this;
  }
  [[gnu::noinline]] var& operator=(T value) {
    own(location::from_return_address(__builtin_return_address(0))) = std::move(value);
    return *this;
  }
  ~var() = default;

  [[nodiscard]] T get(location where = location::current()) const { return seen(where); }
  void set(T value, location where = location::current()) { own(where) = std::move(value); }
  [[gnu::noinline]] operator T() const {
    return seen(location::from_return_address(__builtin_return_address(0)));
  }
  [[gnu::noinline]] T operator->() const requires(std::is_pointer_v<T>) {
    return seen(location::from_return_address(__builtin_return_address(0)));
  }

  // For a T too big to copy: one read, or one write, of the whole, in which `function` sees the T
  // by reference. It must not keep the reference, nor synchronise with other threads. Returns what
  // `function` returns, by value.
  template <std::invocable<const T&> Function>
  auto read(Function&& function, location where = location::current()) const {
    return std::invoke(std::forward<Function>(function), seen(where));
  }
  template <std::invocable<T&> Function>
  auto write(Function&& function, location where = location::current()) {
    return std::invoke(std::forward<Function>(function), own(where));
  }

  // A read and a write, not atomic. Integers narrower than int wrap around, as in C++.
  [[gnu::noinline]] var& operator++() requires(has_addition) {
    ++updated(location::from_return_address(__builtin_return_address(0)));
    return *this;
  }
  [[gnu::noinline]] T operator++(int) requires(has_addition) {
    return updated(location::from_return_address(__builtin_return_address(0)))++;
  }
  [[gnu::noinline]] var& operator--() requires(has_addition) {
    --updated(location::from_return_address(__builtin_return_address(0)));
    return *this;
  }
  [[gnu::noinline]] T operator--(int) requires(has_addition) {
    return updated(location::from_return_address(__builtin_return_address(0)))--;
  }
  [[gnu::noinline]] var& operator+=(difference_type operand) requires(has_addition) {
    T& value = updated(location::from_return_address(__builtin_return_address(0)));
    value = static_cast<T>(value + operand);
    return *this;
  }
  [[gnu::noinline]] var& operator-=(difference_type operand) requires(has_addition) {
    T& value = updated(location::from_return_address(__builtin_return_address(0)));
    value = static_cast<T>(value - operand);
    return *this;
  }
  [[gnu::noinline]] var& operator&=(T operand) requires(std::is_integral_v<T>) {
    T& value = updated(location::from_return_address(__builtin_return_address(0)));
    value = static_cast<T>(value & operand);
    return *this;
  }
  [[gnu::noinline]] var& operator|=(T operand) requires(std::is_integral_v<T>) {
    T& value = updated(location::from_return_address(__builtin_return_address(0)));
    value = static_cast<T>(value | operand);
    return *this;
  }
  [[gnu::noinline]] var& operator^=(T operand) requires(std::is_integral_v<T>) {
    T& value = updated(location::from_return_address(__builtin_return_address(0)));
    value = static_cast<T>(value ^ operand);
    return *this;
  }

 private:
  // NOLINTBEGIN(bugprone-sizeof-expression): the size of a pointer is meant
  void reads(location where) const {
    if (runtime::active()) runtime::plain_read(std::addressof(value_), sizeof(T), where);
  }
  void writes(location where) {
    if (runtime::active()) runtime::plain_write(std::addressof(value_), sizeof(T), where);
  }
  // NOLINTEND(bugprone-sizeof-expression)

  // The value, after telling the engine what is about to happen to it.
  constexpr const T& seen(location where) const {
    if (!std::is_constant_evaluated()) reads(where);
    return value_;
  }
  constexpr T& own(location where) {
    if (!std::is_constant_evaluated()) writes(where);
    return value_;
  }
  constexpr T& updated(location where) {
    seen(where);
    return own(where);
  }

  T value_;
};

}  // namespace heddle
