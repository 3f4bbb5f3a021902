// heddle::shared_lock of the checked build: what unique_lock is, for those who share.
#pragma once

#include <chrono>
#include <mutex>
#include <system_error>
#include <utility>

#include "heddle/checked/lockable.hpp"

namespace heddle {

// std::shared_lock, with its errors: std::system_error for locking without a mutex or twice, and
// for unlocking what is not owned. Its lock, try_lock and unlock share the mutex.
template <class Mutex>
class [[nodiscard]] shared_lock {
 public:
  using mutex_type = Mutex;

  shared_lock() noexcept = default;
  explicit shared_lock(Mutex& mutex, location where = location::current())
      : mutex_(&mutex), owns_(true) {
    checked::lock_shared_at(mutex, where);
  }
  shared_lock(Mutex& mutex, std::defer_lock_t) noexcept : mutex_(&mutex) {}
  shared_lock(Mutex& mutex, std::try_to_lock_t, location where = location::current())
      : mutex_(&mutex), owns_(checked::try_lock_shared_at(mutex, where)) {}
  shared_lock(Mutex& mutex, std::adopt_lock_t) noexcept : mutex_(&mutex), owns_(true) {}
  template <class Rep, class Period>
  shared_lock(Mutex& mutex, const std::chrono::duration<Rep, Period>& duration,
              location where = location::current())
      : mutex_(&mutex), owns_(checked::try_lock_shared_for_at(mutex, duration, where)) {}
  template <class Clock, class Duration>
  shared_lock(Mutex& mutex, const std::chrono::time_point<Clock, Duration>& time,
              location where = location::current())
      : mutex_(&mutex), owns_(checked::try_lock_shared_until_at(mutex, time, where)) {}
  shared_lock(shared_lock&& other) noexcept
      : mutex_(std::exchange(other.mutex_, nullptr)), owns_(std::exchange(other.owns_, false)) {}
  [[gnu::noinline]] shared_lock& operator=(shared_lock&& other) noexcept {
    if (owns_) {
      checked::unlock_shared_at(*mutex_,
                                location::from_return_address(__builtin_return_address(0)));
      owns_ = false;
    }
    shared_lock(std::move(other)).swap(*this);
    return *this;
  }
  [[gnu::noinline]] ~shared_lock() {
    if (owns_) {
      checked::unlock_shared_at(*mutex_,
                                location::from_return_address(__builtin_return_address(0)));
    }
  }

  void lock(location where = location::current()) {
    check_lockable();
    checked::lock_shared_at(*mutex_, where);
    owns_ = true;
  }
  [[nodiscard]] bool try_lock(location where = location::current()) {
    check_lockable();
    owns_ = checked::try_lock_shared_at(*mutex_, where);
    return owns_;
  }
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& duration,
                                  location where = location::current()) {
    check_lockable();
    owns_ = checked::try_lock_shared_for_at(*mutex_, duration, where);
    return owns_;
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& time,
                                    location where = location::current()) {
    check_lockable();
    owns_ = checked::try_lock_shared_until_at(*mutex_, time, where);
    return owns_;
  }
  void unlock(location where = location::current()) {
    if (!owns_) throw std::system_error(std::make_error_code(std::errc::operation_not_permitted));
    checked::unlock_shared_at(*mutex_, where);
    owns_ = false;
  }

  void swap(shared_lock& other) noexcept {
    std::swap(mutex_, other.mutex_);
    std::swap(owns_, other.owns_);
  }
  // Gives the mutex away as it is.
  Mutex* release() noexcept {
    owns_ = false;
    return std::exchange(mutex_, nullptr);
  }

  [[nodiscard]] bool owns_lock() const noexcept { return owns_; }
  explicit operator bool() const noexcept { return owns_; }
  [[nodiscard]] Mutex* mutex() const noexcept { return mutex_; }

 private:
  void check_lockable() const {
    if (!mutex_) throw std::system_error(std::make_error_code(std::errc::operation_not_permitted));
    if (owns_) {
      throw std::system_error(std::make_error_code(std::errc::resource_deadlock_would_occur));
    }
  }

  Mutex* mutex_ = nullptr;
  bool owns_ = false;
};

template <class Mutex>
void swap(shared_lock<Mutex>& a, shared_lock<Mutex>& b) noexcept {
  a.swap(b);
}

}  // namespace heddle
