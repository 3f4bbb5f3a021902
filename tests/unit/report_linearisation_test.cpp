// Printed orders against brute force: the fewest marks, then the fewest switches.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <sstream>
#include <utility>
#include <vector>

#include "checker/litmus/run.hpp"
#include "checker/report/counterexample.hpp"
#include "checker/report/linearisation.hpp"
#include "checker/report/text.hpp"

namespace heddle::report {
namespace {

using graph::event;
using graph::event_id;
using graph::event_kind;
using graph::execution_graph;
using graph::thread_id;

// --- brute force: exploration.md 8.2 to the letter, event by event

class all_orders {
 public:
  explicit all_orders(const execution_graph& graph) : graph_{graph}, done_(graph.thread_count()) {}

  // (marks, switches) of the best order.
  std::pair<unsigned, unsigned> best() { return from(none, false) - std::pair{0U, 1U}; }

 private:
  static constexpr thread_id none = 99;
  struct result : std::pair<unsigned, unsigned> {
    using pair::pair;
    friend std::pair<unsigned, unsigned> operator-(const result& a,
                                                   std::pair<unsigned, unsigned> b) {
      return {a.first - b.first, a.second - b.second};
    }
  };

  bool has(event_id e) const { return e.is_initial() || done_[e.thread()] > e.index(); }

  bool can(thread_id t) const {
    if (done_[t] == graph_.size(t)) return false;
    const event& e = graph_[{t, done_[t]}];
    if (done_[t] == 0 && !has(graph_.spawned_by(t))) return false;
    if (e.kind == event_kind::read) return has(e.reads_from);
    if (e.kind == event_kind::join) return done_[e.location] == graph_.size(e.location);
    return true;
  }

  unsigned marks(event_id id) const {
    const event& e = graph_[id];
    if (e.kind != event_kind::read && (e.kind != event_kind::write || e.is_rmw)) return 0;
    const std::uint32_t mine =
        e.kind == event_kind::read ? graph_.position(e.reads_from) : e.position;
    for (event_id w : graph_.modification_order(e.location))
      if (has(w) && graph_.position(w) > mine) return 1;
    return 0;
  }

  // The halves of a read-modify-write stay together.
  result from(thread_id running, bool inside) {
    const auto key = std::pair{done_, std::pair{running, inside}};
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    result least{999, 999};
    bool complete = true;
    for (thread_id t = 0; t < graph_.thread_count(); ++t) {
      complete = complete && done_[t] == graph_.size(t);
      if (inside && t != running) continue;
      if (!can(t)) continue;
      const event_id id{t, done_[t]};
      const event& e = graph_[id];
      const unsigned mark = marks(id);
      ++done_[t];
      const bool first_half = e.kind == event_kind::read && e.is_rmw;
      const result rest = from(t, first_half || (inside && e.kind == event_kind::choice));
      --done_[t];
      least = std::min(least, result{rest.first + mark, rest.second + (t != running ? 1U : 0U)});
    }
    if (complete) least = {0, 0};
    return known_[key] = least;
  }

  const execution_graph& graph_;
  std::vector<std::uint32_t> done_;
  std::map<std::pair<std::vector<std::uint32_t>, std::pair<thread_id, bool>>, result> known_;
};

// The order respects the graph and its numbers are right.
void expect_sound(const execution_graph& graph, const linearisation& order, bool whole) {
  std::vector<std::uint32_t> done(graph.thread_count(), 0);
  std::map<graph::location_id, event_id> newest;
  unsigned marks = 0;
  unsigned switches = 0;
  const auto has = [&](event_id e) { return e.is_initial() || done[e.thread()] > e.index(); };
  for (std::size_t i = 0; i < order.steps.size(); ++i) {
    const step& s = order.steps[i];
    const thread_id t = s.first.thread();
    if (i > 0 && order.steps[i - 1].first.thread() != t) ++switches;
    ASSERT_EQ(s.first.index(), done[t]);
    const event& e = graph[s.first];
    if (s.first.index() == 0) {
      ASSERT_TRUE(has(graph.spawned_by(t)));
    }
    bool marked = false;
    const event& last = graph[s.last()];
    if (e.kind == event_kind::read) {
      ASSERT_TRUE(has(e.reads_from));
      marked = graph.position(newest[e.location]) > graph.position(e.reads_from);
      ASSERT_EQ(s.is_stale, marked);
    }
    if (e.kind == event_kind::join) {
      ASSERT_EQ(done[e.location], graph.size(e.location));
    }
    done[t] += s.events;
    if (last.kind == event_kind::write) {
      const bool late = graph.position(newest[last.location]) > last.position;
      ASSERT_EQ(s.is_out_of_order, late);
      marked = marked || late;
      if (!late) newest[last.location] = s.last();
    }
    ASSERT_EQ(s.is_marked(), marked);
    if (marked) {
      ++marks;
      ASSERT_EQ(s.newest, newest[e.location]);
    }
  }
  EXPECT_EQ(order.marks, marks);
  EXPECT_EQ(order.switches, switches);
  for (thread_id t = 0; whole && t < graph.thread_count(); ++t) EXPECT_EQ(done[t], graph.size(t));
}

// --- programs

class random_numbers {
 public:
  explicit random_numbers(std::uint64_t seed) : state_{seed} {}
  unsigned below(unsigned n) {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return static_cast<unsigned>((z ^ z >> 31) % n);
  }

