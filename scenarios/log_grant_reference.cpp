// The reference design for waiting for log space (catalogue part C).
//
// Each of its parts is needed: without the chain wake or without the waiter's fence somebody sleeps
// for ever next to the space it wants.

#include "models/log_grant_reference.hpp"

#include <heddle/check_functions.hpp>
#include <heddle/scenario.hpp>
#include <heddle/thread.hpp>
#include <memory>
#include <optional>

#include "models/log_ticket.hpp"

namespace {

using heddle::loses_wakeup;
using heddle::parameter;
using heddle::parameters;
using heddle::scenario;
using heddle::thread;
using heddle::verified;
using models::log_grant_reference;
using models::log_grant_reference_rules;
using models::log_ticket;

const parameter bytes_each{.name = "bytes", .value = 1, .min = 1, .max = 1000};

constexpr const char* too_much = "more log space was granted than there is";

// Both waiters come to a full log, in which space for both is freed: by two freers, or at once.
void two_waiters(log_grant_reference_rules rules, bool freed_at_once, const parameters& with) {
  const int bytes = with["bytes"];
  log_grant_reference grant{0, rules};
  log_ticket one{bytes, 0};
  log_ticket two{bytes, 1};
  std::optional<int> one_left;
  std::optional<int> two_left;
  thread first{[&] { one_left = grant.reserve(one); }};
  thread second{[&] { two_left = grant.reserve(two); }};
  thread freer{[&] { grant.release(freed_at_once ? 2 * bytes : bytes); }};
  if (!freed_at_once) grant.release(bytes);
  first.join();
  second.join();
  freer.join();
  heddle::require(one_left && two_left, "a ticket was turned away");
  heddle::require(one_left >= 0 && two_left >= 0, too_much);
}

const scenario two_freers{
    .name = "log_grant_reference.two_freers",
    .id = "C-ref-2w-2f",
    .expect = verified,
    .because = "a freer wakes the head if there is space for it, and who leaves wakes the next",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { two_waiters({}, false, with); },
};

const scenario chain_wake{
    .name = "log_grant_reference.chain_wake",
    .id = "C-ref-2w-1f2",
    .expect = verified,
    .because = "the first to leave sees that there is space for the second, and wakes it",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { two_waiters({}, true, with); },
};

const scenario no_chain_wake{
    .name = "log_grant_reference.no_chain_wake",
    .id = "C-ref-2w-1f2-nochain",
    .expect = loses_wakeup,
    .because = "the freer wakes the head alone, and nobody tells the second",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { two_waiters({.chain_wake = false}, true, with); },
};

const scenario no_fence{
    .name = "log_grant_reference.no_fence",
    .id = "C-ref-1w-nomb",
    .expect = {.sc = verified, .tso = loses_wakeup, .rc11 = loses_wakeup},
    .because = "the look at the space may pass the queueing before it: store buffering",
    .parameters = {bytes_each},
    .body =
        [](const parameters& with) {
          const int bytes = with["bytes"];
          log_grant_reference grant{0, {.waiter_fence = false}};
          log_ticket ticket{bytes};
          std::optional<int> left;
          thread waiter{[&] { left = grant.reserve(ticket); }};
          thread freer{[&] { grant.release(bytes); }};
          waiter.join();
          freer.join();
          heddle::require(left == 0, "the waiter did not get what was freed");
        },
};

// --- one asleep, a newcomer, a freer -------------------------------------------------------------

constexpr const char* waiter_granted = "the ticket that waits was granted";
constexpr const char* newcomer_granted = "the newcomer was granted";

void newcomer_in_order(int bytes, int freed) {
  struct shared {
    explicit shared(int bytes) : asleep{bytes, 0}, late{bytes, 1} {}
    log_grant_reference grant{0};
    log_ticket asleep;
    log_ticket late;
  };
  // Who is too late for the space sleeps for ever, so the threads keep what they use.
  const auto all = std::make_shared<shared>(bytes);
  all->grant.put_to_sleep(all->asleep);
  const auto go_on = [=] {
    if (all->grant.resume(all->asleep)) heddle::reached(waiter_granted);
  };
  const auto come = [=] {
    if (!all->grant.reserve(all->late)) return;
    const bool after = all->late.was_granted_after(all->asleep);
    heddle::require(after, "a newcomer was granted before the ticket that waits");
    heddle::reached(newcomer_granted);
  };
  heddle::daemon_thread(go_on).detach();
  heddle::daemon_thread(come).detach();
  thread freer{[&] { all->grant.release(freed); }};
  freer.join();
}

const scenario in_order{
    .name = "log_grant_reference.in_order",
    .id = "C-ref-fifo",
    .expect = verified,
    .sometimes = {waiter_granted},
    .because = "only the head of the queue takes space, and it leaves the queue after that",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { newcomer_in_order(with["bytes"], with["bytes"]); },
};

const scenario both_in_order{
    .name = "log_grant_reference.both_in_order",
    .expect = verified,
    .sometimes = {waiter_granted, newcomer_granted},
    .because = "with space for both the newcomer still waits for its turn",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { newcomer_in_order(with["bytes"], 2 * with["bytes"]); },
};

// --- shutdown ------------------------------------------------------------------------------------

const scenario shutdown{
    .name = "log_grant_reference.shutdown",
    .id = "C-ref-shutdown",
    .expect = verified,
    .because = "each look asks for shutdown under the lock that shutdown takes to wake all",
    .parameters = {bytes_each},
    .body =
        [](const parameters& with) {
          log_grant_reference grant{0};
          log_ticket one{with["bytes"], 0};
          log_ticket two{with["bytes"], 1};
          std::optional<int> one_left;
          std::optional<int> two_left;
          thread first{[&] { one_left = grant.reserve(one); }};
          thread second{[&] { two_left = grant.reserve(two); }};
          thread stopper{[&] { grant.shut_down(); }};
          first.join();
          second.join();
          stopper.join();
          heddle::require(!one_left && !two_left, "space was granted that is not there");
        },
};

const scenario shutdown_and_freer{
    .name = "log_grant_reference.shutdown_and_freer",
    .id = "C-ref-shutdown-free",
    .expect = verified,
    .sometimes = {"granted", "shut down"},
    .because = "whichever comes first, the waiter leaves",
    .parameters = {bytes_each},
    .body =
        [](const parameters& with) {
          const int bytes = with["bytes"];
          log_grant_reference grant{0};
          log_ticket ticket{bytes};
          std::optional<int> left;
          thread waiter{[&] { left = grant.reserve(ticket); }};
          thread stopper{[&] { grant.shut_down(); }};
          thread freer{[&] { grant.release(bytes); }};
          waiter.join();
          stopper.join();
          freer.join();
          heddle::reached(left ? "granted" : "shut down");
          heddle::require(!left || *left == 0, too_much);
        },
};

}  // namespace
