// heddle::atomic<T> of the checked build: std::atomic<T>, every operation of which the engine
// carries out when a body runs.
//
// Size, alignment and constant initialisation are std::atomic's. The object's bytes hold the
// value it was constructed with and never change during an execution: the engine keeps the current
// value, so an atomic in static storage starts each execution afresh.
// Outside a body operations act on the bytes, for one thread at a time.
//
// Source places come from a last default argument; operators and conversions, which cannot have
// one, are out of line and use the return address.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "heddle/checked/bits.hpp"
#include "heddle/checked/request.hpp"
#include "heddle/memory_order.hpp"

namespace heddle {

namespace checked {

// What fetch_add takes.
template <class T>
using difference_type = std::conditional_t<std::is_pointer_v<T>, std::ptrdiff_t, T>;

template <class T>
inline constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
template <class T>
inline constexpr bool is_object_pointer =
    std::is_pointer_v<T>&& std::is_object_v<std::remove_pointer_t<T>>;
template <class T>
inline constexpr bool has_addition =
    is_integer<T> || is_object_pointer<T> || std::is_floating_point_v<T>;
template <class T>
inline constexpr bool has_increment = is_integer<T> || is_object_pointer<T>;

struct atomic_access;
struct flag_access;

}  // namespace checked

template <class T>
class atomic {
  static_assert(std::is_trivially_copyable_v<T>, "heddle::atomic<T>: T must be trivially copyable");
  static_assert(sizeof(T) <= 16, "heddle::atomic<T>: T must have at most 16 bytes");
  static_assert(checked::has_plain_bits<T>,
                "heddle::atomic<T>: compare_exchange compares all bits of T, so T must not have "
                "padding; nor floating members, which has_unique_object_representations rejects");

 public:
  using value_type = T;
  using difference_type = checked::difference_type<T>;

  static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;

  // T(), as of C++20.
  [[gnu::always_inline]] constexpr atomic() noexcept(std::is_nothrow_default_constructible_v<T>)
      : atomic(T()) {}
  // Not an atomic operation: other threads must learn of the object by synchronisation.
  // Inline, so that a constant is seen to be one.
  [[gnu::always_inline]] constexpr atomic(T desired) noexcept : value_(desired) {
    static_assert(sizeof(atomic) == sizeof(std::atomic<T>));
    static_assert(alignof(atomic) == alignof(std::atomic<T>));
    if (!std::is_constant_evaluated())
      runtime::constructed(this, bytes(), checked::is_constant(desired) ? sizeof(atomic) : 0);
  }
  atomic(const atomic&) = delete;
  atomic& operator=(const atomic&) = delete;

  // As std::atomic<T> is in the production build, although nothing locks here.
  bool is_lock_free() const noexcept {
    if constexpr (is_always_lock_free) {
      return true;
    } else {
      return std::atomic<T>{}.is_lock_free();
    }
  }

  // Orders: relaxed, consume, acquire, seq_cst.
  T load(std::memory_order order = std::memory_order_seq_cst,
         location where = location::current()) const noexcept {
    if (!runtime::active()) return value_;
    return checked::from_bits<T>(checked::request_load(this, bytes(), order, where));
  }

  // Orders: relaxed, release, seq_cst.
  void store(T desired, std::memory_order order = std::memory_order_seq_cst,
             location where = location::current()) noexcept {
    if (!runtime::active()) {
      value_ = desired;
    } else {
      give_away(desired, where);
      checked::request_store(this, bytes(), checked::bits_of(desired), order, where);
    }
  }

  T exchange(T desired, std::memory_order order = std::memory_order_seq_cst,
             location where = location::current()) noexcept {
    give_away(desired, where);
    return modify(nullptr, checked::bits_of(desired), order, where);
  }

