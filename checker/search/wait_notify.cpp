#include "checker/search/wait_notify.hpp"

#include <algorithm>
#include <functional>
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

// The waits and notifies of one location.
class location_judge {
 public:
  location_judge(const memory_model::memory_model& model, const execution_graph& graph,
                 location_id location)
      : model_{model}, graph_{graph}, location_{location} {}

  // `read`: what the sleeper has read.
  void add_sleeper(event_id read) {
    sleepers_.push_back(graph_.position(graph_[read].reads_from));
    asleep_.push_back(read);
  }

  bool sleep_on() {
    const std::uint32_t oldest = *std::min_element(sleepers_.begin(), sleepers_.end());
    for (thread_id t = 0; t < graph_.thread_count(); ++t)
      for (std::uint32_t i = 0; i < graph_.size(t); ++i) {
        const event& e = graph_.events(t)[i];
        if (e.kind != event_kind::notify || e.location != location_) continue;
        const std::uint32_t reach = last_write_before({t, i});
        if (reach <= oldest) continue;  // too early for all of them
        if (e.val.low == 0) return false;
        notifies_.push_back({{t, i}, reach});
      }
    return notifies_.empty() || all_are_taken();
  }

 private:
  struct notification {
    event_id event;
    std::uint32_t reach;  // position of the last write before it
  };
  // A sleep of another wait that has returned: it had read the write of this position.
  struct nap {
    event_id wait;
    std::uint32_t position;
  };

  std::uint32_t last_write_before(event_id notify) const {
    const auto order = graph_.modification_order(location_);
    for (std::size_t i = order.size(); i > 0; --i)
      if (model_.precedes(graph_, order[i - 1], notify)) return static_cast<std::uint32_t>(i);
    return 0;
  }

  // Every sleep that a wait which has returned may have had.
  void find_naps() {
    for (const event_id read : graph_.reads(location_)) {
      const event& e = graph_[read];
      if (e.operation == 0 || std::find(asleep_.begin(), asleep_.end(), read) != asleep_.end())
        continue;
      const graph::operation& op = graph_.operation_of(read);
      if (!op.sleeps) continue;
      const std::uint32_t floor = memory_model::coherence_floor(
          model_, graph_, location_, graph_.happens_before_after(read.thread(), read.index()));
      for (std::uint32_t p = floor; p < graph_.position(e.reads_from); ++p) {
        const event_id write = graph_.at_position(location_, p);
        if (graph_.value_of(location_, write) != op.expected) continue;
        // it must have slept before the value was overwritten
        if (read.index() != 0) {
          const event_id before{read.thread(), read.index() - 1};
          const event_id next = graph_.at_position(location_, p + 1);
          if (next == before || model_.precedes(graph_, next, before)) continue;
        }
        naps_.push_back({read, p});
      }
    }
  }

  bool can_have_woken(const notification& n, const nap& slept) const {
    return n.reach > slept.position && !model_.precedes(graph_, slept.wait, n.event);
  }

  // Bipartite matching of notifies to naps by augmenting paths.
  bool all_are_taken() {
    find_naps();
    std::vector<int> taken(naps_.size(), -1);
    for (std::size_t n = 0; n < notifies_.size(); ++n) {
      std::vector<bool> tried(naps_.size(), false);
      const std::function<bool(std::size_t)> take = [&](std::size_t notify) {
        for (std::size_t k = 0; k < naps_.size(); ++k) {
          if (tried[k] || !can_have_woken(notifies_[notify], naps_[k])) continue;
          tried[k] = true;
          if (taken[k] >= 0 && !take(static_cast<std::size_t>(taken[k]))) continue;
          taken[k] = static_cast<int>(notify);
          return true;
        }
        return false;
      };
      if (!take(n)) return false;
    }
    return true;
  }

  const memory_model::memory_model& model_;
  const execution_graph& graph_;
  location_id location_;
  std::vector<std::uint32_t> sleepers_;  // positions of what they have read
  std::vector<event_id> asleep_;
  std::vector<notification> notifies_;
  std::vector<nap> naps_;
};

}  // namespace

bool sleep_on(const memory_model::memory_model& model, const execution_graph& graph,
              std::span<const thread_id> sleepers) {
  std::vector<location_id> judged;
  for (const thread_id first : sleepers) {
    const location_id location = graph.events(first).back().location;
    if (std::find(judged.begin(), judged.end(), location) != judged.end()) continue;
    judged.push_back(location);
    location_judge judge{model, graph, location};
    for (const thread_id t : sleepers)
      if (graph.events(t).back().location == location) judge.add_sleeper({t, graph.size(t) - 1});
    if (!judge.sleep_on()) return false;
  }
  return true;
}

}  // namespace heddle::search
