#include "tests/oracle/engine_run.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>

#include "tests/litmus/random_schedule.hpp"

namespace heddle::oracle {
namespace {

constexpr std::array configurations{configuration{{model::sc, {}}, await_mode::parked},
                                    configuration{{model::tso, {}}, await_mode::parked},
                                    configuration{{model::rc11, {}}, await_mode::parked},
                                    configuration{{model::sc, {}}, await_mode::assume},
                                    configuration{{model::tso, {}}, await_mode::assume},
                                    configuration{{model::rc11, {}}, await_mode::assume},
                                    configuration{{model::rc11, release_sequence::cpp11}, {}}};

bool has_awaits(const litmus::program& source) {
  for (const auto& thread : source.threads) {
    for (const litmus::instruction& what : thread) {
      if (what.kind == litmus::operation::await || what.kind == litmus::operation::await_exchange ||
          what.kind == litmus::operation::await_decrement) {
        return true;
      }
    }
  }
  return false;
}

// Names the writes of an engine's graph as the program's text counts them.
class writer {
 public:
  writer(const litmus::run_options::ended& run, const litmus::program& source)
      : run_(run), source_(source) {}

  std::string text() {
    std::string text;
    for (std::size_t t = 0; t < source_.threads.size(); ++t) number_writes(t);
    for (std::size_t t = 0; t < source_.threads.size(); ++t) {
      if (t != 0) text += " | ";
      write_thread(text, run_.threads[t]);
    }
    text += " # ";
    bool is_first = true;
    for (std::size_t l = 0; l < source_.locations.size(); ++l) {
      if (run_.locations[l] == graph::no_location) continue;
      const auto order = run_.graph.modification_order(run_.locations[l]);
      if (order.empty()) continue;
      separate(text, is_first);
      text += source_.locations[l] + ":";
      for (const graph::event_id write : order) text += " " + name_of(write);
    }
    return text;
  }

 private:
  static void separate(std::string& text, bool& is_first) {
    if (!is_first) text += "; ";
    is_first = false;
  }

  void number_writes(std::size_t thread) {
    const graph::thread_id id = run_.threads[thread];
    int number = 0;
    for (std::uint32_t i = 0; i < run_.graph.size(id); ++i) {
      if (run_.graph.events(id)[i].kind != graph::event_kind::write) continue;
      names_[{id, i}] = std::to_string(thread) + "." + std::to_string(number++);
    }
  }

  std::string name_of(graph::event_id write) const {
    if (write.is_initial()) return "init";
    return names_.at({write.thread(), write.index()});
  }

  std::string access(const graph::event& e) const {
    const auto found = std::find(run_.locations.begin(), run_.locations.end(), e.location);
    const auto location = static_cast<std::size_t>(found - run_.locations.begin());
    return source_.locations.at(location) + "=" +
           std::to_string(static_cast<std::int64_t>(e.val.low));
  }

  void write_thread(std::string& text, graph::thread_id thread) const {
    bool is_first = true;
    for (std::uint32_t i = 0; i < run_.graph.size(thread); ++i) {
      const graph::event& e = run_.graph.events(thread)[i];
      switch (e.kind) {
        case graph::event_kind::read:
          separate(text, is_first);
          text += "R " + access(e) + "@" + name_of(e.reads_from);
          break;
        case graph::event_kind::write:
          separate(text, is_first);
          text += "W " + access(e);
          break;
        case graph::event_kind::fence:
          separate(text, is_first);
          text += "F";
          break;
        case graph::event_kind::choice:
          separate(text, is_first);
          text += "C " + std::to_string(e.val.low);
          break;
        case graph::event_kind::spawn:
        case graph::event_kind::join:
        case graph::event_kind::notify:  // not in the litmus language
        case graph::event_kind::end:
          break;
      }
    }
  }