  // Replaces the value if its bits equal those of `expected`, else loads it into `expected`.
  bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                               std::memory_order failure,
                               location where = location::current()) noexcept {
    const graph::value wanted = checked::bits_of(expected);
    graph::value old = bytes();
    if (runtime::active()) {
      give_away(desired, where);
      old = checked::request_compare_exchange(this, old, wanted, checked::bits_of(desired), success,
                                              failure, where);
    } else if (old == wanted) {
      value_ = desired;
    }
    if (old == wanted) return true;
    expected = checked::from_bits<T>(old);
    return false;
  }
  bool compare_exchange_strong(T& expected, T desired,
                               std::memory_order order = std::memory_order_seq_cst,
                               location where = location::current()) noexcept {
    return compare_exchange_strong(expected, desired, order, checked::without_release(order),
                                   where);
  }

  // Also fails although the values are equal, as often as options::spurious says.
  bool compare_exchange_weak(T& expected, T desired, std::memory_order success,
                             std::memory_order failure,
                             location where = location::current()) noexcept {
    if (runtime::active() &&
        checked::fails_weakly(this, bytes(), checked::bits_of(expected), failure, where)) {
      return false;
    }
    return compare_exchange_strong(expected, desired, success, failure, where);
  }
  bool compare_exchange_weak(T& expected, T desired,
                             std::memory_order order = std::memory_order_seq_cst,
                             location where = location::current()) noexcept {
    return compare_exchange_weak(expected, desired, order, checked::without_release(order), where);
  }

