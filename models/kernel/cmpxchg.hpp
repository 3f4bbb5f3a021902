// xchg, cmpxchg and try_cmpxchg, with their _acquire, _release and _relaxed forms, on any
// heddle::atomic. atomic_xchg, atomic_cmpxchg and so on are these, on an atomic_t.
//
// Documentation/atomic_t.txt: without a suffix they are fully ordered, but "conditional RMW
// operations are unordered on FAILURE", whatever the suffix.
//
// Where C++20 differs: a cmpxchg without suffix is a seq_cst compare_exchange, and a full fence
// once it has succeeded. That orders what is before it with what is after it, in every way. But
// the kernel also has an earlier store before the cmpxchg's own access, which could be said only by
// a fence before it, and that would order the failing path. So rc11 allows the outcome of R here
// (x = 1; cmpxchg(y) against y = 2; smp_mb; read x) that the kernel forbids. One who needs that
// order and can have it on both paths writes smp_mb_before_atomic first.
#pragma once

#include <type_traits>

#include "models/kernel/primitive.hpp"

namespace models::kernel {

// Puts `value` in place of the value that it returns.
template <class T>
T xchg(heddle::atomic<T>& object, std::type_identity_t<T> value, place where = place::current()) {
  return primitive::exchange<T>(object, value, ordering::full, where);
}
template <class T>
T xchg_acquire(heddle::atomic<T>& object, std::type_identity_t<T> value,
               place where = place::current()) {
  return primitive::exchange<T>(object, value, ordering::acquire, where);
}
template <class T>
T xchg_release(heddle::atomic<T>& object, std::type_identity_t<T> value,
               place where = place::current()) {
  return primitive::exchange<T>(object, value, ordering::release, where);
}
template <class T>
T xchg_relaxed(heddle::atomic<T>& object, std::type_identity_t<T> value,
               place where = place::current()) {
  return primitive::exchange<T>(object, value, ordering::relaxed, where);
}

// If the value is `old`, puts `value` in its place, and returns true; else loads it into `old`. Not
// spuriously false.
template <class T>
bool try_cmpxchg(heddle::atomic<T>& object, std::type_identity_t<T>& old,
                 std::type_identity_t<T> value, place where = place::current()) {
  return primitive::compare_exchange<T>(object, old, value, ordering::full, where);
}
template <class T>
bool try_cmpxchg_acquire(heddle::atomic<T>& object, std::type_identity_t<T>& old,
                         std::type_identity_t<T> value, place where = place::current()) {
  return primitive::compare_exchange<T>(object, old, value, ordering::acquire, where);
}
template <class T>
bool try_cmpxchg_release(heddle::atomic<T>& object, std::type_identity_t<T>& old,
                         std::type_identity_t<T> value, place where = place::current()) {
  return primitive::compare_exchange<T>(object, old, value, ordering::release, where);
}
template <class T>
bool try_cmpxchg_relaxed(heddle::atomic<T>& object, std::type_identity_t<T>& old,
                         std::type_identity_t<T> value, place where = place::current()) {
  return primitive::compare_exchange<T>(object, old, value, ordering::relaxed, where);
}

// The same, and returns the value that was there: `old` if it has succeeded.
template <class T>
T cmpxchg(heddle::atomic<T>& object, std::type_identity_t<T> old, std::type_identity_t<T> value,
          place where = place::current()) {
  primitive::compare_exchange<T>(object, old, value, ordering::full, where);
  return old;
}
template <class T>
T cmpxchg_acquire(heddle::atomic<T>& object, std::type_identity_t<T> old,
                  std::type_identity_t<T> value, place where = place::current()) {
  primitive::compare_exchange<T>(object, old, value, ordering::acquire, where);
  return old;
}
template <class T>
T cmpxchg_release(heddle::atomic<T>& object, std::type_identity_t<T> old,
                  std::type_identity_t<T> value, place where = place::current()) {
  primitive::compare_exchange<T>(object, old, value, ordering::release, where);
  return old;
}
template <class T>
T cmpxchg_relaxed(heddle::atomic<T>& object, std::type_identity_t<T> old,
                  std::type_identity_t<T> value, place where = place::current()) {
  primitive::compare_exchange<T>(object, old, value, ordering::relaxed, where);
  return old;
}

}  // namespace models::kernel
