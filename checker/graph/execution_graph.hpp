// One execution, as a graph: events in program order, reads_from, modification_order, and the views
// that answer "is x happens-before e" and "is x in e's causal past" by one comparison.
//
// Invariants whenever user code runs (shared/design/exploration.md 5.1):
//   1. closed under program order and reads_from;
//   2. `sequence` holds every event and record by ascending stamp;
//   3. every write stands in its location's modification order;
//   4. the views of an event never change once it is in.
//
// The graph is cut back (`cut`) to what it was at an earlier stamp, or restricted into another
// graph; it is never copied event by event otherwise. It owns all it refers to. Not thread-safe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "checker/graph/clock.hpp"
#include "checker/graph/event.hpp"
#include "checker/graph/operation.hpp"

namespace heddle::graph {

// An await that was left unsatisfied: nothing of it is in the graph but this. exploration.md 5.9.
struct park_record {
  graph::stamp stamp;
  thread_id thread;
  std::uint32_t index;  // the await would be, or is, the thread's event of this index
  location_id location;
  event_id mark;     // the write whose revisit parked it; initial_write: none
  graph::stamp bar;  // writes with an earlier stamp may not be read by this await any more

  bool marked() const { return !mark.is_initial(); }
};

// Which rules make hb out of reads_from; the models share the rest of the views.
enum class synchronisation : std::uint8_t {
  by_order,      // release and acquire, C++20
  by_order_c11,  // as C++11 to C++17: a release sequence goes on with its thread's plain stores
  always,        // sequential consistency: every reads_from
};

// An element of the insertion order: an event or a record.
class sequence_entry {
 public:
  static sequence_entry of(event_id id) { return {id, 0}; }
  static sequence_entry of_record(std::uint32_t index) { return {event_id{}, index + 1}; }
  bool is_record() const { return record_ != 0; }
  std::uint32_t record() const { return record_ - 1; }
  event_id event() const { return event_; }

 private:
  sequence_entry(event_id event, std::uint32_t record) : event_{event}, record_{record} {}
  event_id event_;
  std::uint32_t record_;
};

class execution_graph {
 public:
  explicit execution_graph(synchronisation rule = synchronisation::by_order) : rule_{rule} {}

  void clear();

  // --- events

  // Threads 0..thread_count()-1 may have events; a thread may have none.
  std::uint32_t thread_count() const { return thread_count_; }
  std::uint32_t size(thread_id thread) const {
    return thread < thread_count_ ? static_cast<std::uint32_t>(threads_[thread].events.size()) : 0;
  }
  const event& operator[](event_id id) const { return threads_[id.thread()].events[id.index()]; }
  std::span<const event> events(thread_id thread) const { return threads_[thread].events; }
  // The spawn event of the thread; initial_write for thread 0 and threads not spawned here.
  event_id spawned_by(thread_id thread) const {
    return thread < thread_count_ ? threads_[thread].spawn : initial_write;
  }
  bool has_ended(thread_id thread) const {
    return size(thread) != 0 && threads_[thread].events.back().kind == event_kind::end;
  }
  std::uint32_t event_count() const { return static_cast<std::uint32_t>(sequence_.size()); }
  std::span<const sequence_entry> sequence() const { return sequence_; }
  stamp next_stamp() const { return clock_; }
  synchronisation rule() const { return rule_; }

  // --- locations

  std::uint32_t location_count() const { return location_count_; }
  // The location exists, with this initial value, from now on.
  void set_initial(location_id location, value initial);
  value initial(location_id location) const { return locations_[location].initial; }
  std::span<const event_id> modification_order(location_id location) const {
    return locations_[location].order;
  }
  std::span<const event_id> reads(location_id location) const { return locations_[location].reads; }
  // The last write of the modification order.
  event_id latest(location_id location) const {
    const auto& order = locations_[location].order;
    return order.empty() ? initial_write : order.back();
  }
  std::uint32_t position(event_id write) const {
    return write.is_initial() ? 0 : (*this)[write].position;
  }
  event_id at_position(location_id location, std::uint32_t position) const {
    return position == 0 ? initial_write : locations_[location].order[position - 1];
  }
  value value_of(location_id location, event_id write) const {
    return write.is_initial() ? initial(location) : (*this)[write].val;
  }
  // Index + 1 of the thread's last access to the location; 0: none.
  std::uint32_t last_access(thread_id thread, location_id location) const {
    const auto& last = threads_[thread].last_access;
    return location < last.size() ? last[location] : 0;
  }
  // Threads that may have accessed the location (a superset).
  bool may_access(location_id location, thread_id thread) const {
    return locations_[location].touched >> thread & 1;
  }

