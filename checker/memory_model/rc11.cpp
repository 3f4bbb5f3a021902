// RC11: C++20's memory model without out-of-thin-air values (Lahav, Vafeiadis, Kang, Hur, Dreyer,
// PLDI'17). Coherence and atomicity hold by construction of the candidates; what is left is that
// the partial order of sequentially consistent events, psc, is acyclic.
//
// psc is computed on the accesses and fences of order seq_cst from views and levels instead of
// relations: shared/design/exploration.md 4, "Fast psc".
#include <algorithm>
#include <limits>
#include <vector>

#include "checker/memory_model/memory_model.hpp"

namespace heddle::memory_model {
namespace {

using graph::event;
using graph::event_id;
using graph::event_kind;
using graph::execution_graph;
using graph::location_id;
using graph::thread_id;

// (x, y) is in eco, for accesses of one location, exactly if level(x) < level(y).
using level = std::int64_t;
constexpr level no_level = -1;
constexpr level beyond = std::numeric_limits<level>::max();

class partial_sc {
 public:
  explicit partial_sc(const execution_graph& graph) : graph_{graph} {
    for (thread_id t = 0; t < graph.thread_count(); ++t) {
      for (std::uint32_t i = 0; i < graph.size(t); ++i) {
        const event& e = graph.events(t)[i];
        if (e.order != graph::memory_order::seq_cst) continue;
        if (e.kind == event_kind::fence) {
          fence_of_.push_back(static_cast<int>(fences_.size()));
          fences_.push_back(reach_of({t, i}));
        } else if (e.kind == event_kind::read || (e.kind == event_kind::write && placed(e))) {
          fence_of_.push_back(-1);
        } else {
          continue;
        }
        nodes_.push_back({t, i});
      }
    }
  }

  bool is_cyclic() {
    if (nodes_.size() < 2) return false;
    state_.assign(nodes_.size(), unseen);
    for (std::size_t n = 0; n < nodes_.size(); ++n)
      if (state_[n] == unseen && closes_cycle(n)) return true;
    return false;
  }

 private:
  enum node_state : std::uint8_t { unseen, open, closed };

  // What a fence's past and future have seen of each location.
  struct reach {
    std::vector<level> lowest_after;       // levels of accesses strictly hb-after
    std::vector<level> highest_before;     // levels of accesses strictly hb-before
    std::vector<level> last_write_before;  // positions of writes strictly hb-before
  };

  static bool placed(const event& e) { return e.position != graph::unplaced; }
  static bool is_access(const event& e) {
    return e.kind == event_kind::read || e.kind == event_kind::write;
  }
  level level_of(const event& e) const {
    return e.kind == event_kind::write ? 2 * level{e.position}
                                       : 2 * level{graph_.position(e.reads_from)} + 1;
  }
  bool skipped(const event& e) const {
    return !is_access(e) || (e.kind == event_kind::write && !placed(e));
  }
  bool happens_before(event_id a, event_id b) const {
    return a != b && graph_.happens_before(b).contains(a);
  }
  // What precedes the event in its thread includes: its predecessor's view, or its spawn's.
  graph::view view_before(event_id id) const {
    if (id.index() != 0) return graph_.happens_before({id.thread(), id.index() - 1});
    return start_of(id.thread());
  }
  graph::view start_of(thread_id thread) const {
    const event_id spawn = graph_.spawned_by(thread);
    if (spawn.is_initial()) return {graph_.clocks()[0], thread, 0};
    return graph_.happens_before(spawn);
  }

  reach reach_of(event_id fence) const {
    reach r;
    const std::size_t locations = graph_.location_count();
    r.lowest_after.assign(locations, beyond);
    r.highest_before.assign(locations, no_level);
    r.last_write_before.assign(locations, no_level);
    const graph::view past = graph_.happens_before(fence);
    for (thread_id t = 0; t < graph_.thread_count(); ++t) {
      const auto events = graph_.events(t);
      for (auto i = static_cast<std::uint32_t>(events.size()); i-- > 0;) {
        const event_id id{t, i};
        if (id == fence || !graph_.happens_before(id).contains(fence)) break;
        const event& e = events[i];
        if (skipped(e)) continue;
        level& lowest = r.lowest_after[e.location];
        lowest = std::min(lowest, level_of(e));
      }
      for (std::uint32_t i = 0; i < past[t]; ++i) {
        const event& e = events[i];
        if (skipped(e)) continue;
        level& highest = r.highest_before[e.location];
        highest = std::max(highest, level_of(e));
        if (e.kind == event_kind::write)
          r.last_write_before[e.location] =
              std::max(r.last_write_before[e.location], level{e.position});
      }
    }
    return r;
  }

