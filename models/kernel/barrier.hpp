// READ_ONCE, WRITE_ONCE and the smp_ barriers, on heddle::atomic.
//
// Documentation/memory-barriers.txt and the comments of tools/memory-model/linux-kernel.def, mapped
// to C++20 as WG21 P0124 has it. Names are the kernel's; its macros in capitals are functions in
// small letters here (READ_ONCE: read_once), and objects are given by reference.
//
// Where C++20 differs:
// - smp_rmb and smp_wmb are acquire and release fences. They order a little more than the kernel's:
//   loads before the first, and stores after the second, with accesses of either kind.
// - A dependency orders nothing in C++20, so read_once does not head one: a load through a pointer
//   (address dependency) needs smp_load_acquire here, and so does a store that an earlier load
//   decides on (control dependency) if it must come later in the order of its object.
// - The checker's rc11 has no load buffering: two threads never each see the store that follows the
//   other's load, with or without dependencies. The kernel allows it without.
// Double underscores are reserved in C++, so smp_mb__after_atomic is smp_mb_after_atomic here.
#pragma once

#include <type_traits>

#include "models/kernel/primitive.hpp"

namespace models::kernel {

// READ_ONCE: a relaxed load.
template <class T>
T read_once(const heddle::atomic<T>& object, place where = place::current()) {
  return primitive::load(object, std::memory_order_relaxed, where);
}

// WRITE_ONCE: a relaxed store.
template <class T>
void write_once(heddle::atomic<T>& object, std::type_identity_t<T> value,
                place where = place::current()) {
  primitive::store<T>(object, value, std::memory_order_relaxed, where);
}

// Everything before it is before everything after it, stores before loads too.
inline void smp_mb(place where = place::current()) {
  primitive::fence(std::memory_order_seq_cst, where);
}

// Loads before it are before loads after it.
inline void smp_rmb(place where = place::current()) {
  primitive::fence(std::memory_order_acquire, where);
}

// Stores before it are before stores after it.
inline void smp_wmb(place where = place::current()) {
  primitive::fence(std::memory_order_release, where);
}

// The full order that a void or _relaxed read-modify-write lacks, on one side of it. Nothing on
// x86, which the checker's tso knows of the read-modify-write.
inline void smp_mb_before_atomic(place where = place::current()) { smp_mb(where); }
inline void smp_mb_after_atomic(place where = place::current()) { smp_mb(where); }

// After a spin_lock: makes it a full barrier.
inline void smp_mb_after_spinlock(place where = place::current()) { smp_mb(where); }

// After a spin_lock: makes it, with the spin_unlock before it of this thread or this lock, a full
// barrier.
inline void smp_mb_after_unlock_lock(place where = place::current()) { smp_mb(where); }

template <class T>
T smp_load_acquire(const heddle::atomic<T>& object, place where = place::current()) {
  return primitive::load(object, std::memory_order_acquire, where);
}

template <class T>
void smp_store_release(heddle::atomic<T>& object, std::type_identity_t<T> value,
                       place where = place::current()) {
  primitive::store<T>(object, value, std::memory_order_release, where);
}

// A store and a full barrier after it. None before it.
template <class T>
void smp_store_mb(heddle::atomic<T>& object, std::type_identity_t<T> value,
                  place where = place::current()) {
  write_once(object, value, where);
  smp_mb(where);
}

}  // namespace models::kernel
