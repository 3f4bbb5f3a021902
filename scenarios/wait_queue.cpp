// Waiting for a condition the kernel's way: prepare_to_wait and its family (catalogue part D).
//
// Say that you will sleep, then look; look again each time you are woken; and who is woken alone
// answers for the wake-up.

#include "models/kernel/wait_queue.hpp"

#include <heddle/atomic.hpp>
#include <heddle/check_functions.hpp>
#include <heddle/name.hpp>
#include <heddle/scenario.hpp>
#include <heddle/thread.hpp>
#include <memory>

#include "models/kernel/sleep_until.hpp"
#include "models/kernel/task.hpp"

namespace {

using heddle::loses_wakeup;
using heddle::parameters;
using heddle::scenario;
using heddle::thread;
using heddle::verified;
using heddle::violation;
using models::kernel::on_signal;
using models::kernel::sleep_loop;
using models::kernel::sleep_until;
using models::kernel::task;
using models::kernel::wait_queue;
using models::kernel::wait_queue_entry;

constexpr heddle::expectation only_sc{.sc = verified, .tso = loses_wakeup, .rc11 = loses_wakeup};
constexpr const char* slept = "the task was woken from its sleep";

// --- a task and its waker ------------------------------------------------------------------------

template <sleep_loop Loop>
void waiter_and_waker(const parameters&) {
  task waiting;
  heddle::atomic<bool> condition{false};
  heddle::name(condition, "condition");
  const auto holds = [&] { return condition.load(std::memory_order_relaxed); };
  const auto set_and_wake = [&] {
    condition.store(true, std::memory_order_relaxed);
    if (waiting.wake_up_process()) heddle::reached(slept);
  };
  thread waiter{[&] { sleep_until<Loop>(waiting, holds); }};
  thread waker{set_and_wake};
  waiter.join();
  waker.join();
}

const scenario set_then_check{
    .name = "wait_queue.set_then_check",
    .id = "D-set-then-check",
    .expect = verified,
    .sometimes = {slept},
    .because = "either the task sees the condition or the waker sees that it will sleep",
    .body = waiter_and_waker<sleep_loop::set_then_check>,
};

// xfsaild until 2012, 8375f922aaa6.
const scenario check_then_set{
    .name = "wait_queue.check_then_set",
    .id = "D-check-then-set",
    .expect = loses_wakeup,
    .because = "a wake-up between the look and the setting of the state does nothing",
    .body = waiter_and_waker<sleep_loop::check_then_set>,
};

const scenario set_without_barrier{
    .name = "wait_queue.set_without_barrier",
    .id = "D-set-nomb",
    .expect = only_sc,
    .because = "the look at the condition may pass the store of the state: store buffering",
    .body = waiter_and_waker<sleep_loop::set_without_barrier>,
};

// --- a stray wake-up -----------------------------------------------------------------------------

template <sleep_loop Loop>
void waiter_and_stray_wakeup(const parameters&) {
  task waiting;
  heddle::atomic<bool> condition{false};
  heddle::name(condition, "condition");
  const auto holds = [&] { return condition.load(std::memory_order_relaxed); };
  const auto wait = [&] {
    sleep_until<Loop>(waiting, holds);
    heddle::require(holds(), "the wait is over and the condition does not hold");
  };
  const auto set_and_wake = [&] {
    condition.store(true, std::memory_order_relaxed);
    waiting.wake_up_process();
  };
  const auto wake_for_nothing = [&] {
    if (waiting.wake_up_process()) heddle::reached(slept);
  };
  thread waiter{wait};
  thread waker{set_and_wake};
  thread stray{wake_for_nothing};
  waiter.join();
  waker.join();
  stray.join();
}

const scenario believes_wakeups{
    .name = "wait_queue.believes_wakeups",
    .id = "D-spurious-if",
    .expect = violation("the wait is over and the condition does not hold"),
    .because = "the task takes a stray wake-up for its own",
    .body = waiter_and_stray_wakeup<sleep_loop::check_once>,
};

const scenario looks_again{
    .name = "wait_queue.looks_again",
    .id = "D-spurious-while",
    .expect = verified,
    .sometimes = {slept},
    .because = "the task looks at the condition each time it is woken",
    .body = waiter_and_stray_wakeup<sleep_loop::set_then_check>,
};

// --- waitqueue_active ----------------------------------------------------------------------------

// A waker that takes the queue's lock only if somebody waits.
void waker_asks_first(bool fence) {
  wait_queue queue;
  task waiting;
  heddle::atomic<bool> condition{false};
  heddle::name(condition, "condition");
  const auto holds = [&] { return condition.load(std::memory_order_relaxed); };
  const auto set_and_wake = [&] {
    condition.store(true, std::memory_order_relaxed);
    if (fence) heddle::atomic_thread_fence(std::memory_order_seq_cst);
    if (!queue.is_active()) return heddle::reached("nobody waits");
    queue.wake_up();
  };
  wait_queue_entry entry{waiting};
  thread waiter{[&] { queue.wait_until(entry, holds); }};
  thread waker{set_and_wake};
  waiter.join();
  waker.join();
}

const scenario active_fence{
    .name = "wait_queue.active_fence",
    .id = "D-waitqueue_active-mb",
    .expect = verified,
    .sometimes = {"nobody waits"},
    .because = "either the waker sees the queue or the waiter sees the condition",
    .body = [](const parameters&) { waker_asks_first(true); },
};

const scenario active_no_fence{
    .name = "wait_queue.active_no_fence",
    .id = "D-waitqueue_active-nomb",
    .expect = only_sc,
    .because = "the question may pass the store of the condition: store buffering",
    .body = [](const parameters&) { waker_asks_first(false); },
};

// --- exclusive waiters ---------------------------------------------------------------------------

// Two exclusive waiters for tokens.
class token_waiters {
 public:
  token_waiters() {
    heddle::name(tokens_, "tokens");
    heddle::name(signal_, "signal");
    queue_.prepare_to_wait(first_);
    queue_.prepare_to_wait(second_);
  }

