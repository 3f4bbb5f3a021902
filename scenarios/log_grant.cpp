// Sleeping for log space and being woken: seed 004 (catalogue part C).
//
// The posted patch takes a ticket off the queue when its wake-up is collected. That ends double
// wake-ups, and opens a window in which the queue is empty although a task still wants space.

#include "models/log_grant.hpp"

#include <heddle/check_functions.hpp>
#include <heddle/scenario.hpp>
#include <heddle/thread.hpp>
#include <memory>
#include <optional>

namespace {

using heddle::loses_wakeup;
using heddle::parameter;
using heddle::parameters;
using heddle::scenario;
using heddle::thread;
using heddle::verified;
using heddle::violation;
using models::log_grant_head;
using models::log_grant_rules;
using models::log_ticket;

const parameter bytes_each{.name = "bytes", .value = 1, .min = 1, .max = 1000};

// --- shutdown ------------------------------------------------------------------------------------

void waiter_and_shutdown(log_grant_rules rules, const parameters& with) {
  log_grant_head grant{0, rules};
  log_ticket ticket{with["bytes"]};
  std::optional<int> left;
  thread waiter{[&] { left = grant.reserve(ticket); }};
  thread shutdown{[&] { grant.shut_down(); }};
  waiter.join();
  shutdown.join();
  heddle::require(!left, "space was granted that is not there");
}

// v4.18: wakes all without dequeuing them; a woken task tests for shutdown.
const scenario shutdown{
    .name = "log_grant.shutdown",
    .id = "C-shutdown-base",
    .expect = verified,
    .because = "flag and queue are tested under the lock that shutdown takes to wake",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { waiter_and_shutdown({}, with); },
};

// Seed 004 as posted; a later xfs_log_space_wake returns early, so nobody else wakes it either.
const scenario shutdown_posted{
    .name = "log_grant.shutdown_posted",
    .id = "C-shutdown-seed004",
    .expect = loses_wakeup,
    .because = "woken but still queued, the task sleeps again without looking at the shutdown flag",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { waiter_and_shutdown({.dequeue_when_woken = true}, with); },
};

const scenario shutdown_dequeues{
    .name = "log_grant.shutdown_dequeues",
    .id = "C-shutdown-fix-dequeue",
    .expect = verified,
    .because = "whom shutdown wakes is no longer queued",
    .parameters = {bytes_each},
    .body =
        [](const parameters& with) {
          waiter_and_shutdown({.dequeue_when_woken = true, .shutdown_dequeues = true}, with);
        },
};

const scenario shutdown_tested_first{
    .name = "log_grant.shutdown_tested_first",
    .id = "C-shutdown-fix-test",
    .expect = verified,
    .because = "a woken task looks at the shutdown flag before it sleeps again",
    .parameters = {bytes_each},
    .body =
        [](const parameters& with) {
          waiter_and_shutdown({.dequeue_when_woken = true, .test_shutdown_first = true}, with);
        },
};

// --- one waiter, one freer -----------------------------------------------------------------------

void waiter_and_freer(log_grant_rules rules, const parameters& with) {
  const int bytes = with["bytes"];
  log_grant_head grant{0, rules};
  log_ticket ticket{bytes};
  std::optional<int> left;
  thread waiter{[&] { left = grant.reserve(ticket); }};
  thread freer{[&] { grant.release(bytes); }};
  waiter.join();
  freer.join();
  heddle::require(left == 0, "the waiter did not get what was freed");
}

// v4.18, if nothing else wakes: pushing the AIL hides it as long as the AIL is not empty.
const scenario sample_before_lock{
    .name = "log_grant.sample_before_lock",
    .id = "C-grant-base-1w",
    .expect = loses_wakeup,
    .because = "the freer finds the queue empty, and the waiter goes by its old sample",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { waiter_and_freer({}, with); },
};

const scenario sample_under_lock{
    .name = "log_grant.sample_under_lock",
    .id = "C-grant-base-locked-sample",
    .expect = loses_wakeup,
    .because = "the freer's add and test come between the waiter's sample and its queueing",
    .parameters = {bytes_each},
    .body =
        [](const parameters& with) {
          waiter_and_freer({.sample_under_lock = true, .fences = true}, with);
        },
};

// Queue, then look again. The catalogue's TSO column says pass: its prototype drained the store
// buffer at lock steps. Here an x86 waiter's load passes its queueing store.
const scenario recheck{
    .name = "log_grant.recheck",
    .id = "C-grant-base-recheck",
    .expect = {.sc = verified, .tso = loses_wakeup, .rc11 = loses_wakeup},
    .because = "the look at the space may pass the queueing before it: store buffering",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { waiter_and_freer({.recheck_when_queued = true}, with); },
};

// The technique: full fences between queueing and looking, and around the freer's add.
const scenario recheck_fences{
    .name = "log_grant.recheck_fences",
    .id = "C-grant-base-recheck-mb",
    .expect = verified,
    .because = "either the freer sees the waiter or the waiter sees the space",
    .parameters = {bytes_each},
    .body =
        [](const parameters& with) {
          waiter_and_freer({.recheck_when_queued = true, .fences = true}, with);
        },
};

// By design in v4.18: xlog_verify_grant_tail "is run unlocked", and only warns.
const scenario check_then_add{
    .name = "log_grant.check_then_add",
    .id = "C-grant-check-then-add",
    .expect = violation("more log space was granted than there is"),
    .because = "both reservers see the space before either takes it",
    .parameters = {bytes_each},
    .body =
        [](const parameters& with) {
          struct shared {
            explicit shared(int bytes) : grant{bytes, {}}, one{bytes}, two{bytes} {}
            log_grant_head grant;
            log_ticket one;
            log_ticket two;
          };
          // Who comes too late sleeps for ever, so the threads keep what they use.
          const auto all = std::make_shared<shared>(with["bytes"]);
          const auto reserve = [](log_grant_head& grant, log_ticket& mine) {
            const std::optional<int> left = grant.reserve(mine);
            heddle::require(left >= 0, "more log space was granted than there is");
          };
          heddle::daemon_thread([=] { reserve(all->grant, all->one); }).detach();
          heddle::daemon_thread([=] { reserve(all->grant, all->two); }).detach();
        },
};

// --- one asleep, a newcomer, a freer -------------------------------------------------------------

// Space for one; a ticket sleeps for it, and a newcomer wants as much; then as much is freed.
void newcomer_and_freer(log_grant_rules rules, const parameters& with) {
  const int bytes = with["bytes"];
  log_grant_head grant{bytes, rules};
  log_ticket asleep{bytes};
  log_ticket late{bytes};
  grant.put_to_sleep(asleep);
  std::optional<int> first_left;
  std::optional<int> second_left;
  thread sleeper{[&] { first_left = grant.resume(asleep); }};
  thread newcomer{[&] { second_left = grant.reserve(late); }};
  thread freer{[&] { grant.release(bytes); }};
  sleeper.join();
  newcomer.join();
  freer.join();
  heddle::require(first_left && second_left, "a ticket was turned away");
}

const scenario newcomer_presample{
    .name = "log_grant.newcomer_presample",
    .id = "C-lockdrop-base-presample",
    .expect = loses_wakeup,
    .because = "the newcomer goes by a sample from before the freer's add",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { newcomer_and_freer({}, with); },
};

// v4.18 with the sample moved under the lock.
const scenario newcomer_locked_sample{
    .name = "log_grant.newcomer_locked_sample",
    .id = "C-lockdrop-base-lockedsample",
    .expect = verified,
    .because =
        "the queue is never empty, and the freer waits for the lock until the newcomer is on it",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { newcomer_and_freer({.sample_under_lock = true}, with); },
};

// Seed 004 drops the lock to wake, and takes it again.
const scenario newcomer_drops_lock{
    .name = "log_grant.newcomer_drops_lock",
    .id = "C-lockdrop-seed-lockedsample",
    .expect = loses_wakeup,
    .because = "the freer sees the queue empty while the newcomer wakes the others",
    .parameters = {bytes_each},
    .body =
        [](const parameters& with) {
          newcomer_and_freer({.dequeue_when_woken = true, .sample_under_lock = true}, with);
        },
};

const scenario newcomer_drops_lock_recheck{
    .name = "log_grant.newcomer_drops_lock_recheck",
    .id = "C-lockdrop-seed-recheck",
    .expect = loses_wakeup,
    .because = "the newcomer's window is closed, the woken sleeper's before it queues again is not",
    .parameters = {bytes_each},
    .body =
        [](const parameters& with) {
          newcomer_and_freer({.dequeue_when_woken = true,
                              .sample_under_lock = true,
                              .recheck_when_queued = true,
                              .fences = true},
                             with);
        },
};

// --- one asleep, a thief, two freers -------------------------------------------------------------

void thief_and_freers(log_grant_rules rules, const parameters& with) {
  const int bytes = with["bytes"];
  log_grant_head grant{0, rules};
  log_ticket asleep{bytes};
  log_ticket robber{bytes};
  grant.put_to_sleep(asleep);
  std::optional<int> left;
  thread sleeper{[&] { left = grant.resume(asleep); }};
  thread thief{[&] { grant.try_reserve(robber); }};
  thread freer{[&] { grant.release(bytes); }};
  thread other_freer{[&] { grant.release(bytes); }};
  sleeper.join();
  thief.join();
  freer.join();
  other_freer.join();
  heddle::require(left.has_value(), "the sleeper was turned away");
}

const scenario stays_queued{
    .name = "log_grant.stays_queued",
    .id = "C-requeue-gap-base",
    .expect = verified,
    .because = "the ticket is on the queue until it is granted, so the second freer wakes it",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { thief_and_freers({}, with); },
};

// The third window of seed 004.
const scenario queues_again{
    .name = "log_grant.queues_again",
    .id = "C-requeue-gap-seed",
    .expect = loses_wakeup,
    .because = "the second freer finds the queue empty before the robbed sleeper is on it again",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { thief_and_freers({.dequeue_when_woken = true}, with); },
};

// --- one asleep, two freers ----------------------------------------------------------------------

void sleeper_and_freers(log_grant_rules rules, const parameters& with) {
  const int bytes = with["bytes"];
  log_grant_head grant{0, rules};
  log_ticket asleep{bytes};
  grant.put_to_sleep(asleep);
  thread sleeper{[&] { grant.resume(asleep); }};
  thread freer{[&] { grant.release(bytes); }};
  thread other_freer{[&] { grant.release(bytes); }};
  sleeper.join();
  freer.join();
  other_freer.join();
  heddle::require(grant.most_wakes_of_a_sleep() <= 1, "one sleep was ended twice");
}

// Long: "Multiple wakeups seems to be a possibility in the existing code too."
const scenario woken_twice{
    .name = "log_grant.woken_twice",
    .id = "C-doublewake-base",
    .expect = violation("one sleep was ended twice"),
    .because = "a woken ticket is still on the queue until its task has run",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { sleeper_and_freers({}, with); },
};

// What seed 004 is right about.
const scenario woken_once{
    .name = "log_grant.woken_once",
    .id = "C-doublewake-seed",
    .expect = verified,
    .because = "who collects the wake-up takes the ticket off the queue",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { sleeper_and_freers({.dequeue_when_woken = true}, with); },
};

}  // namespace
