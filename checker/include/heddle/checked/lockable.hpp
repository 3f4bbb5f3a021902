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

template <class Mutex, class Duration>
bool try_lock_for_at(Mutex& mutex, const Duration& duration, location where) {
  if constexpr (requires { mutex.try_lock_for(duration, where); }) {
    return mutex.try_lock_for(duration, where);
  } else {
    return mutex.try_lock_for(duration);
  }
}

template <class Mutex, class Time>
bool try_lock_until_at(Mutex& mutex, const Time& time, location where) {
  if constexpr (requires { mutex.try_lock_until(time, where); }) {
    return mutex.try_lock_until(time, where);
  } else {
    return mutex.try_lock_until(time);
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

template <class Mutex>
void lock_shared_at(Mutex& mutex, location where) {
  if constexpr (requires { mutex.lock_shared(where); }) {
    mutex.lock_shared(where);
  } else {
    mutex.lock_shared();
  }
}

template <class Mutex>
bool try_lock_shared_at(Mutex& mutex, location where) {
  if constexpr (requires { mutex.try_lock_shared(where); }) {
    return mutex.try_lock_shared(where);
  } else {
    return mutex.try_lock_shared();
  }
}

template <class Mutex, class Duration>
bool try_lock_shared_for_at(Mutex& mutex, const Duration& duration, location where) {
  if constexpr (requires { mutex.try_lock_shared_for(duration, where); }) {
    return mutex.try_lock_shared_for(duration, where);
  } else {
    return mutex.try_lock_shared_for(duration);
  }
}

template <class Mutex, class Time>
bool try_lock_shared_until_at(Mutex& mutex, const Time& time, location where) {
  if constexpr (requires { mutex.try_lock_shared_until(time, where); }) {
    return mutex.try_lock_shared_until(time, where);
  } else {
    return mutex.try_lock_shared_until(time);
  }
}

template <class Mutex>
void unlock_shared_at(Mutex& mutex, location where) {
  if constexpr (requires { mutex.unlock_shared(where); }) {
    mutex.unlock_shared(where);
  } else {
    mutex.unlock_shared();
  }
}

}  // namespace heddle::checked
