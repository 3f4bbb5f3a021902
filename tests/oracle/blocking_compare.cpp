#include "tests/oracle/blocking_compare.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <unordered_set>
#include <utility>

#include "checker/search/exhaustive.hpp"
#include "checker/search/interleavings.hpp"
#include "tests/litmus/random_schedule.hpp"
#include "tests/oracle/blocking_body.hpp"
#include "tests/oracle/engine_run.hpp"

namespace heddle::oracle::blocking {
namespace {

std::string name_of(graph::event_id write) {
  if (write.is_initial()) return "init";
  return std::to_string(write.thread()) + "." + std::to_string(write.index());
}

// Program order, reads-from and modification order, and where threads wait: the same for every
// order in which the events were added. Locations by number, hidden ones too.
std::string canonical_text(const runtime::execution& run, const graph::execution_graph& graph) {
  std::string text;
  for (graph::thread_id t = 0; t < graph.thread_count(); ++t) {
    text += "| ";
    for (const graph::event& e : graph.events(t)) {
      text += "RWFCSJNE"[static_cast<int>(e.kind)];
      if (e.location != graph::no_location) text += std::to_string(e.location);
      text += "=" + std::to_string(e.val.low);
      if (e.kind == graph::event_kind::read) text += "@" + name_of(e.reads_from);
      text += " ";
    }
    if (t < run.thread_count() && run.state(t) == runtime::thread_state::waiting)
      text += "waits " + std::to_string(static_cast<int>(run.pending(t).kind)) + " ";
  }
  for (graph::location_id l = 0; l < graph.location_count(); ++l) {
    if (graph.modification_order(l).empty()) continue;
    text += "# " + std::to_string(l) + ":";
    for (const graph::event_id write : graph.modification_order(l)) text += " " + name_of(write);
  }
  return text;
}

// Does a thread stand where another execution goes on, or where a bound has cut it?
bool is_cut(const runtime::execution& run) {
  for (graph::thread_id t = 0; t < run.thread_count(); ++t) {
    const runtime::thread_state state = run.state(t);
    if (state == runtime::thread_state::assumed || state == runtime::thread_state::bounded)
      return true;
  }
  return false;
}

using outcomes = std::set<outcome>;

outcomes without(const outcomes& some, const outcomes& others) {
  outcomes rest;
  std::set_difference(some.begin(), some.end(), others.begin(), others.end(),
                      std::inserter(rest, rest.end()));
  return rest;
}

std::string list(const char* who, const outcomes& some) {
  std::string text;
  int count = 0;
  for (const outcome& o : some) {
    if (count++ == 3) return text + "\n  " + who + ": " + std::to_string(some.size() - 3) + " more";
    text += std::string("\n  ") + who + ": " + text_of(o);
  }
  return text;
}

}  // namespace

engine_result run_engine(const program& source, const engine_options& how) {
  engine_result result;
  const auto memory_model = engine_model({how.memory_model, release_sequence::cpp20});
  std::unique_ptr<search::strategy> strategy;
  if (how.interleavings) {
    strategy = std::make_unique<search::interleavings>();
  } else if (how.schedule != 0) {
    strategy =
        std::make_unique<random_schedule>(*memory_model, search::awaits::parked, how.schedule);
  } else {
    strategy = std::make_unique<search::exhaustive>(*memory_model);
  }
  body body{source};
  std::unordered_set<std::string> graphs;
  search::hooks hooks;
  hooks.keep_going = true;
  hooks.ended = [&](const runtime::execution& run, const graph::execution_graph& graph,
                    search::ending ending) {
    if (ending == search::ending::dropped || ending == search::ending::failed || is_cut(run))
      return;
    ++result.executions;
    result.outcomes.insert(body.ended(run, graph));
    if (how.interleavings || !result.repeated.empty()) return;
    std::string text = canonical_text(run, graph);
    if (!graphs.insert(text).second) result.repeated = std::move(text);
  };
  search::bounds bounds;
  if (how.max_executions != 0) bounds.max_executions = how.max_executions;
  runtime::execution execution{{}};
  const search::exploration found =
      search::explore(*strategy, execution, body.call(), bounds, hooks);
  result.cut = !found.bound.empty();
  if (found.failure && found.verdict != verdict_kind::deadlock &&
      found.verdict != verdict_kind::lost_wakeup)
    result.failure = found.failure->message;
  return result;
}

namespace {

class comparison {
 public:
  comparison(const program& source, const comparison_options& how) : source_(source), how_(how) {}

