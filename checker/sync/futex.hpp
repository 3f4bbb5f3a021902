// Linux's futex on an atomic word of 4 bytes: compare and sleep, wake, requeue.
//
// All of it lies in parts of the word itself: a lock, as the kernel's hash bucket has one; the set
// of waiting threads; and for each thread a place to sleep. To compare the word and to enter the
// set is one step under the lock, and so are waking and moving: what a waker did before, a thread
// that still looks at the word sees. A place to sleep counts how often its thread was woken there;
// a thread that is moved to another word learns of it by waking, and sleeps on there.
#pragma once

#include <cstdint>

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

// The word, with its bytes for its first use.
struct futex_word {
  const void* object;
  graph::value initial;
};

// A wait, between entering and the end of it.
class futex_wait {
 public:
  futex_wait(futex_word word, runtime::location where) : word_{word}, where_{where} {}

  // False: the value is not `expected`. Else the calling thread waits, unless `is_over`.
  bool enter(graph::value expected, bool is_over);
  // Until a wake takes the calling thread.
  void sleep();
  // The calling thread waits no longer. False: a wake was first.
  bool leave();

 private:
  bool follow();

  futex_word word_;
  runtime::location where_;
  std::uint64_t wakeups_ = 0;  // that end the sleep
};

// Wakes up to `count` waiting threads, any of them; returns how many.
std::uint32_t futex_wake(futex_word word, std::uint32_t count, runtime::location where);

// Wakes up to `wake` of those who wait on `from`, and moves up to `move` others to `to`; returns
// how many both are. `expected`: nothing is done, and -1 returned, if the value of `from` is
// another; null: whatever it is. The words are different ones.
std::int64_t futex_requeue(futex_word from, const graph::value* expected, std::uint32_t wake,
                           std::uint32_t move, futex_word to, runtime::location where);

}  // namespace heddle::sync
