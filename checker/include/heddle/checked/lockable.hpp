// Locks a lockable with the source place of the caller, if it takes one as heddle's own do.
#pragma once

#include "heddle/checked/request.hpp"

namespace heddle::checked {

template <class Mutex>
void lock_at(Mutex& mutex, location where) {
  if constexpr (requires { mutex.lock(where); }) {
    mutex.lock(where);
  } else {
    mutex.lock();
  }
}

template <class Mutex>
bool try_lock_at(Mutex& mutex, location where) {
  if constexpr (requires { mutex.try_lock(where); }) {
    return mutex.try_lock(where);
  } else {
    return mutex.try_lock();
  }
}

template <class Mutex>
void unlock_at(Mutex& mutex, location where) {
  if constexpr (requires { mutex.unlock(where); }) {
    mutex.unlock(where);
  } else {
    mutex.unlock();
  }
}

}  // namespace heddle::checked
