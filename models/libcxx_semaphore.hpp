// libc++'s counting_semaphore on a futex: llvm-project #46357, #77659, #109290; repaired in part by
// PRs #79265 (2024) and #146267
// (2025). The count is the futex itself, as it is where the system has futexes of its size.
//
// A releaser asks a count of waiting threads before it makes the system call. Three things must
// hold for that not to lose a wake-up: a thread goes to sleep on the value with which its try has
// failed (and not on one that it read before: the value may have changed and changed back); who
// raises the value from zero wakes all, for who raises it further wakes nobody; and of a releaser
// and a waiter one sees the other.
#pragma once

#include <climits>
#include <heddle/atomic.hpp>
#include <heddle/futex.hpp>
#include <heddle/name.hpp>

namespace models {

enum class semaphore_fences {
  none,       // until 2025
  at_waiter,  // PR #146267
  both,       // what C++'s rules ask for: the change of the permits is no seq_cst one
};

struct libcxx_semaphore_form {
  // Sleep while the value is the one read before the try, not the one seen by it.
  bool sleeps_on_earlier_value = false;
  // Wake one thread, not all.
  bool wakes_one = false;
  // Full fences between the change of one's own count and the look at the other.
  semaphore_fences fences = semaphore_fences::both;
};

class libcxx_semaphore {
 public:
  explicit libcxx_semaphore(int permits, libcxx_semaphore_form form = {})
      : permits_{permits}, form_{form} {
    heddle::name(permits_, "permits");
    heddle::name(waiters_, "waiters");
  }

  void acquire() {
    while (true) {
      const int earlier =
          form_.sleeps_on_earlier_value ? permits_.load(std::memory_order_acquire) : 0;
      if (try_acquire()) return;
      sleep_while(earlier);
    }
  }

  // Releases one.
  void release() {
    if (permits_.fetch_add(1, std::memory_order_release) > 0) return;
    if (form_.fences == semaphore_fences::both)
      heddle::atomic_thread_fence(std::memory_order_seq_cst);
    if (waiters_.load(std::memory_order_seq_cst) == 0) return;
    heddle::futex_wake(permits_, form_.wakes_one ? 1 : INT_MAX);
  }

 private:
  // Fails only if there are none.
  bool try_acquire() {
    int seen = permits_.load(std::memory_order_relaxed);
    while (seen != 0) {
      if (permits_.compare_exchange_strong(seen, seen - 1, std::memory_order_acquire,
                                           std::memory_order_relaxed))
        return true;
    }
    return false;
  }

  void sleep_while(int value) {
    waiters_.fetch_add(1, std::memory_order_seq_cst);
    if (form_.fences != semaphore_fences::none)
      heddle::atomic_thread_fence(std::memory_order_seq_cst);
    heddle::futex_wait(permits_, value);
    waiters_.fetch_sub(1, std::memory_order_release);
  }

  heddle::atomic<int> permits_;
  heddle::atomic<int> waiters_{0};
  const libcxx_semaphore_form form_;
};

}  // namespace models
