#include "checker/report/counterexample.hpp"

#include <algorithm>

#include "checker/report/last_waker.hpp"
#include "checker/report/lock_holders.hpp"
#include "checker/report/missing_order.hpp"
#include "checker/report/object_step.hpp"
#include "checker/report/rows.hpp"

namespace heddle::report {

namespace {

using graph::event;
using graph::event_id;
using graph::event_kind;
using graph::execution_graph;
using graph::location_id;
using graph::operation;
using graph::operation_kind;
using graph::thread_id;

std::string thread_name(thread_id t) { return "thread " + std::to_string(t); }

// "a", "a and b", "a, b and c"
std::string enumerated(const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i != 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

class sentences {
 public:
  sentences(const execution_graph& graph, const run_facts& facts, const row_maker& rows)
      : graph_{graph}, facts_{facts}, rows_{rows} {}

  std::string about(const step& s) const {
    return s.is_stale ? about_stale_read(s) : about_early_write(s);
  }

  sleeper about(const waiting_thread& w) const {
    sleeper made{w.thread, w.reason, w.place};
    if (w.operation)
      made.reason = is_sleep(*w.operation) ? reason_of_sleep(w) : reason(*w.operation);
    return made;
  }

 private:
  // "#3 (mp.cpp:7)"
  std::string mention(event_id e) const {
    const std::string place = rows_.place(e);
    return rows_.mention(e) + (place.empty() ? "" : " (" + place + ")");
  }
  // "#3 of thread 1 (mp.cpp:7)"
  std::string mention_with_thread(event_id e) const {
    const std::string place = rows_.place(e);
    return rows_.mention(e) + " of " + thread_name(e.thread()) +
           (place.empty() ? "" : " (" + place + ")");
  }

  std::string about_stale_read(const step& s) const {
    const event& read = graph_[s.first];
    std::string text = mention(s.first) + " reads " + rows_.name(read.location) + " = " +
                       rows_.text(read.location, read.val);
    if (read.reads_from.is_initial()) {
      text += ", the initial value";
    } else {
      text += ", written by " + rows_.mention(read.reads_from);
    }
    const explained_write missed = missed_write(s);
    text += ", and misses " + mention_with_thread(missed.write) + ", which wrote " +
            rows_.text(read.location, graph_[missed.write].val);
    return text + (missed.why.empty() ? "." : ": " + why(missed.why) + ".");
  }

  struct explained_write {
    event_id write;
    std::vector<missing_order> why;
  };

  // Of the writes that a read misses, the newest or else the oldest: rather one in the read's
  // causal past, and one for which something can be said.
  explained_write missed_write(const step& s) const {
    const ordering_rules rules{facts_.memory_model == "tso"};
    for (const bool causal : {true, false})
      for (const event_id write : {s.newest, oldest_missed(s)})
        if (!causal || graph_.causal_past(s.first).contains(write))
          if (auto why = missing_between(graph_, write, s.first, rules); !why.empty())
            return {write, std::move(why)};
    return {s.newest, {}};
  }

  event_id oldest_missed(const step& s) const {
    const event& read = graph_[s.first];
    const auto order = graph_.modification_order(read.location);
    for (std::size_t i = graph_.position(read.reads_from); i < order.size(); ++i)
      if (const std::uint32_t number = rows_.number_of(order[i]);
          number != 0 && number < rows_.number_of(s.first))
        return order[i];
    return s.newest;
  }

  std::string why(const std::vector<missing_order>& missing) const {
    std::vector<std::string> synchronisation;
    std::vector<std::string> fences;
    bool was_of_condition = false;
    for (const missing_order& m : missing) {
      const event& e = graph_[m.first];
      const bool is_fence = m.kind == missing_order::what::fence;
      if (is_fence) {
        fences.push_back("between " + mention(m.first) + " and " + mention(m.second) + " of " +
                         thread_name(m.first.thread()));
        continue;
      }
      if (is_of_condition(e)) {
        // what does not release and what does not acquire say the same
        if (synchronisation.empty() || !was_of_condition)
          synchronisation.push_back("a notify of " + rows_.name(e.location) + ", as in " +
                                    mention(m.first) + ", synchronises with nobody");
        was_of_condition = true;
        continue;
      }
      const bool is_release = m.kind == missing_order::what::release;
      synchronisation.push_back(std::string{e.is_rmw     ? "the read-modify-write"
                                            : is_release ? "the store"
                                                         : "the load"} +
                                " of " + rows_.name(e.location) + " in " + mention(m.first) +
                                (is_release ? " does not release (" : " does not acquire (") +
                                order_text(e.order) + ")");
    }
    if (!synchronisation.empty()) return enumerated(synchronisation);
    return "no seq_cst fence stands " + enumerated(fences);
  }

  bool is_of_condition(const event& e) const {
    if (!facts_.kind_of) return false;
    const graph::object_kind kind = facts_.kind_of(e.location);
    return kind == graph::object_kind::condition || kind == graph::object_kind::condition_slot;
  }

  std::string about_early_write(const step& s) const {
    const event& write = graph_[s.last()];
    const event& newest = graph_[s.newest];
    return mention(s.first) + " writes " + rows_.name(write.location) + " = " +
           rows_.text(write.location, write.val) + " underneath " + mention_with_thread(s.newest) +
           ": in modification order it comes before the " +
           rows_.text(newest.location, newest.val) + " written there.";
  }

  std::string reason_of_sleep(const waiting_thread& w) const {
    const operation& op = *w.operation;
    const location_id condition =
        facts_.condition_of ? facts_.condition_of(op.location) : graph::no_location;
    const waker found = last_waker(graph_, {w.thread, op, condition});
    std::string text = "sleeps on " + rows_.name(op.location);
    if (op.sleeps) text += " = " + rows_.text(op.location, op.expected);
    const bool nobody = found.came_of_it == waker::what::nobody;
    return text + ": " + text_of(found, op, nobody ? "" : mention_with_thread(found.event));
  }

  std::string reason(const operation& op) const {
    switch (op.kind) {
      case operation_kind::join:
        return "waits to join " + thread_name(op.other);
      case operation_kind::load:
      case operation_kind::rmw:
      case operation_kind::pick:
        if (op.location >= graph_.location_count()) return "waits";
        return op.object == graph::object_kind::shared_mutex ? reason_at_shared(op) : reason_at(op);
      default:
        return "stands at its next operation";
    }
  }

  std::string reason_at(const operation& op) const {
    const location_id location = op.location;
    const location_id whole =
        facts_.condition_of ? facts_.condition_of(location) : graph::no_location;
    const event_id latest = graph_.latest(location);
    if (auto text = object_wait(graph_, op, whole, rows_.name(location))) {
      const event_id change = whole == graph::no_location ? latest : graph_.latest(whole);
      if (rows_.number_of(change) != 0) *text += " since " + rows_.mention(change);
      return std::move(*text);
    }
    const std::string number = rows_.number_of(latest) == 0 ? "" : rows_.mention(latest);
    if (rows_.is_lock(location)) {
      std::string text = "waits to lock " + rows_.name(location);
      if (graph_.value_of(location, latest) == graph::value{}) return text;
      if (!latest.is_initial()) {
        text += ", held by " + thread_name(latest.thread());
        if (!number.empty()) text += " since " + number;
      }
      return text;
    }
    std::string text = "waits for " + rows_.name(location) + " to change from " +
                       rows_.text(location, graph_.value_of(location, latest));
    if (latest.is_initial()) return text + ", its initial value";
    text += ", written by " + thread_name(latest.thread());
    if (!number.empty()) text += " in " + number;
    return text;
  }

  // "waits to lock table, shared by thread 1 since #4 and thread 2 since #6"
  std::string reason_at_shared(const operation& op) const {
    const bool alone = op.operand.low != 0;
    std::string text =
        (alone ? "waits to lock " : "waits to lock_shared ") + rows_.name(op.location);
    const graph::value now = graph_.value_of(op.location, graph_.latest(op.location));
    const auto by = holders_of(op.object, now);
    std::vector<std::string> parts;
    for (const thread_id t : by->threads) {
      parts.push_back(thread_name(t));
      const std::uint32_t last = graph_.last_access(t, op.location);
      if (last != 0 && rows_.number_of({t, last - 1}) != 0)
        parts.back() += " since " + rows_.mention({t, last - 1});
    }
    if (parts.empty()) return text;
    return text + (by->share ? ", shared by " : ", held by ") + enumerated(parts);
  }

  const execution_graph& graph_;
  const run_facts& facts_;
  const row_maker& rows_;
};

}  // namespace

counterexample make_counterexample(const execution_graph& graph, const run_facts& facts) {
  const linearisation order = linearise(graph, {facts.ends, facts.max_states});
  const row_maker rows{graph, facts, order};
  const sentences say{graph, facts, rows};

  counterexample made;
  made.kind = facts.kind;
  made.message = facts.message;
  made.place = facts.place;
  made.other_place = facts.other_place;
  made.memory_model = facts.memory_model;
  made.thread = facts.thread;
  made.threads = facts.threads;
  made.threads.resize(std::max<std::size_t>(graph.thread_count(), facts.threads.size()));
  made.initially = rows.initially();
  made.rows = rows.rows();
  made.is_sequentially_consistent = order.is_sequentially_consistent();
  made.is_shortest = order.is_minimal;
  for (const step& s : order.steps)
    if (s.is_marked() && rows.number_of(s.first) != 0) made.explanations.push_back(say.about(s));
  for (const waiting_thread& w : facts.waiting) made.sleepers.push_back(say.about(w));
  return made;
}

}  // namespace heddle::report
