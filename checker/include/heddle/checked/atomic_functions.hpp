// The free functions on atomic objects (C's names) of the checked build; without
// atomic_flag_test and atomic_flag_wait, which libstdc++ 12 does not have.
#pragma once

#include <type_traits>

#include "heddle/checked/atomic_flag.hpp"

namespace heddle {

template <class T>
bool atomic_is_lock_free(const atomic<T>* object) noexcept {
  return object->is_lock_free();
}

template <class T>
T atomic_load(const atomic<T>* object, location where = location::current()) noexcept {
  return object->load(std::memory_order_seq_cst, where);
}
template <class T>
T atomic_load_explicit(const atomic<T>* object, std::memory_order order,
                       location where = location::current()) noexcept {
  return object->load(order, where);
}

template <class T>
void atomic_store(atomic<T>* object, std::type_identity_t<T> desired,
                  location where = location::current()) noexcept {
  object->store(desired, std::memory_order_seq_cst, where);
}
template <class T>
void atomic_store_explicit(atomic<T>* object, std::type_identity_t<T> desired,
                           std::memory_order order, location where = location::current()) noexcept {
  object->store(desired, order, where);
}

template <class T>
T atomic_exchange(atomic<T>* object, std::type_identity_t<T> desired,
                  location where = location::current()) noexcept {
  return object->exchange(desired, std::memory_order_seq_cst, where);
}
template <class T>
T atomic_exchange_explicit(atomic<T>* object, std::type_identity_t<T> desired,
                           std::memory_order order, location where = location::current()) noexcept {
  return object->exchange(desired, order, where);
}

template <class T>
bool atomic_compare_exchange_strong(atomic<T>* object, std::type_identity_t<T>* expected,
                                    std::type_identity_t<T> desired,
                                    location where = location::current()) noexcept {
  return object->compare_exchange_strong(*expected, desired, std::memory_order_seq_cst, where);
}
template <class T>
bool atomic_compare_exchange_strong_explicit(atomic<T>* object, std::type_identity_t<T>* expected,
                                             std::type_identity_t<T> desired,
                                             std::memory_order success, std::memory_order failure,
                                             location where = location::current()) noexcept {
  return object->compare_exchange_strong(*expected, desired, success, failure, where);
}
template <class T>
bool atomic_compare_exchange_weak(atomic<T>* object, std::type_identity_t<T>* expected,
                                  std::type_identity_t<T> desired,
                                  location where = location::current()) noexcept {
  return object->compare_exchange_weak(*expected, desired, std::memory_order_seq_cst, where);
}
template <class T>
bool atomic_compare_exchange_weak_explicit(atomic<T>* object, std::type_identity_t<T>* expected,
                                           std::type_identity_t<T> desired,
                                           std::memory_order success, std::memory_order failure,
                                           location where = location::current()) noexcept {
  return object->compare_exchange_weak(*expected, desired, success, failure, where);
}

template <class T>
T atomic_fetch_add(atomic<T>* object, typename atomic<T>::difference_type operand,
                   location where = location::current()) noexcept {
  return object->fetch_add(operand, std::memory_order_seq_cst, where);
}
template <class T>
T atomic_fetch_add_explicit(atomic<T>* object, typename atomic<T>::difference_type operand,
                            std::memory_order order,
                            location where = location::current()) noexcept {
  return object->fetch_add(operand, order, where);
}
template <class T>
T atomic_fetch_sub(atomic<T>* object, typename atomic<T>::difference_type operand,
                   location where = location::current()) noexcept {
  return object->fetch_sub(operand, std::memory_order_seq_cst, where);
}
template <class T>
T atomic_fetch_sub_explicit(atomic<T>* object, typename atomic<T>::difference_type operand,
                            std::memory_order order,
                            location where = location::current()) noexcept {
  return object->fetch_sub(operand, order, where);
}
template <class T>
T atomic_fetch_and(atomic<T>* object, std::type_identity_t<T> operand,
                   location where = location::current()) noexcept {
  return object->fetch_and(operand, std::memory_order_seq_cst, where);
}
template <class T>
T atomic_fetch_and_explicit(atomic<T>* object, std::type_identity_t<T> operand,
                            std::memory_order order,
                            location where = location::current()) noexcept {
  return object->fetch_and(operand, order, where);
}
template <class T>
T atomic_fetch_or(atomic<T>* object, std::type_identity_t<T> operand,
                  location where = location::current()) noexcept {
  return object->fetch_or(operand, std::memory_order_seq_cst, where);
}
template <class T>
T atomic_fetch_or_explicit(atomic<T>* object, std::type_identity_t<T> operand,
                           std::memory_order order, location where = location::current()) noexcept {
  return object->fetch_or(operand, order, where);
}
template <class T>
T atomic_fetch_xor(atomic<T>* object, std::type_identity_t<T> operand,
                   location where = location::current()) noexcept {
  return object->fetch_xor(operand, std::memory_order_seq_cst, where);
}
template <class T>
T atomic_fetch_xor_explicit(atomic<T>* object, std::type_identity_t<T> operand,
                            std::memory_order order,
                            location where = location::current()) noexcept {
  return object->fetch_xor(operand, order, where);
}

template <class T>
void atomic_wait(const atomic<T>* object, std::type_identity_t<T> old,
                 location where = location::current()) {
  object->wait(old, std::memory_order_seq_cst, where);
}
template <class T>
void atomic_wait_explicit(const atomic<T>* object, std::type_identity_t<T> old,
                          std::memory_order order, location where = location::current()) {
  object->wait(old, order, where);
}
template <class T>
void atomic_notify_one(atomic<T>* object, location where = location::current()) noexcept {
  object->notify_one(where);
}
template <class T>
void atomic_notify_all(atomic<T>* object, location where = location::current()) noexcept {
  object->notify_all(where);
}

inline bool atomic_flag_test_and_set(atomic_flag* flag,
                                     location where = location::current()) noexcept {
  return flag->test_and_set(std::memory_order_seq_cst, where);
}
inline bool atomic_flag_test_and_set_explicit(atomic_flag* flag, std::memory_order order,
                                              location where = location::current()) noexcept {
  return flag->test_and_set(order, where);
}
inline void atomic_flag_clear(atomic_flag* flag, location where = location::current()) noexcept {
  flag->clear(std::memory_order_seq_cst, where);
}
inline void atomic_flag_clear_explicit(atomic_flag* flag, std::memory_order order,
                                       location where = location::current()) noexcept {
  flag->clear(order, where);
}

}  // namespace heddle
