#include "checker/report/counterexample.hpp"

#include <algorithm>

#include "checker/report/missing_order.hpp"
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
    if (w.operation) made.reason = reason(*w.operation);
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
    const event& newest = graph_[s.newest];
    std::string text = mention(s.first) + " reads " + rows_.name(read.location) + " = " +
                       rows_.text(read.location, read.val);
    if (read.reads_from.is_initial()) {
      text += ", the initial value";
    } else {
      text += ", written by " + rows_.mention(read.reads_from);
    }
    text += ", and misses " + mention_with_thread(s.newest) + ", which wrote " +
            rows_.text(newest.location, newest.val);
    const std::string why = reason(s);
    return text + (why.empty() ? "." : ": " + why + ".");
  }

  std::string reason(const step& s) const {
    std::vector<std::string> synchronisation;
    std::vector<std::string> fences;
    const ordering_rules rules{facts_.memory_model == "tso"};
    for (const missing_order& m : missing_between(graph_, s.newest, s.first, rules)) {
      const event& e = graph_[m.first];
      const std::string what = e.is_rmw ? "the read-modify-write" : "the store";
      switch (m.kind) {
        case missing_order::what::release:
          synchronisation.push_back(what + " of " + rows_.name(e.location) + " in " +
                                    mention(m.first) + " does not release (" + order_text(e.order) +
                                    ")");
          break;
        case missing_order::what::acquire:
          synchronisation.push_back((e.is_rmw ? what : "the load") + " of " +
                                    rows_.name(e.location) + " in " + mention(m.first) +
                                    " does not acquire (" + order_text(e.order) + ")");
          break;
        case missing_order::what::fence:
          fences.push_back("between " + mention(m.first) + " and " + mention(m.second) + " of " +
                           thread_name(m.first.thread()));
          break;
      }
    }
    if (!synchronisation.empty()) return enumerated(synchronisation);
    if (fences.empty()) return {};
    return "no seq_cst fence stands " + enumerated(fences);
  }

  std::string about_early_write(const step& s) const {
    const event& write = graph_[s.last()];
    const event& newest = graph_[s.newest];
    return mention(s.first) + " writes " + rows_.name(write.location) + " = " +
           rows_.text(write.location, write.val) + " underneath " + mention_with_thread(s.newest) +
           ": in modification order it comes before the " +
           rows_.text(newest.location, newest.val) + " written there.";
  }

  std::string reason(const operation& op) const {
    switch (op.kind) {
      case operation_kind::join:
        return "waits to join " + thread_name(op.other);
      case operation_kind::load:
      case operation_kind::rmw:
      case operation_kind::pick:
        return op.location < graph_.location_count() ? reason_at(op.location) : "waits";
      default:
        return "stands at its next operation";
    }
  }

  std::string reason_at(location_id location) const {
    const event_id latest = graph_.latest(location);
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
    if (s.is_marked()) made.explanations.push_back(say.about(s));
  for (const waiting_thread& w : facts.waiting) made.sleepers.push_back(say.about(w));
  return made;
}

}  // namespace heddle::report
