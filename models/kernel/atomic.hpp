// atomic_t, atomic64_t and atomic_long_t, and the operations on them.
//
// Documentation/atomic_t.txt. The functions are overloaded: the kernel's atomic64_add is
// atomic_add on an atomic64_t. Objects are given by reference. atomic_xchg and atomic_cmpxchg are
// xchg and cmpxchg, of cmpxchg.hpp.
//
// Orders: operations that return no value are unordered. Those that return one are fully ordered,
// or as their suffix says, where _acquire is of the load and _release of the store. Conditional
// ones are fully ordered if they change the value, and unordered if not. An atomic_set of a
// read-modify-write's object is never lost in it (atomic_t.txt's litmus test): it comes before the
// load, or after the store.
//
// Where C++20 differs: atomic_add_unless and its kin are built on cmpxchg, with what is said there;
// they load before they try, so a failing one may be a load alone, as in the kernel.
#pragma once

#include <cstdint>
#include <type_traits>

#include "models/kernel/barrier.hpp"
#include "models/kernel/cmpxchg.hpp"
#include "models/kernel/primitive.hpp"

namespace models::kernel {

using atomic_t = heddle::atomic<int>;
using atomic64_t = heddle::atomic<std::int64_t>;
using atomic_long_t = heddle::atomic<long>;

// atomic_read is READ_ONCE, and atomic_set is WRITE_ONCE.
template <class T>
T atomic_read(const heddle::atomic<T>& object, place where = place::current()) {
  return read_once(object, where);
}
template <class T>
T atomic_read_acquire(const heddle::atomic<T>& object, place where = place::current()) {
  return smp_load_acquire(object, where);
}
template <class T>
void atomic_set(heddle::atomic<T>& object, std::type_identity_t<T> value,
                place where = place::current()) {
  write_once(object, value, where);
}
template <class T>
void atomic_set_release(heddle::atomic<T>& object, std::type_identity_t<T> value,
                        place where = place::current()) {
  smp_store_release(object, value, where);
}

// --- no value, no order

template <class T>
void atomic_add(std::type_identity_t<T> value, heddle::atomic<T>& object,
                place where = place::current()) {
  primitive::fetch_add<T>(object, value, ordering::relaxed, where);
}

template <class T>
void atomic_sub(std::type_identity_t<T> value, heddle::atomic<T>& object,
                place where = place::current()) {
  primitive::fetch_sub<T>(object, value, ordering::relaxed, where);
}

template <class T>
void atomic_and(std::type_identity_t<T> value, heddle::atomic<T>& object,
                place where = place::current()) {
  primitive::fetch_and<T>(object, value, ordering::relaxed, where);
}

template <class T>
void atomic_or(std::type_identity_t<T> value, heddle::atomic<T>& object,
               place where = place::current()) {
  primitive::fetch_or<T>(object, value, ordering::relaxed, where);
}

template <class T>
void atomic_xor(std::type_identity_t<T> value, heddle::atomic<T>& object,
                place where = place::current()) {
  primitive::fetch_xor<T>(object, value, ordering::relaxed, where);
}

template <class T>
void atomic_inc(heddle::atomic<T>& object, place where = place::current()) {
  primitive::fetch_add<T>(object, 1, ordering::relaxed, where);
}

template <class T>
void atomic_dec(heddle::atomic<T>& object, place where = place::current()) {
  primitive::fetch_sub<T>(object, 1, ordering::relaxed, where);
}

// --- the value before

template <class T>
T atomic_fetch_add(std::type_identity_t<T> value, heddle::atomic<T>& object,
                   place where = place::current()) {
  return primitive::fetch_add<T>(object, value, ordering::full, where);
}
template <class T>
T atomic_fetch_add_acquire(std::type_identity_t<T> value, heddle::atomic<T>& object,
                           place where = place::current()) {
  return primitive::fetch_add<T>(object, value, ordering::acquire, where);
}
template <class T>
T atomic_fetch_add_release(std::type_identity_t<T> value, heddle::atomic<T>& object,
                           place where = place::current()) {
  return primitive::fetch_add<T>(object, value, ordering::release, where);
}
template <class T>
T atomic_fetch_add_relaxed(std::type_identity_t<T> value, heddle::atomic<T>& object,
                           place where = place::current()) {
  return primitive::fetch_add<T>(object, value, ordering::relaxed, where);
}

template <class T>
T atomic_fetch_sub(std::type_identity_t<T> value, heddle::atomic<T>& object,
                   place where = place::current()) {
  return primitive::fetch_sub<T>(object, value, ordering::full, where);
}
template <class T>
T atomic_fetch_sub_acquire(std::type_identity_t<T> value, heddle::atomic<T>& object,
                           place where = place::current()) {
  return primitive::fetch_sub<T>(object, value, ordering::acquire, where);
}
template <class T>
T atomic_fetch_sub_release(std::type_identity_t<T> value, heddle::atomic<T>& object,
                           place where = place::current()) {
  return primitive::fetch_sub<T>(object, value, ordering::release, where);
}
template <class T>
T atomic_fetch_sub_relaxed(std::type_identity_t<T> value, heddle::atomic<T>& object,
                           place where = place::current()) {
  return primitive::fetch_sub<T>(object, value, ordering::relaxed, where);
}

template <class T>
T atomic_fetch_and(std::type_identity_t<T> value, heddle::atomic<T>& object,
                   place where = place::current()) {
  return primitive::fetch_and<T>(object, value, ordering::full, where);
}
template <class T>
T atomic_fetch_and_acquire(std::type_identity_t<T> value, heddle::atomic<T>& object,
                           place where = place::current()) {
  return primitive::fetch_and<T>(object, value, ordering::acquire, where);
}
template <class T>
T atomic_fetch_and_release(std::type_identity_t<T> value, heddle::atomic<T>& object,
                           place where = place::current()) {
  return primitive::fetch_and<T>(object, value, ordering::release, where);
}
template <class T>
T atomic_fetch_and_relaxed(std::type_identity_t<T> value, heddle::atomic<T>& object,
                           place where = place::current()) {
  return primitive::fetch_and<T>(object, value, ordering::relaxed, where);
}

template <class T>
T atomic_fetch_or(std::type_identity_t<T> value, heddle::atomic<T>& object,
                  place where = place::current()) {
  return primitive::fetch_or<T>(object, value, ordering::full, where);
}
template <class T>
T atomic_fetch_or_acquire(std::type_identity_t<T> value, heddle::atomic<T>& object,
                          place where = place::current()) {
  return primitive::fetch_or<T>(object, value, ordering::acquire, where);
}
template <class T>
T atomic_fetch_or_release(std::type_identity_t<T> value, heddle::atomic<T>& object,
                          place where = place::current()) {
  return primitive::fetch_or<T>(object, value, ordering::release, where);
}
template <class T>
T atomic_fetch_or_relaxed(std::type_identity_t<T> value, heddle::atomic<T>& object,
                          place where = place::current()) {
  return primitive::fetch_or<T>(object, value, ordering::relaxed, where);
}

template <class T>
T atomic_fetch_xor(std::type_identity_t<T> value, heddle::atomic<T>& object,
                   place where = place::current()) {
  return primitive::fetch_xor<T>(object, value, ordering::full, where);
}
template <class T>
T atomic_fetch_xor_acquire(std::type_identity_t<T> value, heddle::atomic<T>& object,
                           place where = place::current()) {
  return primitive::fetch_xor<T>(object, value, ordering::acquire, where);
}
template <class T>
T atomic_fetch_xor_release(std::type_identity_t<T> value, heddle::atomic<T>& object,
                           place where = place::current()) {
  return primitive::fetch_xor<T>(object, value, ordering::release, where);
}
template <class T>
T atomic_fetch_xor_relaxed(std::type_identity_t<T> value, heddle::atomic<T>& object,
                           place where = place::current()) {
  return primitive::fetch_xor<T>(object, value, ordering::relaxed, where);
}

template <class T>
T atomic_fetch_inc(heddle::atomic<T>& object, place where = place::current()) {
  return primitive::fetch_add<T>(object, 1, ordering::full, where);
}
template <class T>
T atomic_fetch_inc_acquire(heddle::atomic<T>& object, place where = place::current()) {
  return primitive::fetch_add<T>(object, 1, ordering::acquire, where);
}
template <class T>
T atomic_fetch_inc_release(heddle::atomic<T>& object, place where = place::current()) {
  return primitive::fetch_add<T>(object, 1, ordering::release, where);
}
template <class T>
T atomic_fetch_inc_relaxed(heddle::atomic<T>& object, place where = place::current()) {
  return primitive::fetch_add<T>(object, 1, ordering::relaxed, where);
}

template <class T>
T atomic_fetch_dec(heddle::atomic<T>& object, place where = place::current()) {
  return primitive::fetch_sub<T>(object, 1, ordering::full, where);
}
template <class T>
T atomic_fetch_dec_acquire(heddle::atomic<T>& object, place where = place::current()) {
  return primitive::fetch_sub<T>(object, 1, ordering::acquire, where);
}
template <class T>
T atomic_fetch_dec_release(heddle::atomic<T>& object, place where = place::current()) {
  return primitive::fetch_sub<T>(object, 1, ordering::release, where);
}
template <class T>
T atomic_fetch_dec_relaxed(heddle::atomic<T>& object, place where = place::current()) {
  return primitive::fetch_sub<T>(object, 1, ordering::relaxed, where);
}

// --- the value after

template <class T>
T atomic_add_return(std::type_identity_t<T> value, heddle::atomic<T>& object,
                    place where = place::current()) {
  return atomic_fetch_add(value, object, where) + value;
}
template <class T>
T atomic_add_return_acquire(std::type_identity_t<T> value, heddle::atomic<T>& object,
                            place where = place::current()) {
  return atomic_fetch_add_acquire(value, object, where) + value;
}
template <class T>
T atomic_add_return_release(std::type_identity_t<T> value, heddle::atomic<T>& object,
                            place where = place::current()) {
  return atomic_fetch_add_release(value, object, where) + value;
}
template <class T>
T atomic_add_return_relaxed(std::type_identity_t<T> value, heddle::atomic<T>& object,
                            place where = place::current()) {
  return atomic_fetch_add_relaxed(value, object, where) + value;
}

template <class T>
T atomic_sub_return(std::type_identity_t<T> value, heddle::atomic<T>& object,
                    place where = place::current()) {
  return atomic_fetch_sub(value, object, where) - value;
}
template <class T>
T atomic_sub_return_acquire(std::type_identity_t<T> value, heddle::atomic<T>& object,
                            place where = place::current()) {
  return atomic_fetch_sub_acquire(value, object, where) - value;
}
template <class T>
T atomic_sub_return_release(std::type_identity_t<T> value, heddle::atomic<T>& object,
                            place where = place::current()) {
  return atomic_fetch_sub_release(value, object, where) - value;
}
template <class T>
T atomic_sub_return_relaxed(std::type_identity_t<T> value, heddle::atomic<T>& object,
                            place where = place::current()) {
  return atomic_fetch_sub_relaxed(value, object, where) - value;
}

template <class T>
T atomic_inc_return(heddle::atomic<T>& object, place where = place::current()) {
  return atomic_fetch_inc(object, where) + 1;
}
template <class T>
T atomic_inc_return_acquire(heddle::atomic<T>& object, place where = place::current()) {
  return atomic_fetch_inc_acquire(object, where) + 1;
}
template <class T>
T atomic_inc_return_release(heddle::atomic<T>& object, place where = place::current()) {
  return atomic_fetch_inc_release(object, where) + 1;
}
template <class T>
T atomic_inc_return_relaxed(heddle::atomic<T>& object, place where = place::current()) {
  return atomic_fetch_inc_relaxed(object, where) + 1;
}

template <class T>
T atomic_dec_return(heddle::atomic<T>& object, place where = place::current()) {
  return atomic_fetch_dec(object, where) - 1;
}
template <class T>
T atomic_dec_return_acquire(heddle::atomic<T>& object, place where = place::current()) {
  return atomic_fetch_dec_acquire(object, where) - 1;
}
template <class T>
T atomic_dec_return_release(heddle::atomic<T>& object, place where = place::current()) {
  return atomic_fetch_dec_release(object, where) - 1;
}
template <class T>
T atomic_dec_return_relaxed(heddle::atomic<T>& object, place where = place::current()) {
  return atomic_fetch_dec_relaxed(object, where) - 1;
}

// --- fully ordered, and a question about the value after

template <class T>
bool atomic_sub_and_test(std::type_identity_t<T> value, heddle::atomic<T>& object,
                         place where = place::current()) {
  return atomic_sub_return(value, object, where) == 0;
}
template <class T>
bool atomic_inc_and_test(heddle::atomic<T>& object, place where = place::current()) {
  return atomic_inc_return(object, where) == 0;
}
template <class T>
bool atomic_dec_and_test(heddle::atomic<T>& object, place where = place::current()) {
  return atomic_dec_return(object, where) == 0;
}
template <class T>
bool atomic_add_negative(std::type_identity_t<T> value, heddle::atomic<T>& object,
                         place where = place::current()) {
  return atomic_add_return(value, object, where) < 0;
}

// --- conditional: fully ordered if they change the value, unordered if not

// Adds unless the value is `except`; returns the value before.
template <class T>
T atomic_fetch_add_unless(heddle::atomic<T>& object, std::type_identity_t<T> value,
                          std::type_identity_t<T> except, place where = place::current()) {
  T old = atomic_read(object, where);
  while (old != except && !try_cmpxchg(object, old, old + value, where)) {
  }
  return old;
}
// True: it has added.
template <class T>
bool atomic_add_unless(heddle::atomic<T>& object, std::type_identity_t<T> value,
                       std::type_identity_t<T> except, place where = place::current()) {
  return atomic_fetch_add_unless(object, value, except, where) != except;
}
template <class T>
bool atomic_inc_not_zero(heddle::atomic<T>& object, place where = place::current()) {
  return atomic_add_unless(object, 1, 0, where);
}
template <class T>
bool atomic_inc_unless_negative(heddle::atomic<T>& object, place where = place::current()) {
  T old = atomic_read(object, where);
  while (old >= 0) {
    if (try_cmpxchg(object, old, old + 1, where)) return true;
  }
  return false;
}
// The value after, or what it would have been: negative if it has changed nothing.
template <class T>
T atomic_dec_if_positive(heddle::atomic<T>& object, place where = place::current()) {
  T old = atomic_read(object, where);
  while (old > 0 && !try_cmpxchg(object, old, old - 1, where)) {
  }
  return old - 1;
}

}  // namespace models::kernel
