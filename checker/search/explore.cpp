#include "checker/search/explore.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>

#include "checker/runtime/source_place.hpp"
#include "checker/search/leaf.hpp"

namespace heddle::search {

namespace {

std::uint64_t resident_bytes() {
  std::ifstream statm{"/proc/self/statm"};
  std::uint64_t pages = 0;
  std::uint64_t resident = 0;
  statm >> pages >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Looks at clocks and memory only now and then: nothing else in a search may depend on them.
class watch {
 public:
  explicit watch(const bounds& limits) : limits_{limits} {}

  // Names the bound that is hit; empty: none.
  std::string hit(const counts& so_far) {
    if (limits_.max_executions && so_far.executions + so_far.blocked >= *limits_.max_executions)
      return "max_executions = " + std::to_string(*limits_.max_executions);
    if (limits_.interrupted != nullptr && limits_.interrupted->load(std::memory_order_relaxed))
      return "interrupted";
    if (so_far.runs % 64 == 0 && limits_.time_limit) {
      const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start_;
      if (spent.count() >= *limits_.time_limit) {
        std::string seconds = std::to_string(*limits_.time_limit);
        seconds.erase(seconds.find_last_not_of('0') + 1);
        if (seconds.back() == '.') seconds.pop_back();
        return "time_limit = " + seconds + " s";
      }
    }
    if (so_far.runs % 1024 == 0 && limits_.max_memory && resident_bytes() >= *limits_.max_memory)
      return "max_memory = " + std::to_string(*limits_.max_memory);
    return {};
  }

 private:
  const bounds& limits_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

exploration explore(strategy& strategy, runtime::execution& execution, const runtime::body& body,
                    const bounds& limits, const hooks& hooks) {
  exploration result;
  counts& counted = result.counts;
  watch watch{limits};
  const auto cut_by = [&result](const std::string& bound) {
    result.bound += (result.bound.empty() ? "" : " and ") + bound;
  };
  bool steps_cut = false;
  while (strategy.next()) {
    // asked only when there is more to do: a search that is just complete is not cut
    if (std::string bound = watch.hit(counted); !bound.empty()) {
      cut_by(bound);
      break;
    }
    const graph::execution_graph& before = strategy.graph();
    const std::uint32_t replayed = before.event_count();
    const bool ok = execution.run(body, strategy);
    if (execution.has_learned()) {
      strategy.restart();
      counted = {};
      result.bound.clear();
      steps_cut = false;
      continue;
    }
    ++counted.runs;
    const graph::execution_graph& graph = strategy.graph();
    counted.events += graph.event_count() - std::min(replayed, graph.event_count());
    counted.largest_graph = std::max(counted.largest_graph, graph.event_count());

    leaf end;
    if (ok) {
      end = judge_leaf(strategy, execution, graph);
    } else {
      end.how = ending::failed;
      end.failure = execution.failed();
    }
    if (hooks.ended) hooks.ended(execution, graph, end.how);
    switch (end.how) {
      case ending::complete:
        ++counted.executions;
        break;
      case ending::blocked:
        ++counted.blocked;
        break;
      case ending::dropped:
        ++counted.dropped;
        break;
      case ending::failed:
        break;
    }
    if (end.failure && (!result.failure || !ok)) {
      result.failure = end.failure;
      result.verdict = end.failure->kind;
    }
    if (end.failure && (!ok || !hooks.keep_going)) break;
    if (end.cut && !end.failure && !steps_cut) {
      steps_cut = true;
      cut_by(end.cut_where.file == nullptr ? "max_steps"
                                           : "max_steps at " + runtime::describe(end.cut_where));
    }
  }
  counted.dead_ends = strategy.done().dead_ends;
  if (!result.failure && !result.bound.empty()) result.verdict = verdict_kind::incomplete;
  return result;
}

}  // namespace heddle::search