  bool edge(std::size_t from, std::size_t to) const {
    const event_id a = nodes_[from];
    const event_id b = nodes_[to];
    if (a == b) return false;
    if (a.thread() == b.thread() && a.index() < b.index()) return true;
    const event& ea = graph_[a];
    const event& eb = graph_[b];
    if (fence_of_[from] >= 0) {
      const reach& ra = fences_[static_cast<std::size_t>(fence_of_[from])];
      return fence_of_[to] >= 0
                 ? fence_to_fence(a, ra, b, fences_[static_cast<std::size_t>(fence_of_[to])])
                 : fence_to_access(a, ra, b, eb);
    }
    return fence_of_[to] >= 0
               ? access_to_fence(a, ea, b, fences_[static_cast<std::size_t>(fence_of_[to])])
               : access_to_access(a, ea, b, eb);
  }

  bool fence_to_fence(event_id a, const reach& ra, event_id b, const reach& rb) const {
    if (happens_before(a, b)) return true;
    for (std::size_t l = 0; l < ra.lowest_after.size(); ++l) {
      const level lowest = ra.lowest_after[l];
      if (lowest == beyond) continue;
      if (lowest < rb.highest_before[l] || lowest / 2 < rb.last_write_before[l]) return true;
    }
    return false;
  }

  bool fence_to_access(event_id a, const reach& ra, event_id b, const event& eb) const {
    if (view_before(b).contains(a)) return true;
    if (happens_before(a, b) && last_access_follows(b, eb.location, [&](event_id c) {
          return c != b && happens_before(a, c);
        }))
      return true;
    const level lowest = ra.lowest_after[eb.location];
    return eb.kind == event_kind::write && lowest != beyond && lowest / 2 < level{eb.position};
  }

  bool access_to_fence(event_id a, const event& ea, event_id b, const reach& rb) const {
    const graph::view past = graph_.happens_before(b);
    if (past[a.thread()] > a.index() + 1) return true;
    if (happens_before(a, b) && last_access_follows(b, ea.location, [&](event_id d) {
          return d != a && happens_before(a, d);
        }))
      return true;
    return rb.last_write_before[ea.location] > level_of(ea) / 2;
  }

  // Does `test` hold for some thread's last access of the location within hb(b)?
  template <class Test>
  bool last_access_follows(event_id b, location_id location, const Test& test) const {
    const graph::view past = graph_.happens_before(b);
    for (thread_id t = 0; t < graph_.thread_count(); ++t) {
      const std::uint32_t count = past[t];
      std::uint32_t access = graph_.last_access(t, location);
      while (access > count) access = graph_.events(t)[access - 1].previous_access;
      // `b` itself is within its own past; the access before it is not the last, but the test
      // excludes only b
      if (access != 0 && test(event_id{t, access - 1})) return true;
    }
    return false;
  }

  bool access_to_access(event_id a, const event& ea, event_id b, const event& eb) const {
    if (ea.location == eb.location) {
      if (happens_before(a, b)) return true;
      if (eb.kind == event_kind::write && level_of(ea) / 2 < level{eb.position}) return true;
    }
    // sb to another location, hb, sb from another location
    const auto after = graph_.events(a.thread());
    std::uint32_t c = a.index() + 1;
    while (c < after.size() && is_access(after[c]) && after[c].location == ea.location) ++c;
    if (c >= after.size()) return false;
    const event_id first{a.thread(), c};
    const auto before = graph_.events(b.thread());
    std::uint32_t d = b.index();
    while (d > 0 && is_access(before[d - 1]) && before[d - 1].location == eb.location) --d;
    if (d == 0) return start_of(b.thread()).contains(first);
    return happens_before(first, {b.thread(), d - 1});
  }

  bool closes_cycle(std::size_t n) {
    state_[n] = open;
    for (std::size_t m = 0; m < nodes_.size(); ++m) {
      if (state_[m] == closed || !edge(n, m)) continue;
      if (state_[m] == open || closes_cycle(m)) return true;
    }
    state_[n] = closed;
    return false;
  }

  const execution_graph& graph_;
  std::vector<event_id> nodes_;
  std::vector<int> fence_of_;  // by node: index into fences_, or -1
  std::vector<reach> fences_;
  std::vector<node_state> state_;
};

class rc11 final : public memory_model {
 public:
  explicit rc11(release_sequences sequences)
      : rule_{sequences == release_sequences::cpp20 ? graph::synchronisation::by_order
                                                    : graph::synchronisation::by_order_c11} {}

  std::string_view name() const override { return "rc11"; }
  graph::synchronisation rule() const override { return rule_; }

  bool consistent(const execution_graph& graph, std::span<const event_id>) const override {
    return !partial_sc{graph}.is_cyclic();
  }

 private:
  graph::synchronisation rule_;
};

}  // namespace

std::unique_ptr<memory_model> make_rc11(release_sequences sequences) {
  return std::make_unique<rc11>(sequences);
}

}  // namespace heddle::memory_model
