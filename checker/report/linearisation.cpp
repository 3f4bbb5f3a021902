#include "checker/report/linearisation.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <queue>
#include <string>
#include <unordered_map>

namespace heddle::report {

namespace {

using graph::event;
using graph::event_id;
using graph::event_kind;
using graph::execution_graph;
using graph::location_id;
using graph::thread_id;

constexpr thread_id nobody = std::numeric_limits<thread_id>::max();
constexpr std::uint32_t no_position = std::numeric_limits<std::uint32_t>::max();

// `count` steps of the thread are done first.
struct requirement {
  thread_id thread;
  std::uint32_t count;
};

struct node {
  event_id first;
  std::uint32_t events = 1;
  location_id location = graph::no_location;
  std::uint32_t read_position = no_position;   // of the write it reads
  std::uint32_t write_position = no_position;  // of its own write
  std::vector<requirement> causal;             // reads_from, spawn, join
  std::vector<requirement> sequential;         // modification order, from-read
};

struct step_id {
  thread_id thread;
  std::uint32_t index;
};

// How many steps each thread has done.
using progress = std::vector<std::uint32_t>;

// --- the steps and what comes before what

class step_order {
 public:
  step_order(const execution_graph& graph, const std::vector<thread_id>& ends) : graph_{graph} {
    keep(ends);
    for (thread_id t = 0; t < kept_.size(); ++t) make_steps(t);
    accesses_.resize(graph.location_count());
    for (thread_id t = 0; t < kept_.size(); ++t)
      for (std::uint32_t i = 0; i < threads_[t].size(); ++i) require_causes({t, i});
    for (location_id l = 0; l < graph.location_count(); ++l) require_order_of(l);
  }

  thread_id thread_count() const { return static_cast<thread_id>(threads_.size()); }
  const node& next(const progress& done, thread_id t) const { return threads_[t][done[t]]; }
  bool has_next(const progress& done, thread_id t) const { return done[t] < threads_[t].size(); }
  bool is_complete(const progress& done) const {
    for (thread_id t = 0; t < thread_count(); ++t)
      if (has_next(done, t)) return false;
    return true;
  }
  const node& operator[](step_id id) const { return threads_[id.thread][id.index]; }

  static bool hold(const std::vector<requirement>& all, const progress& done) {
    return std::all_of(all.begin(), all.end(),
                       [&](const requirement& r) { return done[r.thread] >= r.count; });
  }
  bool is_possible(const progress& done, thread_id t) const {
    return has_next(done, t) && hold(next(done, t).causal, done);
  }
  bool is_safe(const progress& done, thread_id t) const {
    return is_possible(done, t) && hold(next(done, t).sequential, done);
  }

  // Does the thread's safe steps; says how many.
  std::uint32_t run(progress& done, thread_id t) const {
    const std::uint32_t before = done[t];
    while (is_safe(done, t)) ++done[t];
    return done[t] - before;
  }

  // How many steps that are still to come get a mark because this one is done now.
  std::uint32_t new_marks(const progress& done, thread_id t) const {
    const node& n = next(done, t);
    if (n.write_position == no_position) return 0;
    const auto is_done = [&](step_id id) { return done[id.thread] > id.index; };
    std::uint32_t newest = 0;
    for (step_id id : accesses_[n.location])
      if (is_done(id) && (*this)[id].write_position != no_position)
        newest = std::max(newest, (*this)[id].write_position);
    std::uint32_t count = 0;
    for (step_id id : accesses_[n.location]) {
      const node& other = (*this)[id];
      if (is_done(id) || other.first == n.first) continue;
      const bool marked =
          other.read_position != no_position
              ? newest <= other.read_position && other.read_position < n.write_position
              : newest < other.write_position && other.write_position < n.write_position;
      if (marked) ++count;
    }
    return count;
  }

 private:
  void keep(const std::vector<thread_id>& ends) {
    for (thread_id t = 0; t < graph_.thread_count(); ++t) {
      std::uint32_t count = ends.empty() ? graph_.size(t) : 0;
      for (thread_id end : ends)
        count = std::max(count, end == t ? graph_.size(t) : graph_.causal_past_next(end)[t]);
      kept_.push_back(std::min(count, graph_.size(t)));
    }
  }

  bool is_kept(event_id e) const { return !e.is_initial() && e.index() < kept_[e.thread()]; }

