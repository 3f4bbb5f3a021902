// Which location an address is: atomics and locks of one execution, by address.
//
// An object that is constructed in a body is the n-th of its thread; one in static storage is known
// by its address and registers at its first use. Both keys are independent of the schedule, and
// their dense numbers persist from execution to execution (shared/design/exploration.md 1.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "checker/graph/operation.hpp"
#include "checker/runtime/object_side.hpp"

namespace heddle::runtime {

class object_table {
 public:
  struct object {
    const void* address = nullptr;
    std::uint64_t execution = 0;  // the one it was registered in
    graph::location_id location = graph::no_location;
    graph::location_id static_location = graph::no_location;
    graph::object_kind kind = graph::object_kind::atomic;
    object_side side;
  };

  object_table() : slots_(64) {}

  // All objects are unknown again.
  void start_execution() { ++execution_; }

  // Null if nothing is registered at the address in this execution.
  object* find(const void* address) {
    object& slot = slot_of(address);
    return slot.execution == execution_ ? &slot : nullptr;
  }
  // The n-th object that the thread constructs in this execution is at the address.
  object& construct(const void* address, graph::thread_id thread, std::uint32_t n) {
    if (constructed_.size() <= thread) constructed_.resize(thread + 1);
    auto& mine = constructed_[thread];
    if (mine.size() <= n) mine.resize(n + 1, graph::no_location);
    if (mine[n] == graph::no_location) mine[n] = count_++;
    return enter(address, mine[n]);
  }
  // First use in this execution of an object that no constructor announced.
  object& first_use(const void* address) {
    object& slot = slot_of(address);
    if (slot.static_location == graph::no_location) {
      const graph::location_id made = count_++;
      object& entered = enter(address, made);
      entered.static_location = made;
      return entered;
    }
    return enter(address, slot.static_location);
  }
  graph::location_id count() const { return count_; }
  // Part number `n` of the object at `location` is a location of its own.
  graph::location_id part(graph::location_id location, std::uint32_t n, graph::object_kind kind) {
    if (parts_.size() <= location) parts_.resize(location + 1);
    auto& mine = parts_[location];
    if (mine.size() <= n) mine.resize(n + 1);
    if (mine[n].location == graph::no_location) mine[n].location = count_++;
    mine[n].kind = kind;
    return mine[n].location;
  }
  // What the location is in this execution. Looks at all objects: for reports.
  graph::object_kind kind(graph::location_id location) const {
    for (const object& o : slots_)
      if (o.execution == execution_ && o.location == location) return o.kind;
    const auto known = whole(location);
    return known ? parts_[known->location][known->n].kind : graph::object_kind::atomic;
  }
  // The part, or no_location if the object has never had it.
  graph::location_id find_part(graph::location_id whole, std::uint32_t n) const {
    return whole < parts_.size() && n < parts_[whole].size() ? parts_[whole][n].location
                                                             : graph::no_location;
  }
  // Calls f(location) for each part that the object has ever had.
  template <class F>
  void for_parts(graph::location_id whole, F&& f) const {
    if (whole >= parts_.size()) return;
    for (const part_entry& part : parts_[whole])
      if (part.location != graph::no_location) f(part.location);
  }
  // Which object's part number `n` the location is, if it is one: for reports.
  struct part_of {
    graph::location_id location;
    std::uint32_t n;
  };
  std::optional<part_of> whole(graph::location_id location) const {
    for (graph::location_id l = 0; l < parts_.size(); ++l)
      for (std::uint32_t n = 0; n < parts_[l].size(); ++n)
        if (parts_[l][n].location == location) return part_of{l, n};
    return {};
  }
  // The part of this kind, if the object has one.
  std::optional<graph::location_id> part_of_kind(graph::location_id whole,
                                                 graph::object_kind kind) const {
    for (const part_entry& part : parts_[whole])
      if (part.location != graph::no_location && part.kind == kind) return part.location;
    return {};
  }

 private:
  struct part_entry {
    graph::location_id location = graph::no_location;
    graph::object_kind kind = graph::object_kind::inner;
  };

  object& slot_of(const void* address) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t i = static_cast<std::size_t>(
                        (reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15u) >> 32) &
                    mask;
    while (slots_[i].address != nullptr && slots_[i].address != address) i = (i + 1) & mask;
    return slots_[i];
  }
  object& enter(const void* address, graph::location_id location) {
    if (object& known = slot_of(address);
        known.address == nullptr && (used_ + 1) * 2 > slots_.size())
      grow();
    object& slot = slot_of(address);
    if (slot.address == nullptr) ++used_;
    slot.address = address;
    slot.execution = execution_;
    slot.location = location;
    slot.kind = graph::object_kind::atomic;
    slot.side = {};
    return slot;
  }
  void grow() {
    std::vector<object> old(slots_.size() * 2);
    old.swap(slots_);
    for (const object& o : old)
      if (o.address != nullptr) slot_of(o.address) = o;
  }

  std::uint64_t execution_ = 1;
  std::size_t used_ = 0;
  std::vector<object> slots_;
  graph::location_id count_ = 0;
  std::vector<std::vector<graph::location_id>> constructed_;  // [thread][n]
  std::vector<std::vector<part_entry>> parts_;                // [location][n]
};

}  // namespace heddle::runtime