  // Sleeps until there is a token or a signal.
  void first(on_signal how) {
    first_task_.schedule();
    const auto takes = [this] { return take(); };
    const auto is_pending = [this] { return signal_.load(std::memory_order_relaxed); };
    queue_.wait_interruptible(first_, how, takes, is_pending);
  }

  // Sleeps until there is a token.
  void second() {
    second_task_.schedule();
    if (!take()) queue_.wait_until(second_, [this] { return take(); });
    heddle::reached("the second waiter has the token");
  }

  void put_token() {
    tokens_.fetch_add(1, std::memory_order_relaxed);
    queue_.wake_up();
  }

  void signal_first() {
    signal_.store(true, std::memory_order_relaxed);
    first_task_.wake_up_process();
  }

  // When all but the second waiter have ended. It takes a token before it queues again, so one that
  // is queued next to a token has not been woken.
  bool is_wakeup_lost() {
    return queue_.is_queued(second_) && tokens_.load(std::memory_order_relaxed) > 0;
  }

 private:
  bool take() {
    int seen = tokens_.load(std::memory_order_relaxed);
    while (seen > 0) {
      if (tokens_.compare_exchange_strong(seen, seen - 1, std::memory_order_relaxed)) return true;
    }
    return false;
  }

  wait_queue queue_;
  heddle::atomic<int> tokens_{0};
  heddle::atomic<bool> signal_{false};
  task first_task_;
  task second_task_;
  wait_queue_entry first_{first_task_, /*is_exclusive=*/true};
  wait_queue_entry second_{second_task_, /*is_exclusive=*/true};
};

// Both sleep; a token comes, and a signal for the first.
void signalled_waiter(on_signal how) {
  const auto waiters = std::make_shared<token_waiters>();
  // Sleeps for ever if the first gets the token.
  heddle::daemon_thread([=] { waiters->second(); }).detach();
  thread first{[&] { waiters->first(how); }};
  thread waker{[&] { waiters->put_token(); }};
  waiters->signal_first();
  first.join();
  waker.join();
  heddle::require(!waiters->is_wakeup_lost(), "there is a token, and its wake-up was swallowed");
}

// Before 777c6c5f1f6e, seen in lock_page_killable.
const scenario exclusive_quits{
    .name = "wait_queue.exclusive_quits",
    .id = "D-exclusive-lost",
    .expect = violation("there is a token, and its wake-up was swallowed"),
    .because = "the one waiter that was woken leaves for a signal, without the token",
    .body = [](const parameters&) { signalled_waiter(on_signal::finish_wait); },
};

const scenario exclusive_passes_on{
    .name = "wait_queue.exclusive_passes_on",
    .id = "D-exclusive-lost-passon",
    .expect = verified,
    .sometimes = {"the second waiter has the token"},
    .because = "who is not queued any more has been woken, and wakes the next",
    .body = [](const parameters&) { signalled_waiter(on_signal::abort_exclusive_wait); },
};

// prepare_to_wait_event today: "Exclusive waiter must not fail if it was selected by wakeup".
const scenario exclusive_looks_once_more{
    .name = "wait_queue.exclusive_looks_once_more",
    .id = "D-exclusive-lost-passon",
    .expect = verified,
    .sometimes = {"the second waiter has the token"},
    .because = "off the queue it can take no other's wake-up, and a token before that it takes",
    .body = [](const parameters&) { signalled_waiter(on_signal::leave_and_look); },
};

}  // namespace
