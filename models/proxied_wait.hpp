// Waiting for the change of an atomic object on which the system cannot sleep: libstdc++'s wait and
// notify by a proxy, a version that every notify raises.
//
// The two races are those that libstdc++ repaired when it moved the waiting into the library: the
// version must be read before the value is looked at, or the notify of the change that comes in
// between has raised what one sleeps on; and with a condition variable the version must be compared
// under the mutex.
#pragma once

#include <climits>
#include <heddle/atomic.hpp>
#include <heddle/condition_variable.hpp>
#include <heddle/futex.hpp>
#include <heddle/mutex.hpp>
#include <heddle/name.hpp>

namespace models {

enum class first_look { at_value, at_version };

// On a futex.
template <first_look First = first_look::at_version>
class futex_proxy {
 public:
  futex_proxy() {
    heddle::name(version_, "version");
    heddle::name(waiters_, "waiters");
  }

  // Until the value is not `old`. Who changes it notifies afterwards.
  template <class T>
  void wait(const heddle::atomic<T>& object, T old) {
    waiters_.fetch_add(1);
    while (true) {
      int seen = version_.load();
      if (object.load(std::memory_order_acquire) != old) break;
      if constexpr (First == first_look::at_value) seen = version_.load();
      heddle::futex_wait(version_, seen);
    }
    waiters_.fetch_sub(1);
  }

  void notify_all() {
    version_.fetch_add(1);
    if (waiters_.load() != 0) heddle::futex_wake(version_, INT_MAX);
  }

 private:
  heddle::atomic<int> version_{0};
  heddle::atomic<int> waiters_{0};
};

enum class version_check { before_the_lock, under_the_lock };

// With a condition variable.
template <version_check Check = version_check::under_the_lock>
class condition_proxy {
 public:
  condition_proxy() {
    heddle::name(version_, "version");
    heddle::name(mutex_, "mutex");
    heddle::name(raised_, "raised");
  }

  template <class T>
  void wait(const heddle::atomic<T>& object, T old) {
    while (true) {
      const int seen = version_.load();
      if (object.load(std::memory_order_acquire) != old) return;
      sleep_while(seen);
    }
  }

  void notify_all() {
    {
      const heddle::lock_guard guard(mutex_);
      version_.fetch_add(1);
    }
    raised_.notify_all();
  }

 private:
  void sleep_while(int version) {
    if (version_.load() != version) return;
    heddle::unique_lock lock(mutex_);
    if constexpr (Check == version_check::under_the_lock)
      if (version_.load(std::memory_order_relaxed) != version) return;
    raised_.wait(lock);
  }

  heddle::atomic<int> version_{0};
  heddle::mutex mutex_;
  heddle::condition_variable raised_;
};

}  // namespace models
