// An execution graph of the oracle: events in the order in which they were added, a source write
// for each read (rf) and the order of the writes of each location (co). The events 0 .. L-1 are the
// initial writes of the L locations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "checker/litmus/program.hpp"
#include "tests/oracle/relation.hpp"

namespace heddle::oracle {

inline constexpr int max_threads = 8;
inline constexpr int max_locations = 8;
inline constexpr int max_writes = 31;  // of one location

enum class event_kind : std::uint8_t { read, write, fence, choice, spawn, join, begin, end };

struct event {
  event_kind kind = event_kind::fence;
  litmus::memory_order order = litmus::memory_order::relaxed;
  std::int8_t thread = litmus::none;    // none: an initial write
  std::int8_t location = litmus::none;  // of a read or a write
  // The event this one depends on: the write a read takes its value from, the read half of a
  // read-modify-write's write, the spawn of a begin, the end of a join.
  std::int8_t source = litmus::none;
  std::int8_t number = 0;  // of a write or an end: how many writes of its thread stand before it
  bool is_update = false;  // a half of a read-modify-write
  std::int64_t value = 0;  // read, written or chosen
};

struct write_order {
  std::array<std::int8_t, max_writes> writes{};  // those below size
  std::int8_t size = 0;
};

struct execution {
  int size = 0;
  int locations = 0;
  std::array<event, max_events> events{};            // those below size
  std::array<write_order, max_locations> co{};       // without the initial write
  std::array<std::int8_t, max_threads> writes_of{};  // how many

  [[nodiscard]] const event& at(int id) const { return events[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const write_order& order_of(int location) const {
    return co[static_cast<std::size_t>(location)];
  }
  // The last write of a location; an initial write if there is no other.
  [[nodiscard]] int last_write(int location) const;

  int append(event what);  // throws std::length_error when full
  void place(int write, int position);
};

[[nodiscard]] execution initial_execution(const litmus::program& source);

// The canonical text of a graph, the same for every order in which its events were added:
//
//   W x=1; W y=2 | R y=2@0.1; C 1; F; R x=0@init # x: 0.0; y: 0.1
//
// Threads in the order of the program, separated by " | ", each a list of its events in program
// order, separated by "; ". Behind " # " the locations that were written, in the order of
// program::locations, separated by "; ", each with its writes in coherence order.
//   R loc=val@source  a read; the source is `init`, or `t.i` for the i-th write (from 0) of thread
//   t W loc=val         a write; a read-modify-write is its R and then its W F                 a
//   fence of any order C val             a choice: of `choice(n)` the value, of `pick` (between its
//   R and its W) the
//                     position of the bit it took among the bits set, from 0 for the lowest
// Spawn, join, begin and end are left out, and so are plain (.na) accesses: writes are numbered and
// ordered as if those did not exist. A thread without events is an empty list, so the text of an
// execution without any events of a program of two threads is " |  # ".
[[nodiscard]] std::string canonical_text(const execution& graph, const litmus::program& source);

}  // namespace heddle::oracle
