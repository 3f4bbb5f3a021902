// A counterexample as plain data: what happened, row by row, and why it is wrong. Printers (text,
// json, ...) turn it into something to look at and need no graph.
//
// It is made from a graph and from what only the run knows: names, places, who waits for what.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checker/graph/execution_graph.hpp"
#include "checker/report/linearisation.hpp"

namespace heddle::report {

// "-1", "4000000000", "0x100000002": decimal, and hexadecimal beyond 32 bits. The size of the
// object is not known, so the last values below 2^32 are taken for small negative 32-bit ones.
std::string value_text(graph::value v);

// --- what the caller knows

struct waiting_thread {
  graph::thread_id thread = 0;
  // What it stands at: a join, an await, a lock. Empty: `reason` says it.
  std::optional<graph::operation> operation;
  std::string reason;  // "waits in await(pred)"
  std::string place;
};

struct thread_facts {
  std::string created_at;
  bool is_daemon = false;
};

struct run_facts {
  std::string kind;     // "assertion", "deadlock", ...
  std::string message;  // the violated condition
  std::string place;    // "models/backlog.hpp:41", like all places
  std::string other_place;
  std::string memory_model;                // "rc11", "tso", "sc"; orders are not shown for sc
  std::optional<graph::thread_id> thread;  // whose failure it is; empty: everybody's
  // Threads whose causal past is all that matters; empty: show everything, as for a deadlock.
  std::vector<graph::thread_id> ends;
  std::vector<thread_facts> threads;  // by thread id; may be short
  std::vector<waiting_thread> waiting;
  // Each may be empty.
  std::function<std::string(graph::event_id)> place_of;
  std::function<std::string(graph::location_id)> name_of;
  std::function<std::string(graph::location_id, graph::value)> text_of;
  // What a location is; a lock is recognised by how it is taken, too. Of a condition_slot also
  // whose it is.
  std::function<graph::object_kind(graph::location_id)> kind_of;
  std::function<graph::thread_id(graph::location_id)> sleeper_of;
  std::function<graph::location_id(graph::location_id)> condition_of;
  std::size_t max_states = 200'000;  // linearise_options
};

// --- the counterexample

enum class action : std::uint8_t {
  load,
  store,
  read_modify_write,
  compare_exchange,  // or another conditional operation
  await,             // a load or read-modify-write that waits for its condition
  pick,              // takes an element out of a set of bits
  lock,
  try_lock,
  unlock,
  synchronise,  // on any other object that is not an atomic: `phrase` says what
  wait,         // atomic wait; not succeeded: sleeps
  notify,
  fence,
  choice,
  spawn,
  join,
  end,  // of the thread; printers may leave it out
};

// Texts are empty where there is nothing to say.
struct row {
  std::uint32_t number = 0;  // from 1; 0 for `end`
  graph::event_id event;
  graph::thread_id thread = 0;
  action what = action::end;
  std::string verb;    // of a read_modify_write: fetch_add, exchange, ...; notify_one, notify_all
  std::string phrase;  // of synchronise, and of a choice that is not the body's
  std::string object;
  std::string read;  // values, also the one chosen
  std::string written;
  std::string operand;   // fetch_add's, compare_exchange's new value
  std::string expected;  // compare_exchange
  bool succeeded = true;
  graph::thread_id other = 0;  // spawn, join
  std::string order;           // "acquire", ...
  std::string place;
  bool is_stale = false;
  bool is_out_of_order = false;
  std::uint32_t newest = 0;  // of a marked row: the row of the newest write before it
};

struct initial_value {
  std::string object;
  std::string value;
};

struct sleeper {
  graph::thread_id thread = 0;
  std::string reason;  // "waits to lock b, held by thread 1 since #7"
  std::string place;
};

struct counterexample {
  std::string kind;
  std::string message;
  std::string place;
  std::string other_place;
  std::string memory_model;
  std::optional<graph::thread_id> thread;
  std::vector<thread_facts> threads;  // as many as there are threads
  std::vector<initial_value> initially;
  std::vector<row> rows;
  bool is_sequentially_consistent = true;
  bool is_shortest = true;
  std::vector<std::string> explanations;  // a sentence for each marked row
  std::vector<sleeper> sleepers;
};

counterexample make_counterexample(const graph::execution_graph& graph, const run_facts& facts);

}  // namespace heddle::report
