#include "checker/search/wait_notify.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "checker/memory_model/candidates.hpp"

namespace heddle::search {

namespace {

using graph::event;
using graph::event_id;
using graph::event_kind;
using graph::execution_graph;
using graph::location_id;
using graph::thread_id;

// Is there an order of the events in which no notify has a sleeper to wake, or each that has one
// wakes another wait? What decides that is an order between notifies and writes, which the graph
// does not have: it is chosen here, notify by notify.
class judge {
 public:
  judge(const memory_model::memory_model& model, const execution_graph& graph,
        std::span<const thread_id> sleepers)
      : model_{model}, graph_{graph} {
    for (const thread_id t : sleepers) {
      const event_id read{t, graph.size(t) - 1};
      sleepers_.push_back(read);
      const location_id location = graph[read].location;
      if (std::find(locations_.begin(), locations_.end(), location) == locations_.end())
        locations_.push_back(location);
    }
    for (thread_id t = 0; t < graph.thread_count(); ++t)
      for (std::uint32_t i = 0; i < graph.size(t); ++i) {
        const event& e = graph.events(t)[i];
        if (e.kind == event_kind::notify && is_judged(e.location)) notifies_.push_back({t, i});
      }
    for (const location_id location : locations_) find_naps(location);
  }

  bool sleep_on() { return place(0); }

 private:
  struct edge {
    event_id from;
    event_id to;
  };
  // A sleep of a wait before the one that its read stands for: it had read the write of this
  // position.
  struct nap {
    event_id wait;
    std::uint32_t position;
    std::optional<event_id> woken_by;
  };

  bool is_judged(location_id location) const {
    return std::find(locations_.begin(), locations_.end(), location) != locations_.end();
  }

  void find_naps(location_id location) {
    for (const event_id read : graph_.reads(location)) {
      const event& e = graph_[read];
      if (e.operation == 0) continue;
      const graph::operation& op = graph_.operation_of(read);
      if (!op.sleeps) continue;
      const std::uint32_t floor = memory_model::coherence_floor(
          model_, graph_, location, graph_.happens_before_after(read.thread(), read.index()));
      for (std::uint32_t p = floor; p < graph_.position(e.reads_from); ++p)
        if (graph_.value_of(location, graph_.at_position(location, p)) == op.expected)
          naps_.push_back({read, p, {}});
    }
  }

  bool leads_to(event_id a, event_id b) const { return a == b || model_.precedes(graph_, a, b); }

  // The new edges with the graph's own order have no cycle.
  bool is_order() const {
    // depth-first over edges: an edge leads to those that begin at or after its end
    enum : char { fresh, open, done };
    std::vector<char> state(edges_.size(), fresh);
    const auto visit = [&](const auto& self, std::size_t i) -> bool {
      state[i] = open;
      for (std::size_t k = 0; k < edges_.size(); ++k) {
        if (state[k] == done || !leads_to(edges_[i].to, edges_[k].from)) continue;
        if (state[k] == open || !self(self, k)) return false;
      }
      state[i] = done;
      return true;
    };
    for (std::size_t i = 0; i < edges_.size(); ++i)
      if (state[i] == fresh && !visit(visit, i)) return false;
    return true;
  }

  // The write after that of the position.
  event_id after(location_id location, std::uint32_t position) const {
    return graph_.at_position(location, position + 1);
  }

  bool place(std::size_t n) {
    if (n == notifies_.size()) return naps_last(0, 0);
    const event_id notify = notifies_[n];
    const event& e = graph_[notify];
    const std::size_t before = edges_.size();
    // too early for all sleepers
    const auto last = static_cast<std::uint32_t>(graph_.modification_order(e.location).size());
    for (const event_id read : sleepers_)
      if (graph_[read].location == e.location)
        if (const auto p = graph_.position(graph_[read].reads_from); p < last)
          edges_.push_back({notify, after(e.location, p)});
    if (is_order() && place(n + 1)) return true;
    edges_.resize(before);
    if (e.val.low == 0) return false;  // notify_all
    for (std::size_t k = 0; k < naps_.size(); ++k) {
      nap& taker = naps_[k];
      if (taker.woken_by || graph_[taker.wait].location != e.location) continue;
      take(taker, notify);
      if (is_order() && place(n + 1)) return true;
      taker.woken_by.reset();
      edges_.resize(before);
    }
    return false;
  }

  // Who naps until one notify is woken by no other: those that wake nobody are before the nap can
  // end, or after it has.
  bool naps_last(std::size_t k, std::size_t n) {
    for (; k < naps_.size(); ++k, n = 0) {
      if (!naps_[k].woken_by) continue;
      const event_id waker = *naps_[k].woken_by;
      const location_id location = graph_[waker].location;
      for (; n < notifies_.size(); ++n) {
        const event_id other = notifies_[n];
        if (graph_[other].location != location || wakes(other)) continue;
        const std::size_t before = edges_.size();
        for (const edge& e :
             {edge{other, after(location, naps_[k].position)}, edge{waker, other}}) {
          edges_.push_back(e);
          if (is_order() && naps_last(k, n + 1)) return true;
          edges_.resize(before);
        }
        return false;
      }
    }
    return true;
  }
  bool wakes(event_id notify) const {
    return std::any_of(naps_.begin(), naps_.end(),
                       [&](const nap& each) { return each.woken_by == notify; });
  }

  void take(nap& taker, event_id notify) {
    const location_id location = graph_[taker.wait].location;
    const event_id overwritten = after(location, taker.position);
    edges_.push_back({overwritten, notify});
    edges_.push_back({notify, taker.wait});
    if (taker.wait.index() != 0) {
      edges_.push_back({{taker.wait.thread(), taker.wait.index() - 1}, overwritten});
    } else if (const event_id spawn = graph_.spawned_by(taker.wait.thread()); !spawn.is_initial()) {
      edges_.push_back({spawn, overwritten});
    }
    // of two naps of one wait the second begins after the first
    for (const nap& other : naps_) {
      if (&other == &taker || !other.woken_by || other.wait != taker.wait) continue;
      if (other.position < taker.position)
        edges_.push_back({*other.woken_by, overwritten});
      else
        edges_.push_back({notify, after(location, other.position)});
    }
    taker.woken_by = notify;
  }

  const memory_model::memory_model& model_;
  const execution_graph& graph_;
  std::vector<location_id> locations_;
  std::vector<event_id> sleepers_;
  std::vector<event_id> notifies_;
  std::vector<nap> naps_;
  std::vector<edge> edges_;
};

}  // namespace

bool sleep_on(const memory_model::memory_model& model, const execution_graph& graph,
              std::span<const thread_id> sleepers) {
  return judge{model, graph, sleepers}.sleep_on();
}

}  // namespace heddle::search
