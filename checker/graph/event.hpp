// Events: what a thread did, one record each, and the identities they are known by.
//
// The record is the hot data of the engine and fits one cache line. Relations are fields: program
// order is the place in the thread's list, reads_from is a field of a read, modification order is
// the position of a write (execution_graph keeps the list). shared/design/exploration.md 1.2.
#pragma once

#include <cstdint>
#include <limits>

namespace heddle::graph {

using thread_id = std::uint32_t;    // dense, independent of the schedule
using location_id = std::uint32_t;  // one object's lifetime, not an address
using stamp = std::uint32_t;        // insertion order; only grows along a path

inline constexpr thread_id max_thread_count = 64;  // a set of threads is one word
inline constexpr location_id no_location = std::numeric_limits<location_id>::max();

// 128 raw bits, zero-extended from the object's own size. compare_exchange compares these bits.
struct value {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  friend constexpr bool operator==(value, value) = default;
};

enum class memory_order : std::uint8_t { relaxed, acquire, release, acq_rel, seq_cst };

constexpr bool is_acquire(memory_order order) {
  return order == memory_order::acquire || order >= memory_order::acq_rel;
}
constexpr bool is_release(memory_order order) { return order >= memory_order::release; }

// The i-th event of a thread, packed so that it is copied and compared as one number.
class event_id {
 public:
  constexpr event_id() = default;
  constexpr event_id(thread_id thread, std::uint32_t index) : packed_{thread << 24 | index} {}

  constexpr thread_id thread() const { return packed_ >> 24; }
  constexpr std::uint32_t index() const { return packed_ & 0xffffff; }
  constexpr bool is_initial() const { return packed_ == initial_packed; }

  friend constexpr bool operator==(event_id, event_id) = default;

 private:
  // The write that a constructor did: first in modification order, in everybody's past. Which
  // location's is known from the context.
  static constexpr std::uint32_t initial_packed = 0x7fffffff;

  std::uint32_t packed_ = initial_packed;
};

inline constexpr event_id initial_write{};
inline constexpr std::uint32_t max_events_of_a_thread = 0xffffff;

enum class event_kind : std::uint8_t {
  read,
  write,
  fence,
  choice,
  spawn,
  join,
  notify,
  end,
};

using clock_handle = std::uint32_t;      // a clock in the graph's pool; 0 is the zero clock
using operation_handle = std::uint32_t;  // an operation in the graph's pool; 0 is none

inline constexpr std::uint32_t unplaced = std::numeric_limits<std::uint32_t>::max();

struct event {
  event_kind kind = event_kind::end;
  memory_order order = memory_order::relaxed;
  bool is_rmw = false;                 // a half of a read-modify-write
  bool is_revisiter = false;           // a write that has performed a backward revisit; stays set
  location_id location = no_location;  // spawn, join: the other thread; choice: its reason
  event_id reads_from;                 // reads
  std::uint32_t position = unplaced;   // writes: place in modification order, 1 is after initial
  graph::stamp stamp = 0;
  // Index + 1 of the previous access by this thread to this location; 0: none.
  std::uint32_t previous_access = 0;
  value val;  // the value read, written or chosen; notify: how many, 0 all

  // Views, exploration.md 3. happens_before and porf leave out the event's own thread, whose
  // component is always index + 1; so a run of events that learns nothing shares one clock.
  clock_handle happens_before = 0;
  clock_handle porf = 0;
  clock_handle release = 0;          // writes: what an acquire read of it learns
  clock_handle acquire_pending = 0;  // what a later acquire fence learns
  clock_handle release_fence = 0;    // what a later relaxed write releases
  operation_handle operation = 0;    // all but plain loads: how to re-read
};

static_assert(sizeof(event) <= 72);

}  // namespace heddle::graph