 private:
  std::uint64_t state_;
};

std::string random_program(std::uint64_t seed) {
  random_numbers random{seed};
  std::string text = random.below(4) == 0 ? "x=6 :: " : "";
  const unsigned threads = 2 + random.below(2);
  for (unsigned t = 0; t < threads; ++t) {
    if (t != 0) text += " | ";
    const unsigned operations = 1 + random.below(threads == 2 ? 4 : 3);
    for (unsigned i = 0; i < operations; ++i) {
      if (i != 0) text += "; ";
      const std::string at = random.below(2) == 0 ? "x" : "y";
      const std::string r = "r" + std::to_string(i) + "=";
      const std::string v = std::to_string(1 + random.below(2));
      switch (random.below(9)) {
        case 0:
        case 1:
          text += at + (random.below(2) == 0 ? ".rlx=" : ".rel=") + v;
          break;
        case 2:
          text += at + ".sc=" + v;
          break;
        case 3:
        case 4:
          text += r + at + (random.below(2) == 0 ? ".rlx" : ".acq");
          break;
        case 5:
          text += r + at + ".sc";
          break;
        case 6:
          text += r + "add(" + at + "," + v + ").ar";
          break;
        case 7:
          text += random.below(2) == 0 ? r + "cas(" + at + ",0," + v + ").ar/rlx"
                                       : r + "pick(" + at + ").rlx";
          break;
        default:
          text += random.below(2) == 0 ? "fence.sc" : "fence.ar";
          break;
      }
    }
  }
  return text;
}

using on_graph = std::function<void(const execution_graph&, search::ending)>;

void each_graph(const std::string& text, const memory_model::memory_model& model,
                const on_graph& call) {
  search::exhaustive strategy{model, search::awaits::as_assume};
  litmus::run_options options;
  options.on_end = [&](const litmus::run_options::ended& ended) { call(ended.graph, ended.how); };
  litmus::run(litmus::parse(text), strategy, options);
}

// --- tests

TEST(Linearisation, HasTheFewestMarksAndSwitchesOfAllOrders) {
  const auto rc11 = memory_model::make_rc11();
  unsigned graphs = 0;
  unsigned weak = 0;
  unsigned greedy_worse = 0;
  for (std::uint64_t seed = 0; seed < 800; ++seed) {
    const std::string text = random_program(seed);
    unsigned of_program = 0;
    each_graph(text, *rc11, [&](const execution_graph& graph, search::ending) {
      if (++of_program > 40) return;
      ++graphs;
      const auto best = all_orders{graph}.best();
      const linearisation order = linearise(graph);
      EXPECT_TRUE(order.is_minimal);
      EXPECT_EQ(std::pair(order.marks, order.switches), best) << text;
      ASSERT_NO_FATAL_FAILURE(expect_sound(graph, order, true)) << text;
      if (best.first != 0) ++weak;

      const linearisation greedy = linearise(graph, {{}, 0});
      EXPECT_FALSE(greedy.is_minimal);
      EXPECT_EQ(greedy.is_sequentially_consistent(), best.first == 0) << text;
      EXPECT_GE(std::pair(greedy.marks, greedy.switches), best) << text;
      ASSERT_NO_FATAL_FAILURE(expect_sound(graph, greedy, true)) << text;
      if (std::pair(greedy.marks, greedy.switches) != best) ++greedy_worse;
    });
  }
  RecordProperty("graphs", static_cast<int>(graphs));
  RecordProperty("weak", static_cast<int>(weak));
  RecordProperty("greedy_worse", static_cast<int>(greedy_worse));
  EXPECT_GT(graphs, 1000U);
  EXPECT_GT(weak, 50U);
}

TEST(Linearisation, KeepsTheCausalPastOfAThread) {
  const auto rc11 = memory_model::make_rc11();
  for (std::uint64_t seed = 800; seed < 860; ++seed) {
    each_graph(random_program(seed), *rc11, [&](const execution_graph& graph, search::ending) {
      for (thread_id end = 0; end < graph.thread_count(); ++end) {
        const linearisation order = linearise(graph, {{end}, 200'000});
        ASSERT_NO_FATAL_FAILURE(expect_sound(graph, order, false));
        std::vector<std::uint32_t> count(graph.thread_count(), 0);
        for (const step& s : order.steps) count[s.first.thread()] += s.events;
        const graph::view past = graph.causal_past_next(end);
        for (thread_id t = 0; t < graph.thread_count(); ++t) EXPECT_EQ(count[t], past[t]);
        // what has led to the end stands before it
        if (!order.steps.empty() && graph.size(end) != 0) {
          EXPECT_EQ(order.steps.back().first.thread(), end);
        }
      }
    });
  }
}

// Of the graphs of RC11, those with an order without marks are those of sequential consistency:
// complete and blocked ones, program by program.
TEST(Linearisation, FindsAnOrderExactlyForSequentiallyConsistentGraphs) {
  const auto rc11 = memory_model::make_rc11();
  const auto sc = memory_model::make_sequential_consistency();
  std::ifstream file{HEDDLE_TEST_DATA "/litmus/litmus.tsv"};
  unsigned rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream in{line};
    std::string name;
    std::string awaits;
    std::string text;
    std::getline(in, name, '\t');
    std::getline(in, awaits, '\t');
    std::getline(in, text, '\t');
    if (awaits != "assume") continue;
    ++rows;
    std::map<search::ending, std::uint64_t> ordered;
    std::map<search::ending, std::uint64_t> expected;
    each_graph(text, *rc11, [&](const execution_graph& graph, search::ending how) {
      if (linearise(graph, {{}, 0}).is_sequentially_consistent()) ++ordered[how];
    });
    each_graph(text, *sc, [&](const execution_graph& graph, search::ending how) {
      ++expected[how];
      EXPECT_TRUE(linearise(graph, {{}, 0}).is_sequentially_consistent()) << name;
    });
    EXPECT_EQ(ordered, expected) << name;
  }
  EXPECT_GT(rows, 80U);
}

TEST(Linearisation, SaysWhetherThereIsAnOrderBeyondTheBound) {
  // eight threads of eight steps that all need each other's
  std::string text;
  for (int t = 0; t < 8; ++t) {
    if (t != 0) text += " | ";
    for (int i = 0; i < 8; ++i) text += std::string(i ? "; " : "") + "add(x,1).rlx";
  }
  const auto rc11 = memory_model::make_rc11();
  search::exhaustive strategy{*rc11};
  litmus::run_options options;
  options.limits.max_executions = 50;
  unsigned graphs = 0;
  options.on_end = [&](const litmus::run_options::ended& ended) {
    const linearisation order = linearise(ended.graph, {{}, 1000});
    EXPECT_TRUE(order.is_sequentially_consistent());
    ASSERT_NO_FATAL_FAILURE(expect_sound(ended.graph, order, true));
    ++graphs;
  };
  litmus::run(litmus::parse(text), strategy, options);
  EXPECT_GE(graphs, 50U);
}

// Every graph can be printed within the width, and every stale read says what would have helped.
TEST(Report, EveryLitmusGraph) {
  std::ifstream file{HEDDLE_TEST_DATA "/litmus/litmus.tsv"};
  unsigned stale = 0;
  for (const char* model_name : {"rc11", "tso"}) {
    const auto model = model_name == std::string{"tso"} ? memory_model::make_total_store_order()
                                                        : memory_model::make_rc11();
    file.clear();
    file.seekg(0);
    for (std::string line; std::getline(file, line);) {
      if (line.empty() || line[0] == '#') continue;
      std::istringstream in{line};
      std::string name;
      std::string text;
      std::getline(in, name, '\t');
      std::getline(in, text, '\t');
      std::getline(in, text, '\t');
      unsigned of_program = 0;
      each_graph(text, *model, [&](const execution_graph& graph, search::ending) {
        if (++of_program > 100) return;
        run_facts facts;
        facts.kind = "assertion";
        facts.message = name;
        facts.memory_model = model_name;
        const counterexample made = make_counterexample(graph, facts);
        const std::string report = to_text(made);
        ASSERT_NE(report, "(report failed)");
        std::istringstream lines{report};
        for (std::string l; std::getline(lines, l);) {
          EXPECT_LE(l.size(), 120U) << report;
          for (char c : l) EXPECT_TRUE(c >= ' ' && c <= '~');
        }
        for (const std::string& sentence : made.explanations)
          if (sentence.find(" misses ") != std::string::npos) {
            ++stale;
            EXPECT_NE(sentence.find(": "), std::string::npos) << text << '\n' << report;
          }
      });
    }
  }
  EXPECT_GT(stale, 90U);
}

}  // namespace
}  // namespace heddle::report
