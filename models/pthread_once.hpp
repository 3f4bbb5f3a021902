// musl's pthread_once, and the fault that its commit 0d0c2f4034 repaired: a caller that comes to
// the state by an exchange takes it from done back to running, for a moment, and does not wake
// those who have seen it running meanwhile.
//
// musl's operations are full barriers; here they are sequentially consistent. The first look is a
// plain one in musl.
#pragma once

#include <climits>
#include <heddle/atomic.hpp>
#include <heddle/futex.hpp>
#include <heddle/name.hpp>

namespace models {

enum class once_entry {
  exchange,          // to running, whatever it was; done is put back
  compare_exchange,  // from idle to running, or not at all
};

template <once_entry Entry = once_entry::compare_exchange>
class pthread_once {
 public:
  pthread_once() {
    heddle::name(control_, "control");
    heddle::name(waiters_, "waiters");
  }

  // Returns when `initialise` has been called, and has returned, once.
  template <class F>
  void call(F initialise) {
    if (control_.load(std::memory_order_acquire) == done) return;
    while (true) {
      switch (enter()) {
        case idle:
          initialise();
          control_.store(done);
          if (waiters_.load() != 0) heddle::futex_wake(control_, INT_MAX);
          return;
        case done:
          if constexpr (Entry == once_entry::exchange) control_.store(done);
          return;
        default:
          wait_while_running();
      }
    }
  }

 private:
  static constexpr int idle = 0;
  static constexpr int running = 1;
  static constexpr int done = 2;

  // The state before.
  int enter() {
    if constexpr (Entry == once_entry::exchange) return control_.exchange(running);
    int seen = idle;
    control_.compare_exchange_strong(seen, running);
    return seen;
  }

  void wait_while_running() {
    waiters_.fetch_add(1);
    while (control_.load() == running) heddle::futex_wait(control_, running);
    waiters_.fetch_sub(1);
  }

  heddle::atomic<int> control_{idle};
  heddle::atomic<int> waiters_{0};
};

}  // namespace models