  void make_steps(thread_id t) {
    auto& steps = threads_.emplace_back();
    auto& numbers = step_numbers_.emplace_back(kept_[t], 0);
    const auto events = graph_.events(t);
    for (std::uint32_t i = 0; i < kept_[t];) {
      node n;
      n.first = {t, i};
      const event& e = events[i];
      if (e.kind == event_kind::read || e.kind == event_kind::write) n.location = e.location;
      if (e.kind == event_kind::read) n.read_position = graph_.position(e.reads_from);
      if (e.kind == event_kind::write) n.write_position = e.position;
      if (e.kind == event_kind::read && e.is_rmw) {
        std::uint32_t last = i + 1;
        if (last < kept_[t] && events[last].kind == event_kind::choice) ++last;
        if (last < kept_[t] && events[last].kind == event_kind::write && events[last].is_rmw) {
          n.events = last + 1 - i;
          n.write_position = events[last].position;
        }
      }
      for (std::uint32_t k = 0; k < n.events; ++k)
        numbers[i + k] = static_cast<std::uint32_t>(steps.size());
      i += n.events;
      steps.push_back(std::move(n));
    }
  }

  step_id step_of(event_id e) const { return {e.thread(), step_numbers_[e.thread()][e.index()]}; }

  void require(std::vector<requirement>& list, step_id of, event_id before) {
    if (!is_kept(before)) return;
    const step_id first = step_of(before);
    if (first.thread == of.thread && first.index <= of.index) return;
    for (requirement& r : list)
      if (r.thread == first.thread) {
        r.count = std::max(r.count, first.index + 1);
        return;
      }
    list.push_back({first.thread, first.index + 1});
  }

  void require_causes(step_id id) {
    node& n = threads_[id.thread][id.index];
    if (id.index == 0) require(n.causal, id, graph_.spawned_by(id.thread));
    const event& e = graph_[n.first];
    if (e.kind == event_kind::read) require(n.causal, id, e.reads_from);
    if (e.kind == event_kind::join && graph_.size(e.location) != 0)
      require(n.causal, id, {e.location, graph_.size(e.location) - 1});
    if (n.location != graph::no_location) accesses_[n.location].push_back(id);
  }

  void require_order_of(location_id l) {
    std::vector<event_id> writes;
    for (event_id w : graph_.modification_order(l))
      if (is_kept(w)) writes.push_back(w);
    for (std::size_t k = 1; k < writes.size(); ++k) {
      const step_id id = step_of(writes[k]);
      require(threads_[id.thread][id.index].sequential, id, writes[k - 1]);
    }
    for (event_id r : graph_.reads(l)) {
      if (!is_kept(r)) continue;
      const auto after = std::upper_bound(
          writes.begin(), writes.end(), graph_.position(graph_[r].reads_from),
          [&](std::uint32_t position, event_id w) { return position < graph_.position(w); });
      if (after == writes.end()) continue;
      const step_id id = step_of(*after);
      require(threads_[id.thread][id.index].sequential, id, r);
    }
  }

  const execution_graph& graph_;
  std::vector<std::uint32_t> kept_;  // by thread: its first so many events
  std::vector<std::vector<node>> threads_;
  std::vector<std::vector<std::uint32_t>> step_numbers_;  // by thread and event
  std::vector<std::vector<step_id>> accesses_;            // by location
};

// A thread and how many steps it does in a row.
struct turn {
  thread_id thread;
  std::uint32_t steps;
};

// --- the shortest way

class shortest_order {
 public:
  shortest_order(const step_order& order, bool allow_marks, std::size_t max_states)
      : order_{order}, allow_marks_{allow_marks}, max_states_{max_states} {}

