// What the kernel vocabulary is made of: C++20's operations on atomics, with the place of the
// kernel's name that stands for them.
//
// Not for models: they say read_once, smp_mb, atomic_add and so on. A `place` is a last argument
// that is never given. In the checked build it is the caller's source line, so that a trace names
// the line of the model and not one of this folder; in production it is empty.
#pragma once

#include <atomic>
#include <heddle/atomic.hpp>
#include <type_traits>

#if defined(HEDDLE_CHECKED)
#include "checker/runtime/location.hpp"
#endif

namespace models::kernel {

#if defined(HEDDLE_CHECKED)
using place = heddle::runtime::location;
#else
struct place {
  static constexpr place current() { return {}; }
};
#endif

// What the kernel promises of a read-modify-write.
enum class ordering { full, acquire, release, relaxed };

namespace primitive {

// An operation of std's with the place as its last argument, where there is one to give.
template <class Operation>
auto at([[maybe_unused]] place where, Operation operation) {
#if defined(HEDDLE_CHECKED)
  return operation(where);
#else
  return operation();
#endif
}

inline void fence(std::memory_order order, place where) {
  at(where, [=](auto... p) { heddle::atomic_thread_fence(order, p...); });
}

template <class T>
T load(const heddle::atomic<T>& object, std::memory_order order, place where) {
  return at(where, [&](auto... p) { return object.load(order, p...); });
}

template <class T>
void store(heddle::atomic<T>& object, T value, std::memory_order order, place where) {
  at(where, [&](auto... p) { object.store(value, order, p...); });
}

// operation(order) is one relaxed, acquire or release read-modify-write. A fully ordered one is a
// relaxed one between two full fences: a single seq_cst one would not order an earlier relaxed
// store before a later relaxed load.
template <class Operation>
auto modify(ordering promise, place where, Operation operation) {
  switch (promise) {
    case ordering::acquire:
      return operation(std::memory_order_acquire);
    case ordering::release:
      return operation(std::memory_order_release);
    case ordering::relaxed:
      return operation(std::memory_order_relaxed);
    case ordering::full:
      break;
  }
  fence(std::memory_order_seq_cst, where);
  const auto old = operation(std::memory_order_relaxed);
  fence(std::memory_order_seq_cst, where);
  return old;
}

template <class T>
T exchange(heddle::atomic<T>& object, T value, ordering promise, place where) {
  return modify(promise, where, [&](std::memory_order order) {
    return at(where, [&](auto... p) { return object.exchange(value, order, p...); });
  });
}

template <class T>
T fetch_add(heddle::atomic<T>& object, T value, ordering promise, place where) {
  return modify(promise, where, [&](std::memory_order order) {
    return at(where, [&](auto... p) { return object.fetch_add(value, order, p...); });
  });
}

template <class T>
T fetch_sub(heddle::atomic<T>& object, T value, ordering promise, place where) {
  return modify(promise, where, [&](std::memory_order order) {
    return at(where, [&](auto... p) { return object.fetch_sub(value, order, p...); });
  });
}

template <class T>
T fetch_and(heddle::atomic<T>& object, T value, ordering promise, place where) {
  return modify(promise, where, [&](std::memory_order order) {
    return at(where, [&](auto... p) { return object.fetch_and(value, order, p...); });
  });
}

template <class T>
T fetch_or(heddle::atomic<T>& object, T value, ordering promise, place where) {
  return modify(promise, where, [&](std::memory_order order) {
    return at(where, [&](auto... p) { return object.fetch_or(value, order, p...); });
  });
}

template <class T>
T fetch_xor(heddle::atomic<T>& object, T value, ordering promise, place where) {
  return modify(promise, where, [&](std::memory_order order) {
    return at(where, [&](auto... p) { return object.fetch_xor(value, order, p...); });
  });
}

// A failing one orders nothing, so the fence of a fully ordered one comes after it, and only if it
// has succeeded: one before it would order the failing path too.
template <class T>
bool compare_exchange(heddle::atomic<T>& object, T& expected, T desired, ordering promise,
                      place where) {
  const auto success = promise == ordering::full      ? std::memory_order_seq_cst
                       : promise == ordering::acquire ? std::memory_order_acquire
                       : promise == ordering::release ? std::memory_order_release
                                                      : std::memory_order_relaxed;
  const bool done = at(where, [&](auto... p) {
    return object.compare_exchange_strong(expected, desired, success, std::memory_order_relaxed,
                                          p...);
  });
  if (done && promise == ordering::full) fence(std::memory_order_seq_cst, where);
  return done;
}

}  // namespace primitive

}  // namespace models::kernel
