// Which drains of a backlog are exact: every way to take the amount, with every way to add to it.
//
// The claim: a drain is exact if and only if every add is one atomic read-modify-write and the
// counted amount leaves in one read-modify-write that cannot remove anything else, that is an
// exchange, a successful compare_exchange, or a fetch_sub of the value read while a mutex keeps
// other drainers out.

#include <heddle/check_functions.hpp>
#include <heddle/scenario_table.hpp>
#include <heddle/thread.hpp>

#include "models/shrinker_backlog.hpp"

namespace {

using heddle::scenario_table;
using heddle::thread;
using models::adder;
using models::drain;
using models::shrinker_backlog;

enum class drainers { under_the_mutex, together };

// Five objects are deferred, two more come, and two drain meanwhile.
template <drain Drain, adder Adder, drainers How>
void drain_and_add() {
  constexpr int at_start = 5;
  constexpr int added = 2;
  shrinker_backlog<Drain, Adder> backlog{at_start};
  const auto take = [&backlog] {
    return How == drainers::under_the_mutex ? backlog.take_alone() : backlog.take();
  };
  int first = 0;
  int second = 0;
  thread adds{[&] { backlog.defer(added); }};
  thread drains{[&] { first = take(); }};
  second = take();
  adds.join();
  drains.join();
  const int left = backlog.deferred();
  heddle::require(left >= 0, "negative");
  const int found = first + second + left;
  heddle::require(found >= at_start + added, "lost");
  heddle::require(found <= at_start + added, "counted twice");
}

// Exact with an atomic add, or not, under the mutex and without it; with a plain add never.
template <drain Drain>
scenario_table::row row_of(std::string_view name, bool alone, bool together) {
  return {name,
          {{alone, drain_and_add<Drain, adder::fetch_add, drainers::under_the_mutex>},
           {together, drain_and_add<Drain, adder::fetch_add, drainers::together>},
           {false, drain_and_add<Drain, adder::load_then_store, drainers::under_the_mutex>},
           {false, drain_and_add<Drain, adder::load_then_store, drainers::together>}}};
}

const scenario_table exact_drains{
    .family = "backlog",
    .title = "Is the drain exact?",
    .holds = "exact",
    .corner = "drain",
    .columns = {"add: RMW; mutex", "add: RMW; no mutex", "add: load, store; mutex",
                "add: load, store; no mutex"},
    .rows = {row_of<drain::read_then_set>("read, then set to 0", false, false),
             row_of<drain::compare_exchange_ignored>("cmpxchg once, ignored", false, false),
             row_of<drain::compare_exchange_once>("cmpxchg once, checked", true, true),
             row_of<drain::compare_exchange_loop>("cmpxchg loop", true, true),
             row_of<drain::exchange>("exchange", true, true),
             row_of<drain::fetch_sub>("fetch_sub of the value read", true, false)},
};

}  // namespace
