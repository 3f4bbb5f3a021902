// The kernel's wake queues, and how long a sleeper may be touched: what seed 004 builds on
// (catalogue part C).
//
// A task is on one queue at most, so an add that fails leaves the wake-up to another waker. That is
// right only if that wake-up is still to come, and comes after all that the task must then see.

#include "models/kernel/wake_queue.hpp"

#include <array>
#include <heddle/atomic.hpp>
#include <heddle/check_functions.hpp>
#include <heddle/mutex.hpp>
#include <heddle/name.hpp>
#include <heddle/scenario.hpp>
#include <heddle/thread.hpp>

#include "models/kernel/sleep_until.hpp"
#include "models/kernel/stack_waiter.hpp"
#include "models/kernel/task.hpp"

namespace {

using heddle::deadlocks;
using heddle::loses_wakeup;
using heddle::parameters;
using heddle::races;
using heddle::reached;
using heddle::scenario;
using heddle::thread;
using heddle::verified;
using heddle::violation;
using models::kernel::mark_orders;
using models::kernel::sleep_until;
using models::kernel::stack_waiter;
using models::kernel::task;
using models::kernel::wake_queue;
using models::kernel::wake_queue_rules;
using add_order = wake_queue_rules::add_order;

constexpr heddle::expectation only_sc{.sc = verified, .tso = loses_wakeup, .rc11 = loses_wakeup};
// Under sc every operation is seq_cst, and so orders plain accesses too.
constexpr heddle::expectation races_if_relaxed{.sc = verified, .tso = races, .rc11 = races};
constexpr const char* already_queued = "a waker found the task on another's queue";

// --- two wakers ----------------------------------------------------------------------------------

using marks = std::array<heddle::atomic<bool>, 2>;

struct waker_rules {
  wake_queue_rules queue{};
  bool add_before_mark = false;
  std::memory_order mark = std::memory_order_relaxed;
};

// Sets the mark that the sleeper waits for, and wakes it.
void wake(task& sleeper, heddle::atomic<bool>& mark, const waker_rules& rules) {
  wake_queue collected{rules.queue};
  if (!rules.add_before_mark) mark.store(true, rules.mark);
  if (!collected.add(sleeper)) reached(already_queued);
  if (rules.add_before_mark) mark.store(true, rules.mark);
  collected.wake_up_all();
}

void sleep_until_marked(task& sleeper, const heddle::atomic<bool>& mark) {
  sleep_until(sleeper, [&] { return mark.load(std::memory_order_relaxed); });
}

void sleep_until_both(task& sleeper, const marks& all) {
  const auto both = [&] {
    return all[0].load(std::memory_order_relaxed) && all[1].load(std::memory_order_relaxed);
  };
  sleep_until(sleeper, both);
}

// The task sleeps until both wakers have set their marks.
void two_wakers(const waker_rules& rules) {
  task sleeper;
  marks set{};
  heddle::name(set, "mark");
  thread waiter{[&] { sleep_until_both(sleeper, set); }};
  thread first{[&] { wake(sleeper, set[0], rules); }};
  thread second{[&] { wake(sleeper, set[1], rules); }};
  waiter.join();
  first.join();
  second.join();
  heddle::require(sleeper.references() == 1, "references are not balanced");
}

void two_wakers(add_order add) { two_wakers({.queue = {.add = add}}); }

const scenario clear_then_wake{
    .name = "wake_queue.clear_then_wake",
    .id = "C-wakeq-clear-then-wake",
    .expect = verified,
    .sometimes = {already_queued},
    .because = "an add that fails comes before the clearing, and so before the wake-up",
    .body = [](const parameters&) { two_wakers(waker_rules{}); },
};

const scenario wake_then_clear{
    .name = "wake_queue.wake_then_clear",
    .id = "C-wakeq-wake-then-clear",
    .expect = loses_wakeup,
    .because = "an add fails for a wake-up that is already spent",
    .body = [](const parameters&) { two_wakers({.queue = {.clear_before_wake = false}}); },
};

// wake_q_add before 4c4e3731564c.
const scenario failing_add_unordered{
    .name = "wake_queue.failing_add_unordered",
    .id = "C-wakeq-failcas-nomb",
    .expect = only_sc,
    .because = "the mark may become visible after the failed add: store buffering",
    .body = [](const parameters&) { two_wakers(add_order::on_success); },
};

// The repair. Parri's litmus test of it says "Never".
const scenario failing_add_fence{
    .name = "wake_queue.failing_add_fence",
    .id = "C-wakeq-failcas-mb",
    .expect = verified,
    .sometimes = {already_queued},
    .because = "the fence before the cmpxchg orders the mark before its failure too",
    .body = [](const parameters&) { two_wakers(add_order::fence_before); },
};

// The catalogue's TSO column says pass: LOCK CMPXCHG is a full fence also when it fails. C++
// promises only a seq_cst load, and so does the checker's tso.
const scenario failing_add_seq_cst{
    .name = "wake_queue.failing_add_seq_cst",
    .id = "C-wakeq-failcas-x86cas",
    .expect = only_sc,
    .because = "a failed seq_cst compare_exchange is a seq_cst load, which the mark may pass",
    .body = [](const parameters&) { two_wakers(add_order::seq_cst); },
};

const scenario failing_add_all_seq_cst{
    .name = "wake_queue.failing_add_all_seq_cst",
    .id = "C-wakeq-failcas-x86cas",
    .expect = verified,
    .sometimes = {already_queued},
    .because = "mark and failed add are both in the order of seq_cst operations",
    .body =
        [](const parameters&) {
          two_wakers({.queue = {.add = add_order::seq_cst}, .mark = std::memory_order_seq_cst});
        },
};

// rwsem e38513905eea; futex and mqueue had it too. Seed 004 adds before it dequeues, and is saved
// by the waiter's testing the queue under the lock.
const scenario add_before_mark{
    .name = "wake_queue.add_before_mark",
    .id = "C-wakeq-add-before-mark",
    .expect = loses_wakeup,
    .because = "the other queue's wake-up comes before the mark, and the task sleeps again",
    .body = [](const parameters&) { two_wakers({.add_before_mark = true}); },
};

const scenario add_before_mark_alone{
    .name = "wake_queue.add_before_mark_alone",
    .id = "C-wakeq-add-before-mark-single",
    .expect = verified,
    .because = "the only wake-up comes after the mark",
    .body =
        [](const parameters&) {
          task sleeper;
          heddle::atomic<bool> mark{false};
          heddle::name(mark, "mark");
          thread waiter{[&] { sleep_until_marked(sleeper, mark); }};
          thread waker{[&] { wake(sleeper, mark, {.add_before_mark = true}); }};
          waiter.join();
          waker.join();
        },
};

// Who adds must wake: later wakers rely on it.
const scenario abandoned{
    .name = "wake_queue.abandoned",
    .id = "C-wakeq-abandoned",
    .expect = loses_wakeup,
    .because = "the task is on a queue that nobody will wake, so no other can have it",
    .body =
        [](const parameters&) {
          task sleeper;
          heddle::atomic<bool> mark{false};
          heddle::name(mark, "mark");
          wake_queue never_woken;
          thread waiter{[&] { sleep_until_marked(sleeper, mark); }};
          thread forgetful{[&] { never_woken.add(sleeper); }};
          thread waker{[&] { wake(sleeper, mark, {}); }};
          waiter.join();
          forgetful.join();
          waker.join();
        },
};

// --- one head used twice -------------------------------------------------------------------------

void wake_one_after_another(bool init_between) {
  task one;
  task two;
  wake_queue collected;
  const auto wake_both = [&] {
    collected.add(one);
    collected.wake_up_all();
    if (init_between) collected.init();
    collected.add(two);
    collected.wake_up_all();
  };
  thread waker{wake_both};
  waker.join();
  heddle::require(one.references() == 1, "a reference was put twice");
  heddle::require(two.references() == 1, "a reference was not put");
}

// The follow-up to 894d1b3db41c, "Remove wakeups from under mutex::wait_lock".
const scenario reused{
    .name = "wake_queue.reused",
    .id = "C-wakeq-reuse-noinit",
    .expect = violation("a reference was put twice"),
    .because = "the head still begins with the first task, which is woken and put once more",
    .body = [](const parameters&) { wake_one_after_another(false); },
};

// As seed 004 does between its two grant heads.
const scenario reused_after_init{
    .name = "wake_queue.reused_after_init",
    .id = "C-wakeq-reuse-init",
    .expect = verified,
    .because = "the second walk begins with what was added since",
    .body = [](const parameters&) { wake_one_after_another(true); },
};

// --- sleeping with wake-ups pending --------------------------------------------------------------

// A task sleeps, holding a lock that its waker wants too.
void waker_wants_the_lock(bool wake_first) {
  task holder;
  heddle::mutex lock;
  heddle::atomic<bool> mark{false};
  heddle::name(lock, "lock");
  heddle::name(mark, "mark");
  const auto hold = [&] {
    const heddle::lock_guard guard{lock};
    sleep_until_marked(holder, mark);
  };
  const auto wake_and_lock = [&] {
    wake_queue collected;
    mark.store(true, std::memory_order_relaxed);
    collected.add(holder);
    if (wake_first) collected.wake_up_all();
    lock.lock();
    lock.unlock();
    if (!wake_first) collected.wake_up_all();
  };
  thread holding{hold};
  thread waker{wake_and_lock};
  holding.join();
  waker.join();
}

// rtmutex, Dec 2024, after 894d1b3db41c.
const scenario sleep_before_wake{
    .name = "wake_queue.sleep_before_wake",
    .id = "C-wakeq-sleep-before-wake",
    .expect = deadlocks,
    .because = "the waker waits for one whose wake-up it has not issued yet",
    .body = [](const parameters&) { waker_wants_the_lock(false); },
};

// Seed 004's order.
const scenario wake_before_sleep{
    .name = "wake_queue.wake_before_sleep",
    .id = "C-wakeq-wake-before-sleep",
    .expect = verified,
    .because = "the holder is woken before anybody waits for it",
    .body = [](const parameters&) { waker_wants_the_lock(true); },
};

// --- a record on the waiter's stack --------------------------------------------------------------

// Before a11ddb37bf36, CVE-2021-47069.
const scenario stack_read_after_mark{
    .name = "wake_queue.stack_read_after_mark",
    .id = "C-onstack-deref-after",
    .expect = races,
    .because = "the receiver may return between the mark and the second read of its record",
    .body =
        [](const parameters&) {
          task receiver_task;
          stack_waiter record{receiver_task};
          const auto send = [&] {
            wake_queue collected;
            record.finish_and_read_again(collected);
            collected.wake_up_all();
          };
          thread receiver{[&] { record.wait(); }};
          thread sender{send};
          receiver.join();
          sender.join();
        },
};

// The receiver exits once it has been told. Another waker has a reference, and nothing to tell.
void receiver_and_two_wakers(wake_queue_rules queue, mark_orders orders) {
  task receiver_task;
  stack_waiter record{receiver_task, orders};
  receiver_task.get();
  const auto receive = [&] {
    record.wait();
    receiver_task.put();
  };
  const auto send = [&] {
    wake_queue collected{queue};
    record.finish(collected);
    collected.wake_up_all();
  };
  const auto disturb = [&] {
    wake_queue collected{queue};
    collected.add(receiver_task);
    collected.wake_up_all();
    receiver_task.put();
  };
  thread receiver{receive};
  thread sender{send};
  thread other{disturb};
  receiver.join();
  sender.join();
  other.join();
  heddle::require(receiver_task.is_freed(), "a reference has leaked");
}

const scenario stack_saved{
    .name = "wake_queue.stack_saved",
    .id = "C-onstack-saved",
    .expect = verified,
    .because = "the sender reads the record only before the mark, and has a reference to the task",
    .body = [](const parameters&) { receiver_and_two_wakers({}, {}); },
};

// The catalogue's own steps: its cmpxchg orders nothing if it fails. Its TSO column says pass.
const scenario stack_saved_no_fence{
    .name = "wake_queue.stack_saved_no_fence",
    .id = "C-onstack-saved",
    .expect = only_sc,
    .because = "the mark may become visible after the add that fails for the other waker's",
    .body = [](const parameters&) { receiver_and_two_wakers({.add = add_order::on_success}, {}); },
};

const scenario stack_saved_relaxed{
    .name = "wake_queue.stack_saved_relaxed",
    .id = "C-onstack-saved",
    .expect = races_if_relaxed,
    .because = "a relaxed mark does not order the read of the record before its end",
    .body =
        [](const parameters&) {
          receiver_and_two_wakers({}, {std::memory_order_relaxed, std::memory_order_relaxed});
        },
};

// --- the end of a task ---------------------------------------------------------------------------

struct exit_rules {
  bool waker_has_reference = true;
  std::memory_order put = std::memory_order_acq_rel;
};

// The task exits once it is marked. A stray wake-up, with a reference of its own, lets it find the
// mark before its waker wakes it.
void wake_a_task_that_exits(exit_rules rules) {
  task sleeper{rules.put};
  heddle::atomic<bool> mark{false};
  heddle::name(mark, "mark");
  sleeper.get();
  const auto run = [&] {
    sleep_until(sleeper, [&] { return mark.load(std::memory_order_acquire); });
    sleeper.put();
  };
  const auto mark_and_wake = [&] {
    if (rules.waker_has_reference) sleeper.get();
    mark.store(true, std::memory_order_release);
    sleeper.wake_up_process();
    if (rules.waker_has_reference) sleeper.put();
  };
  const auto wake_for_nothing = [&] {
    sleeper.wake_up_process();
    sleeper.put();
  };
  thread exiting{run};
  thread waker{mark_and_wake};
  thread stray{wake_for_nothing};
  exiting.join();
  waker.join();
  stray.join();
  heddle::require(sleeper.is_freed(), "a reference has leaked");
}

const scenario exit_without_reference{
    .name = "wake_queue.exit_without_reference",
    .id = "C-task-exit-noref",
    .expect = races,
    .because = "the task exits between its mark and its wake-up",
    .body = [](const parameters&) { wake_a_task_that_exits({.waker_has_reference = false}); },
};

const scenario exit_with_reference{
    .name = "wake_queue.exit_with_reference",
    .id = "C-task-exit-ref",
    .expect = verified,
    .because = "the last to put its reference frees the task, after all uses",
    .body = [](const parameters&) { wake_a_task_that_exits({}); },
};

const scenario exit_relaxed_put{
    .name = "wake_queue.exit_relaxed_put",
    .id = "C-task-exit-ref",
    .expect = races_if_relaxed,
    .because = "a relaxed put does not order the other's uses before the task is freed",
    .body = [](const parameters&) { wake_a_task_that_exits({.put = std::memory_order_relaxed}); },
};

}  // namespace