  // Nothing: it would take more states than allowed.
  std::optional<std::vector<turn>> find() {
    add({progress(order_.thread_count(), 0), nobody, {}, no_parent, {nobody, 0}});
    while (!open_.empty()) {
      const std::size_t index = open_.top().state;
      open_.pop();
      if (best_.at(key(states_[index])) < states_[index].so_far) continue;
      if (order_.is_complete(states_[index].done)) return turns_to(index);
      for (thread_id t = 0; t < order_.thread_count(); ++t) advance(index, t);
      if (states_.size() > max_states_) break;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t no_parent = std::numeric_limits<std::size_t>::max();

  struct cost {
    std::uint32_t marks = 0;
    std::uint32_t turns = 0;

    friend auto operator<=>(const cost&, const cost&) = default;
  };
  struct state {
    progress done;
    thread_id running;
    cost so_far;
    std::size_t parent;
    turn how;
  };
  // The cheapest first, of equals the oldest.
  struct open_state {
    cost so_far;
    std::size_t state;

    friend bool operator<(const open_state& a, const open_state& b) {
      return a.so_far != b.so_far ? a.so_far > b.so_far : a.state > b.state;
    }
  };

  // Who runs matters only if it can go on.
  std::u32string key(const state& s) const {
    const bool goes_on =
        allow_marks_ && s.running != nobody && order_.is_possible(s.done, s.running);
    std::u32string text(s.done.begin(), s.done.end());
    text.push_back(goes_on ? s.running : nobody);
    return text;
  }

  void advance(std::size_t from, thread_id t) {
    const state& s = states_[from];
    const bool safe = order_.is_safe(s.done, t);
    if (!safe && !(allow_marks_ && order_.is_possible(s.done, t))) return;
    state made{s.done, t, s.so_far, from, {t, 1}};
    if (!safe) made.so_far.marks += order_.new_marks(s.done, t);
    if (t != s.running) ++made.so_far.turns;
    ++made.done[t];
    made.how.steps += order_.run(made.done, t);
    add(std::move(made));
  }

  void add(state made) {
    const auto [known, is_new] = best_.try_emplace(key(made), made.so_far);
    if (!is_new && known->second <= made.so_far) return;
    known->second = made.so_far;
    open_.push({made.so_far, states_.size()});
    states_.push_back(std::move(made));
  }

  std::vector<turn> turns_to(std::size_t index) const {
    std::vector<turn> turns;
    for (; states_[index].parent != no_parent; index = states_[index].parent)
      turns.push_back(states_[index].how);
    std::reverse(turns.begin(), turns.end());
    return turns;
  }

  const step_order& order_;
  bool allow_marks_;
  std::size_t max_states_;
  std::vector<state> states_;
  std::unordered_map<std::u32string, cost> best_;
  std::priority_queue<open_state> open_;
};

// --- a good way

// Who has the longest way to go without a mark runs next; if nobody can, who does the least harm.
// Complete without marks whenever that is possible at all.
std::vector<turn> greedy_order(const step_order& order) {
  std::vector<turn> turns;
  progress done(order.thread_count(), 0);
  for (;;) {
    turn best{nobody, 0};
    for (thread_id t = 0; t < order.thread_count(); ++t) {
      progress tried = done;
      if (const std::uint32_t steps = order.run(tried, t); steps > best.steps) best = {t, steps};
    }
    if (best.thread == nobody) {
      std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
      for (thread_id t = 0; t < order.thread_count(); ++t) {
        if (!order.is_possible(done, t)) continue;
        const std::uint32_t harm = order.new_marks(done, t);
        const bool goes_on = !turns.empty() && turns.back().thread == t;
        if (harm > least || (harm == least && !goes_on)) continue;
        least = harm;
        best = {t, 1};
      }
    }
    if (best.thread == nobody) return turns;
    done[best.thread] += best.steps;
    turns.push_back(best);
  }
}

bool is_sequentially_consistent(const step_order& order) {
  progress done(order.thread_count(), 0);
  for (bool moved = true; moved;) {
    moved = false;
    for (thread_id t = 0; t < order.thread_count(); ++t)
      if (order.run(done, t) != 0) moved = true;
  }
  return order.is_complete(done);
}

// --- the steps in that order

linearisation laid_out(const execution_graph& graph, const step_order& order,
                       const std::vector<turn>& turns) {
  linearisation result;
  progress done(order.thread_count(), 0);
  std::vector<event_id> newest(graph.location_count());
  thread_id running = nobody;
  for (const turn& now : turns) {
    if (running != nobody && running != now.thread) ++result.switches;
    running = now.thread;
    for (std::uint32_t k = 0; k < now.steps; ++k) {
      const node& n = order.next(done, now.thread);
      ++done[now.thread];
      step made{n.first, n.events, false, false, {}};
      if (n.location != graph::no_location) {
        event_id& latest = newest[n.location];
        const std::uint32_t position = graph.position(latest);
        made.is_stale = n.read_position != no_position && n.read_position < position;
        made.is_out_of_order = n.write_position != no_position && n.write_position < position;
        if (made.is_marked()) {
          made.newest = latest;
          ++result.marks;
        } else if (n.write_position != no_position) {
          latest = made.last();
        }
      }
      result.steps.push_back(made);
    }
  }
  return result;
}

}  // namespace

linearisation linearise(const execution_graph& graph, const linearise_options& how) {
  const step_order order{graph, how.ends};
  const bool allow_marks = !is_sequentially_consistent(order);
  const auto shortest = shortest_order{order, allow_marks, how.max_states}.find();
  linearisation result = laid_out(graph, order, shortest ? *shortest : greedy_order(order));
  result.is_minimal = shortest.has_value();
  return result;
}

}  // namespace heddle::report