  // Integers wrap around; pointers move by objects.
  T fetch_add(difference_type operand, std::memory_order order = std::memory_order_seq_cst,
              location where = location::current()) noexcept requires(checked::has_addition<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      return modify(&checked::add_floating<T>, checked::bits_of(operand), order, where);
    } else {
      return modify(&checked::add_wrapping<sizeof(T)>, scaled(operand), order, where);
    }
  }
  T fetch_sub(difference_type operand, std::memory_order order = std::memory_order_seq_cst,
              location where = location::current()) noexcept requires(checked::has_addition<T>) {
    if constexpr (std::is_floating_point_v<T>) {
      return modify(&checked::subtract_floating<T>, checked::bits_of(operand), order, where);
    } else {
      return modify(&checked::subtract_wrapping<sizeof(T)>, scaled(operand), order, where);
    }
  }
  T fetch_and(T operand, std::memory_order order = std::memory_order_seq_cst,
              location where = location::current()) noexcept requires(checked::is_integer<T>) {
    return modify(&checked::and_bits, checked::bits_of(operand), order, where);
  }
  T fetch_or(T operand, std::memory_order order = std::memory_order_seq_cst,
             location where = location::current()) noexcept requires(checked::is_integer<T>) {
    return modify(&checked::or_bits, checked::bits_of(operand), order, where);
  }
  T fetch_xor(T operand, std::memory_order order = std::memory_order_seq_cst,
              location where = location::current()) noexcept requires(checked::is_integer<T>) {
    return modify(&checked::xor_bits, checked::bits_of(operand), order, where);
  }

  // Returns when the value differs from `old`, and not before: wake-ups without a change are not
  // seen. A change wakes nobody by itself; a thread that nobody notifies after it may sleep for
  // ever, which is a violation of kind lost_wakeup. Orders: as for load.
  // Not noexcept: outside a body it throws usage_error if it would have to wait.
  void wait(T old, std::memory_order order = std::memory_order_seq_cst,
            location where = location::current()) const {
    checked::request_wait(this, bytes(), checked::bits_of(old), order, where);
  }
  // Wakes one of the waiting threads, any.
  void notify_one(location where = location::current()) noexcept {
    checked::request_notify(this, bytes(), 1, where);
  }
  void notify_all(location where = location::current()) noexcept {
    checked::request_notify(this, bytes(), 0, where);
  }

  // The operators, all seq_cst; with a result they return the new value, like std's.
  [[gnu::noinline]] operator T() const noexcept {
    return load(std::memory_order_seq_cst,
                location::from_return_address(__builtin_return_address(0)));
  }
  [[gnu::noinline]] T operator=(T desired) noexcept {
    store(desired, std::memory_order_seq_cst,
          location::from_return_address(__builtin_return_address(0)));
    return desired;
  }
  [[gnu::noinline]] T operator++() noexcept requires(checked::has_increment<T>) {
    return add_fetch(1, location::from_return_address(__builtin_return_address(0)));
  }
  [[gnu::noinline]] T operator++(int) noexcept requires(checked::has_increment<T>) {
    return fetch_add(1, std::memory_order_seq_cst,
                     location::from_return_address(__builtin_return_address(0)));
  }
  [[gnu::noinline]] T operator--() noexcept requires(checked::has_increment<T>) {
    return sub_fetch(1, location::from_return_address(__builtin_return_address(0)));
  }
  [[gnu::noinline]] T operator--(int) noexcept requires(checked::has_increment<T>) {
    return fetch_sub(1, std::memory_order_seq_cst,
                     location::from_return_address(__builtin_return_address(0)));
  }
  [[gnu::noinline]] T operator+=(difference_type operand) noexcept
      requires(checked::has_addition<T>) {
    return add_fetch(operand, location::from_return_address(__builtin_return_address(0)));
  }
  [[gnu::noinline]] T operator-=(difference_type operand) noexcept
      requires(checked::has_addition<T>) {
    return sub_fetch(operand, location::from_return_address(__builtin_return_address(0)));
  }
  [[gnu::noinline]] T operator&=(T operand) noexcept requires(checked::is_integer<T>) {
    return static_cast<T>(fetch_and(operand, std::memory_order_seq_cst,
                                    location::from_return_address(__builtin_return_address(0))) &
                          operand);
  }
  [[gnu::noinline]] T operator|=(T operand) noexcept requires(checked::is_integer<T>) {
    return static_cast<T>(fetch_or(operand, std::memory_order_seq_cst,
                                   location::from_return_address(__builtin_return_address(0))) |
                          operand);
  }
  [[gnu::noinline]] T operator^=(T operand) noexcept requires(checked::is_integer<T>) {
    return static_cast<T>(fetch_xor(operand, std::memory_order_seq_cst,
                                    location::from_return_address(__builtin_return_address(0))) ^
                          operand);
  }

 private:
  friend struct checked::atomic_access;

  graph::value bytes() const noexcept { return checked::bits_of(value_); }

  // Other threads may find the value here.
  static void give_away(T value, location where) {
    if constexpr (checked::is_object_pointer<T>) {
      if (runtime::active()) runtime::given_away(value, where);
    }
  }

  // The operand of an addition as bits: pointers move by whole objects.
  static graph::value scaled(difference_type operand) noexcept {
    if constexpr (std::is_pointer_v<T>) {
      return {static_cast<std::uint64_t>(operand) * sizeof(std::remove_pointer_t<T>), 0};
    } else {
      return checked::bits_of(operand);
    }
  }

  // Returns the old value. `modification` null: the operand is the new value.
  T modify(graph::modify_function modification, graph::value operand, std::memory_order order,
           location where) noexcept {
    graph::value old = bytes();
    if (runtime::active()) {
      old = checked::request_modify(this, old, modification, operand, order, where);
    } else {
      value_ = checked::from_bits<T>(modification ? modification(old, operand) : operand);
    }
    return checked::from_bits<T>(old);
  }

  T add_fetch(difference_type operand, location where) noexcept {
    const T old = fetch_add(operand, std::memory_order_seq_cst, where);
    if constexpr (std::is_floating_point_v<T>) {
      return old + operand;
    } else {
      return checked::from_bits<T>(
          checked::add_wrapping<sizeof(T)>(checked::bits_of(old), scaled(operand)));
    }
  }
  T sub_fetch(difference_type operand, location where) noexcept {
    const T old = fetch_sub(operand, std::memory_order_seq_cst, where);
    if constexpr (std::is_floating_point_v<T>) {
      return old - operand;
    } else {
      return checked::from_bits<T>(
          checked::subtract_wrapping<sizeof(T)>(checked::bits_of(old), scaled(operand)));
    }
  }

  alignas(std::atomic<T>) T value_;
};

// The object's bytes as the engine takes them, for the functions beside the class that make
// requests on it (await).
struct checked::atomic_access {
  template <class T>
  static graph::value bytes(const atomic<T>& object) {
    return object.bytes();
  }
};

}  // namespace heddle
