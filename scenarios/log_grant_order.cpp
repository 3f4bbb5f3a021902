// In which order waiters for log space are served, and how often they are woken: seed 004
// (catalogue part C).
//
// A ticket that stays queued until it is granted keeps its place, but is woken by everyone who
// passes. The posted patch wakes once, and lets newcomers overtake. A mark on the ticket gives
// both.

#include <heddle/check_functions.hpp>
#include <heddle/scenario.hpp>
#include <heddle/thread.hpp>
#include <memory>

#include "models/log_grant.hpp"
#include "models/log_ticket.hpp"

namespace {

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

// Three tickets, in the order in which they come; at first there is no space. Who is too late for
// it sleeps for ever, so the threads keep what they use.
struct tickets {
  tickets(int bytes, log_grant_rules rules)
      : grant{0, rules}, first{bytes, 0}, second{bytes, 1}, third{bytes, 2} {}

  log_grant_head grant;
  log_ticket first;
  log_ticket second;
  log_ticket third;
};

std::shared_ptr<tickets> three_tickets(const parameters& with, log_grant_rules rules) {
  return std::make_shared<tickets>(with["bytes"], rules);
}

// --- one asleep, a newcomer, a freer -------------------------------------------------------------

constexpr const char* overtaken = "a newcomer was granted before the ticket that waits";
constexpr const char* newcomer_granted = "the newcomer was granted";

void newcomer_in_order(log_grant_rules rules, const parameters& with) {
  const int bytes = with["bytes"];
  const auto all = three_tickets(with, rules);
  all->grant.put_to_sleep(all->first);
  const auto come = [=] {
    if (!all->grant.reserve(all->second)) return;
    heddle::require(all->second.was_granted_after(all->first), overtaken);
    heddle::reached(newcomer_granted);
  };
  heddle::daemon_thread([=] { all->grant.resume(all->first); }).detach();
  heddle::daemon_thread(come).detach();
  thread freer{[&] { all->grant.release(bytes); }};
  freer.join();
}

// v4.18.
const scenario in_order{
    .name = "log_grant.in_order",
    .id = "C-fifo-base",
    .expect = verified,
    .sometimes = {newcomer_granted},
    .because = "until the ticket is granted the queue is not empty, and newcomers join it",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { newcomer_in_order({}, with); },
};

const scenario overtaken_once{
    .name = "log_grant.overtaken",
    .id = "C-fifo-seed",
    .expect = violation(overtaken),
    .because = "the queue is empty while the woken task is not running yet",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { newcomer_in_order({.dequeue_when_woken = true}, with); },
};

// --- one asleep, space freed twice ---------------------------------------------------------------

constexpr const char* overtaken_again = "the ticket that waits was overtaken twice";

// One newcomer comes twice, and may be granted twice.
void newcomer_comes_twice(log_grant_rules rules, const parameters& with) {
  const int bytes = with["bytes"];
  const auto all = three_tickets(with, rules);
  all->grant.put_to_sleep(all->first);
  const auto come_twice = [=] {
    if (!all->grant.reserve(all->second)) return;
    if (!all->grant.reserve(all->third)) return;
    heddle::require(all->third.was_granted_after(all->first), overtaken_again);
    heddle::reached(newcomer_granted);
  };
  const auto free_twice = [=] {
    all->grant.release(bytes);
    all->grant.release(bytes);
  };
  heddle::daemon_thread([=] { all->grant.resume(all->first); }).detach();
  heddle::daemon_thread(come_twice).detach();
  thread freer{free_twice};
  freer.join();
}

const scenario twice_in_order{
    .name = "log_grant.twice_in_order",
    .id = "C-starve2-base",
    .expect = verified,
    .sometimes = {newcomer_granted},
    .because =
        "it may pass if there is space for both, and once it has taken its share there is not",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { newcomer_comes_twice({}, with); },
};

const scenario starved{
    .name = "log_grant.starved",
    .id = "C-starve2-seed",
    .expect = violation(overtaken_again),
    .because = "robbed after each wake-up, the ticket queues again at the tail",
    .parameters = {bytes_each},
    .body =
        [](const parameters& with) { newcomer_comes_twice({.dequeue_when_woken = true}, with); },
};

// Two newcomers, and space for two.
void two_newcomers(log_grant_rules rules, const parameters& with) {
  const int bytes = with["bytes"];
  const auto all = three_tickets(with, rules);
  all->grant.put_to_sleep(all->first);
  const auto come = [=](log_ticket& mine, const log_ticket& other) {
    if (!all->grant.reserve(mine)) return;
    const bool is_third = mine.was_granted_after(other) && !mine.was_granted_after(all->first);
    heddle::require(!is_third, overtaken_again);
  };
  heddle::daemon_thread([=] { all->grant.resume(all->first); }).detach();
  heddle::daemon_thread([=] { come(all->second, all->third); }).detach();
  heddle::daemon_thread([=] { come(all->third, all->second); }).detach();
  thread freer{[&] { all->grant.release(2 * bytes); }};
  freer.join();
}

// Not in the catalogue, whose newcomer is one that comes twice.
const scenario two_newcomers_base{
    .name = "log_grant.two_newcomers",
    .expect = violation(overtaken_again),
    .because = "both go by the space there is before the other has taken its share",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { two_newcomers({.sample_under_lock = true}, with); },
};

// --- two asleep, a stray wake-up, a freer --------------------------------------------------------

constexpr const char* not_in_order = "the second in the queue was granted before the first";

void stray_wakeup(log_grant_rules rules, const parameters& with) {
  const int bytes = with["bytes"];
  const auto all = three_tickets(with, rules);
  all->grant.put_to_sleep(all->first);
  all->grant.put_to_sleep(all->second);
  const auto go_on = [=] {
    if (!all->grant.resume(all->second)) return;
    heddle::require(all->second.was_granted_after(all->first), not_in_order);
  };
  const auto first = [=] {
    if (all->grant.resume(all->first)) heddle::reached("the first was granted");
  };
  heddle::daemon_thread(first).detach();
  heddle::daemon_thread(go_on).detach();
  thread stray{[&] { all->second.task.wake_up_process(); }};
  thread freer{[&] { all->grant.release(bytes); }};
  stray.join();
  freer.join();
}

const scenario stray_takes_it{
    .name = "log_grant.stray_takes_it",
    .id = "C-spurious-fifo-base",
    .expect = violation(not_in_order),
    .because = "whoever is awake looks at the space, the first in the queue or not",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { stray_wakeup({}, with); },
};

// What seed 004 is right about, too.
const scenario stray_sleeps_on{
    .name = "log_grant.stray_sleeps_on",
    .id = "C-spurious-fifo-seed",
    .expect = verified,
    .sometimes = {"the first was granted"},
    .because = "who is still queued was not woken for space, and sleeps again",
    .parameters = {bytes_each},
    .body = [](const parameters& with) { stray_wakeup({.dequeue_when_woken = true}, with); },
};

// --- two asleep, two freers ----------------------------------------------------------------------

// A mark on the ticket instead of taking it off the queue.
const scenario marked{
    .name = "log_grant.marked",
    .id = "C-wakeflag",
    .expect = verified,
    .because = "a marked ticket keeps its place, counts as served and is not woken again",
    .parameters = {bytes_each},
    .body =
        [](const parameters& with) {
          const int bytes = with["bytes"];
          log_grant_head grant{0, {.mark_woken = true}};
          log_ticket first{bytes, 0};
          log_ticket second{bytes, 1};
          grant.put_to_sleep(first);
          grant.put_to_sleep(second);
          thread one{[&] { grant.resume(first); }};
          thread two{[&] { grant.resume(second); }};
          thread freer{[&] { grant.release(bytes); }};
          thread other_freer{[&] { grant.release(bytes); }};
          one.join();
          two.join();
          freer.join();
          other_freer.join();
          heddle::require(grant.most_wakes_of_a_sleep() <= 1, "one sleep was ended twice");
        },
};

}  // namespace