  // --- views

  const clock_pool& clocks() const { return clocks_; }
  // What the event itself includes: itself and all before it.
  view happens_before(event_id id) const { return view_of((*this)[id].happens_before, id); }
  view causal_past(event_id id) const { return view_of((*this)[id].porf, id); }
  // What the thread's first `count` events include.
  view happens_before_after(thread_id thread, std::uint32_t count) const;
  // What the next event of the thread would include, before it reads anything.
  view happens_before_next(thread_id thread) const {
    return happens_before_after(thread, size(thread));
  }
  view causal_past_next(thread_id thread) const;

  // --- growing

  // Each appends an event to the thread with the next stamp, or the one given, and computes its
  // views. A read that can write or block, or whose order depends on the value, keeps its
  // operation.
  event_id append_read(thread_id thread, const operation& op, event_id source);
  event_id append_read(thread_id thread, const operation& op, event_id source, stamp at);
  // Not yet in modification order: `place` follows.
  event_id append_write(thread_id thread, location_id location, memory_order order, value val,
                        bool is_rmw);
  event_id append_fence(thread_id thread, memory_order order);
  event_id append_choice(thread_id thread, std::uint32_t chosen, choice_reason reason);
  event_id append_notify(thread_id thread, location_id location, std::uint32_t count);
  event_id append_spawn(thread_id thread, thread_id spawned);
  event_id append_join(thread_id thread, thread_id ended);
  event_id append_end(thread_id thread);

  // Inserts the write into modification order at this position, 1 the first.
  void place(event_id write, std::uint32_t position);
  void remove_from_order(event_id write);
  void choose_again(event_id choice, std::uint32_t chosen);

  const operation& operation_of(event_id read) const {
    return operations_[(*this)[read].operation];
  }

  // --- parked awaits

  std::span<const park_record> records() const { return records_; }
  // The records of the await that is, or would be, event `index` of the thread.
  template <class F>
  void for_records_of(thread_id thread, std::uint32_t index, F&& f) const {
    for (const park_record& record : records_)
      if (record.thread == thread && record.index == index) f(record);
  }
  // Records that the thread's next operation, an await, waits from now on.
  void park(thread_id thread, location_id location, event_id mark, stamp at, stamp bar);

  // --- going back

  // Removes every event and record with this stamp or a later one.
  void cut(stamp from);

  // Makes this graph the part of `whole` that a backward revisit of `read` by `write` keeps,
  // without `read`: exploration.md 5.4. `write` is kept, not in modification order, and is a
  // revisiter.
  void restrict_to_revisit(const execution_graph& whole, event_id read, event_id write);

 private:
  struct thread_events {
    std::vector<event> events;
    std::vector<std::uint32_t> last_access;  // by location
    event_id spawn;
    clock_handle start_happens_before = 0;
    clock_handle start_porf = 0;

    void clear();
  };
  struct location_state {
    value initial;
    std::uint64_t touched = 0;  // set of threads
    std::vector<event_id> order;
    std::vector<event_id> reads;

    void clear();
  };

  event& at(event_id id) { return threads_[id.thread()].events[id.index()]; }
  view view_of(clock_handle clock, event_id id) const {
    return {clocks_[clock], id.thread(), id.index() + 1};
  }
  // What the thread's last event, or its spawn, hands on.
  event inherited(thread_id thread) const;
  event_id append(thread_id thread, const event& e, stamp at);
  void link_access(thread_id thread, event& e);
  void remove(event_id id);
  void ensure_thread(thread_id thread);
  void ensure_location(location_id location);
  clock_handle explicit_clock(clock_handle clock, thread_id own, std::uint32_t own_count);
  clock_handle joined(clock_handle clock, clock_handle other);
  clock_handle released_by_earlier_write(thread_id thread, const event& e);
  void read_views(thread_id thread, event& e);

  synchronisation rule_;
  stamp clock_ = 0;
  // Both keep what they have allocated when the counts go down.
  std::vector<thread_events> threads_;
  std::vector<location_state> locations_;
  std::uint32_t thread_count_ = 0;
  std::uint32_t location_count_ = 0;
  std::vector<sequence_entry> sequence_;
  std::vector<clock_handle> clock_marks_;  // by element of sequence_: clocks in use before it
  clock_pool clocks_;
  std::vector<operation> operations_{1};
  std::vector<park_record> records_;
  std::vector<clock_handle> moved_;  // scratch of restrict_to_revisit: clock of whole -> clock here
};

}  // namespace heddle::graph