  comparison_result run() {
    machine_result expected =
        run_machine(source_, {.wakes = how_.wakes, .max_states = how_.max_states});
    result_.misuse = expected.misuse;
    result_.too_large = expected.too_large;
    result_.states = expected.states;
    if (result_.too_large || !result_.misuse.empty()) return std::move(result_);
    all_ = std::move(expected.outcomes);
    result_.outcomes = all_.size();
    result_.blocked_outcomes = static_cast<std::size_t>(
        std::count_if(all_.begin(), all_.end(), [](const outcome& o) { return o.is_blocked(); }));

    const engine_result every =
        run_engine(source_, {.interleavings = true, .max_executions = how_.max_interleavings});
    result_.cut_interleavings = every.cut;
    result_.executions += every.executions;
    look_at("all interleavings", every, all_);
    only_possible("all interleavings", every);

    const engine_result sc = search(model::sc);
    look_at("search under sc", sc, all_);
    only_possible("search under sc", sc);
    const engine_result tso = search(model::tso);
    look_at("search under tso", tso, all_);
    if (!sc.cut) look_at("search under tso", tso, sc.outcomes);
    const engine_result rc11 = search(model::rc11);
    look_at("search under rc11", rc11, all_);
    if (!tso.cut) look_at("search under rc11", rc11, tso.outcomes);

    if (!result_.difference.empty())
      result_.difference =
          print(source_) + "\nschedule " + std::to_string(how_.schedule) + result_.difference;
    return std::move(result_);
  }

 private:
  engine_result search(model memory_model) {
    engine_result found = run_engine(source_, {.memory_model = memory_model,
                                               .schedule = how_.schedule,
                                               .max_executions = how_.max_executions});
    result_.cut = result_.cut || found.cut;
    result_.executions += found.executions;
    return found;
  }

  // It has gone well, and has all these.
  void look_at(const char* what, const engine_result& engine, const outcomes& at_least) {
    std::string text;
    if (!engine.failure.empty()) text += "\n  the engine fails: " + engine.failure;
    if (!engine.repeated.empty()) text += "\n  explored twice: " + engine.repeated;
    if (!engine.cut) {
      text += list("missing", without(at_least, engine.outcomes));
    }
    differ(what, text);
  }

  void only_possible(const char* what, const engine_result& engine) {
    differ(what, list("impossible", without(engine.outcomes, all_)));
  }

  void differ(const char* what, const std::string& text) {
    if (!text.empty()) result_.difference += std::string("\n") + what + ":" + text;
  }

  const program& source_;
  const comparison_options& how_;
  outcomes all_;  // the machine's
  comparison_result result_;
};

}  // namespace

comparison_result compare(const program& source, const comparison_options& how) {
  return comparison(source, how).run();
}

namespace {

// Without the instruction; skips over it get shorter.
void remove(std::vector<instruction>& thread, std::size_t at) {
  for (std::size_t i = 0; i < at; ++i) {
    instruction& what = thread[i];
    const bool skips = what.kind == operation::skip_if || what.kind == operation::skip_unless;
    if (skips && i + static_cast<std::size_t>(what.right) >= at) --what.right;
  }
  thread.erase(thread.begin() + static_cast<std::ptrdiff_t>(at));
}

// All programs that are a little smaller; pairs, because an unlock goes with its lock.
std::vector<program> smaller(const program& source) {
  std::vector<program> found;
  for (std::size_t t = 0; source.threads.size() > 1 && t < source.threads.size(); ++t) {
    found.push_back(source);
    found.back().threads.erase(found.back().threads.begin() + static_cast<std::ptrdiff_t>(t));
  }
  for (std::size_t t = 0; t < source.threads.size(); ++t) {
    for (std::size_t i = 0; i < source.threads[t].size(); ++i) {
      program without = source;
      remove(without.threads[t], i);
      for (std::size_t k = i; k < without.threads[t].size(); ++k) {
        if (without.threads[t][k].object != source.threads[t][i].object) continue;
        found.push_back(without);
        remove(found.back().threads[t], k);
      }
      found.push_back(std::move(without));
    }
  }
  const auto zero = [&](auto field) {
    program changed = source;
    if (std::exchange(field(changed), 0) != 0) found.push_back(std::move(changed));
  };
  for (std::size_t i = 0; i < source.memory.size(); ++i)
    zero([i](program& p) -> int& { return p.memory[i]; });
  for (std::size_t i = 0; i < source.semaphores.size(); ++i)
    zero([i](program& p) -> int& { return p.semaphores[i]; });
  zero([](program& p) -> int& { return p.latch; });
  for (std::size_t t = 0; t < source.threads.size(); ++t)
    for (std::size_t i = 0; i < source.threads[t].size(); ++i)
      if (source.threads[t][i].result != none) {
        found.push_back(source);
        found.back().threads[t][i].result = none;
      }
  return found;
}

}  // namespace

program shrink(program source, const comparison_options& how) {
  for (bool progress = true; progress;) {
    progress = false;
    for (program& candidate : smaller(source)) {
      if (compare(candidate, how).difference.empty()) continue;
      source = std::move(candidate);
      progress = true;
      break;
    }
  }
  return source;
}

}  // namespace heddle::oracle::blocking
