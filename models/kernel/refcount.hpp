// refcount_t: references to an object whose last holder frees it.
//
// include/linux/refcount.h. Left out: saturation, and the warnings.
//
// Orders: taking a reference orders nothing, for one who takes it has one, or looks under a lock.
// Giving one back releases, and the last one acquires, so that freeing comes after every use.
#pragma once

#include "models/kernel/atomic.hpp"

namespace models::kernel {

struct refcount_t {
  atomic_t refs{1};
};

inline int refcount_read(const refcount_t& count, place where = place::current()) {
  return atomic_read(count.refs, where);
}

inline void refcount_inc(refcount_t& count, place where = place::current()) {
  atomic_inc(count.refs, where);
}

// False: there was none any more, and there still is none. Relaxed, unlike atomic_inc_not_zero.
inline bool refcount_inc_not_zero(refcount_t& count, place where = place::current()) {
  int old = atomic_read(count.refs, where);
  while (old != 0) {
    if (try_cmpxchg_relaxed(count.refs, old, old + 1, where)) return true;
  }
  return false;
}

// True: it was the last one.
[[nodiscard]] inline bool refcount_dec_and_test(refcount_t& count, place where = place::current()) {
  if (atomic_fetch_dec_release(count.refs, where) != 1) return false;
  primitive::fence(std::memory_order_acquire, where);  // smp_acquire__after_ctrl_dep
  return true;
}

}  // namespace models::kernel
