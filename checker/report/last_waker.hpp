// Why a sleeper was not woken: the last event that could have done it, and what came of it.
#pragma once

#include <optional>
#include <string>

#include "checker/graph/execution_graph.hpp"

namespace heddle::report {

// A thread that waits for ever, and for what.
struct sleep {
  graph::thread_id thread = 0;
  graph::operation operation;  // its location filled in
  // Of a sleeper in a condition variable or a futex: the set of waiting threads.
  graph::location_id condition = graph::no_location;
};

// Does it sleep until somebody wakes it, rather than until something is free or has a value?
bool is_sleep(const graph::operation& op);

struct waker {
  enum class what : std::uint8_t {
    nobody,          // no event could have woken it
    too_early,       // it was not asleep yet
    woke_it_before,  // from an earlier wait of its
    woke_another,    // another waiter took it
    value_unchanged  // the value it waits for had not changed
  };
  what came_of_it = what::nobody;
  graph::event_id event;
  std::optional<graph::thread_id> other;  // of woke_another, if known
};

waker last_waker(const graph::execution_graph& graph, const sleep& s);

// Is it known that somebody has woken, or should have: a wake-up was tried, or the value changed?
bool was_to_be_woken(const graph::execution_graph& graph, const sleep& s);

// "the last notify, #7 of thread 2, came when it was not asleep yet"; `mention` names the event.
std::string text_of(const waker& w, const graph::operation& op, const std::string& mention);

}  // namespace heddle::report