  const litmus::run_options::ended& run_;
  const litmus::program& source_;
  std::map<std::pair<graph::thread_id, std::uint32_t>, std::string> names_;
};

using texts = std::vector<std::string>;

// The first of `left` that `right` does not have, counting how often each is there.
std::string first_of(const char* what, const texts& left, const texts& right) {
  texts rest;
  std::set_difference(left.begin(), left.end(), right.begin(), right.end(),
                      std::back_inserter(rest));
  if (rest.empty()) return {};
  return "\n  " + std::to_string(rest.size()) + " " + what + ", such as " + rest.front();
}

std::string difference(const char* kind, const texts& engine, const texts& expected) {
  if (engine == expected) return {};
  texts distinct = engine;
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  return std::string("\n") + kind + ": the engine has " + std::to_string(engine.size()) +
         ", the oracle " + std::to_string(expected.size()) +
         first_of("missing", expected, distinct) +
         first_of("that should not be", distinct, expected) +
         first_of("more than once", engine, distinct);
}

std::string difference(const engine_result& engine, const result& expected, await_mode awaits) {
  std::string text;
  if (expected.data_race || engine.verdict == verdict_kind::data_race) {
    // the engine stops at the first race
    if (!expected.data_race) text += "\na race that is none: " + engine.message;
    if (engine.verdict != verdict_kind::data_race) text += "\na race is not found";
    return text;
  }
  if (engine.verdict != verdict_kind::verified && engine.verdict != verdict_kind::deadlock) {
    text += "\nthe engine fails: " + engine.message;
  }
  text += difference("complete executions", engine.complete, expected.complete);
  text += difference("blocked executions", engine.blocked, expected.blocked);
  if (engine.outcomes != expected.outcomes) text += "\nthe outcomes differ";
  if (engine.assertion_failed != expected.assertion_failed) {
    text += expected.assertion_failed ? "\na failing assert is not found"
                                      : "\nan assert fails that cannot";
  }
  if (awaits == await_mode::parked &&
      (engine.verdict == verdict_kind::deadlock) != (expected.deadlocks != 0)) {
    text += expected.deadlocks != 0 ? "\na deadlock is not found" : "\na deadlock that is none";
  }
  return text;
}

// The model at `weaker` allows all that the one at `stronger` does.
std::string inclusion(const std::map<std::size_t, engine_result>& results, std::size_t stronger,
                      std::size_t weaker) {
  const auto s = results.find(stronger);
  const auto w = results.find(weaker);
  if (s == results.end() || w == results.end()) return {};
  const std::string more =
      text_of(configurations[stronger]) + " but not under " + text_of(configurations[weaker]);
  std::string found = first_of("complete", s->second.complete, w->second.complete) +
                      first_of("blocked", s->second.blocked, w->second.blocked);
  return found.empty() ? found : "\nallowed under " + more + ":" + found;
}

}  // namespace

std::string text_of(const configuration& how) {
  std::string text = how.in.memory_model == model::sc    ? "sc"
                     : how.in.memory_model == model::tso ? "tso"
                                                         : "rc11";
  if (how.in.sequences == release_sequence::cpp11) text += " with C++11 release sequences";
  return text + (how.awaits == await_mode::parked ? ", parked" : ", as assume");
}

std::vector<configuration> configurations_for(const litmus::program& source,
                                              bool with_cpp11_sequences) {
  std::vector<configuration> chosen;
  for (const configuration& how : configurations) {
    if (how.awaits == await_mode::assume && !has_awaits(source)) continue;
    if (how.in.sequences == release_sequence::cpp11 && !with_cpp11_sequences) continue;
    chosen.push_back(how);
  }
  return chosen;
}

std::unique_ptr<memory_model::memory_model> engine_model(dialect in) {
  switch (in.memory_model) {
    case model::sc:
      return memory_model::make_sequential_consistency();
    case model::tso:
      return memory_model::make_total_store_order();
    case model::rc11:
      break;
  }
  return memory_model::make_rc11(in.sequences == release_sequence::cpp11
                                     ? memory_model::release_sequences::cpp11
                                     : memory_model::release_sequences::cpp20);
}

search::awaits engine_awaits(await_mode awaits) {
  return awaits == await_mode::parked ? search::awaits::parked : search::awaits::as_assume;
}

std::string canonical_text(const litmus::run_options::ended& run, const litmus::program& source) {
  return writer(run, source).text();
}

engine_result run_engine(const litmus::program& source, const configuration& how,
                         std::uint64_t schedule) {
  engine_result result;
  const auto memory_model = engine_model(how.in);
  const search::awaits awaits = engine_awaits(how.awaits);
  const auto strategy = schedule == 0
                            ? std::make_unique<search::exhaustive>(*memory_model, awaits)
                            : std::make_unique<random_schedule>(*memory_model, awaits, schedule);
  litmus::run_options options;
  options.outcomes = true;
  options.on_end = [&](const litmus::run_options::ended& run) {
    if (run.how == search::ending::complete) {
      result.complete.push_back(canonical_text(run, source));
    } else if (run.how == search::ending::blocked) {
      result.blocked.push_back(canonical_text(run, source));
    }
  };
  const litmus::run_result found = litmus::run(source, *strategy, options);
  std::sort(result.complete.begin(), result.complete.end());
  std::sort(result.blocked.begin(), result.blocked.end());
  for (const auto& [state, times] : found.outcomes) {
    result.outcomes.push_back({state.registers, state.memory});
  }
  result.assertion_failed = found.violations != 0;
  result.verdict = found.exploration.verdict;
  if (found.exploration.failure) result.message = found.exploration.failure->message;
  return result;
}

comparison_result compare(const litmus::program& source, const comparison_options& options) {
  comparison_result all;
  std::map<std::size_t, engine_result> results;
  for (const configuration& how : configurations_for(source, options.cpp11_sequences)) {
    const result expected =
        explore(source, {.in = how.in, .awaits = how.awaits, .max_states = options.max_states});
    if (expected.too_large) {
      all.too_large = true;
      continue;
    }
    engine_result engine = run_engine(source, how, options.schedule);
    ++all.runs;
    all.graphs += engine.complete.size() + engine.blocked.size();
    if (const std::string text = difference(engine, expected, how.awaits); !text.empty()) {
      all.difference +=
          "\nunder " + text_of(how) + ", schedule " + std::to_string(options.schedule) + ":" + text;
    }
    if (expected.data_race) {
      all.data_race = true;
      continue;
    }
    const auto same = [&how](const configuration& other) { return text_of(other) == text_of(how); };
    const auto at = std::find_if(configurations.begin(), configurations.end(), same);
    results.emplace(static_cast<std::size_t>(at - configurations.begin()), std::move(engine));
  }
  all.difference += inclusion(results, 0, 1);
  all.difference += inclusion(results, 1, 2);
  all.difference += inclusion(results, 3, 4);
  all.difference += inclusion(results, 4, 5);
  all.difference += inclusion(results, 6, 2);
  if (!all.difference.empty()) all.difference = print(source) + all.difference;
  return all;
}

}  // namespace heddle::oracle
