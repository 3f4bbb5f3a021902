// Parking a thread until another one unparks it, with a mutex and a condition variable: the
// parker of Rust's standard library as of 2018, with the two faults that rust-lang/rust #53366
// repaired, each on request.
//
// A park consumes a token and waits for one if there is none; an unpark puts the token there, also
// in advance; a second token is none. What a thread does before an unpark is to be seen after the
// park that comes later than the unpark, even if another thread's token was there already.
#pragma once

#include <heddle/atomic.hpp>
#include <heddle/check_functions.hpp>
#include <heddle/condition_variable.hpp>
#include <heddle/mutex.hpp>
#include <heddle/name.hpp>

namespace models {

// What an unpark does if the token is there.
enum class second_unpark {
  looks,      // a compare_exchange that fails: it writes nothing that a park could acquire
  exchanges,  // puts its own in place of it
};

// What a park does if the token comes between its two looks.
enum class late_token {
  stores,     // takes it by a store, whatever unpark it is of by then
  exchanges,  // reads what it takes
};

template <second_unpark Unpark = second_unpark::exchanges, late_token Late = late_token::exchanges>
class parker {
 public:
  parker() {
    heddle::name(state_, "state");
    heddle::name(mutex_, "mutex");
    heddle::name(unparked_, "unparked");
  }

  // By the one thread that the parker is of.
  void park() {
    if (take_token()) return;
    heddle::unique_lock lock(mutex_);
    state seen = state::empty;
    if (!state_.compare_exchange_strong(seen, state::parked)) {
      heddle::require(seen == state::notified, "two threads park");
      if constexpr (Late == late_token::stores) {
        state_.store(state::empty);
      } else {
        state_.exchange(state::empty);
      }
      return;
    }
    do {
      unparked_.wait(lock);
    } while (!take_token());
  }

  void unpark() {
    if constexpr (Unpark == second_unpark::exchanges) {
      if (state_.exchange(state::notified) != state::parked) return;
      // The parker is about to sleep as long as it holds the mutex.
      mutex_.lock();
      mutex_.unlock();
      unparked_.notify_one();
    } else {
      while (!try_unpark()) {
      }
    }
  }

 private:
  enum class state { empty, parked, notified };

  bool take_token() {
    state seen = state::notified;
    return state_.compare_exchange_strong(seen, state::empty);
  }

  // False: the thread was parked, and is not any more.
  bool try_unpark() {
    state seen = state::empty;
    if (state_.compare_exchange_strong(seen, state::notified)) return true;
    if (seen == state::notified) return true;
    const heddle::lock_guard guard(mutex_);
    seen = state::parked;
    if (state_.compare_exchange_strong(seen, state::notified)) {
      unparked_.notify_one();
      return true;
    }
    return seen == state::notified;
  }

  heddle::atomic<state> state_{state::empty};
  heddle::mutex mutex_;
  heddle::condition_variable unparked_;
};

}  // namespace models
