#include "tests/oracle/oracle.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>
#include <utility>

#include "tests/oracle/machine.hpp"

namespace heddle::oracle {
namespace {

using litmus::instruction;
using litmus::operation;

bool has_plain_accesses(const litmus::program& source) {
  for (const auto& thread : source.threads) {
    for (const instruction& what : thread) {
      if (what.order == litmus::memory_order::plain) return true;
    }
  }
  return false;
}

void append_number(std::string& text, int value) {
  text += static_cast<char>(value & 0xff);
  text += static_cast<char>(value >> 8 & 0xff);
  text += static_cast<char>(value >> 16 & 0xff);
}

// Names a write independently of the order in which the events were added.
void append_write(std::string& text, const event& write) {
  text += static_cast<char>(write.thread + 1);
  text += static_cast<char>(write.number);
}

// The same for two states iff they are the same up to the order in which events were added. Only
// decisions are in it: the program makes everything else of them.
std::string key_of(const machine_state& state, int threads) {
  std::string key;
  key.reserve(128);
  const execution& graph = state.graph;
  for (int t = 0; t < threads; ++t) {
    for (int id = graph.locations; id < graph.size; ++id) {
      const event& what = graph.at(id);
      if (what.thread != t) continue;
      if (what.kind == event_kind::read) {
        key += 'R';
        append_write(key, graph.at(what.source));
      } else if (what.kind == event_kind::write) {
        key += 'W';
      } else if (what.kind == event_kind::choice) {
        key += 'C';
        append_number(key, static_cast<int>(what.value));
      }
    }
    key += '|';
  }
  for (int location = 0; location < graph.locations; ++location) {
    const write_order& order = graph.order_of(location);
    key += static_cast<char>(order.size);
    for (int i = 0; i < order.size; ++i) {
      append_write(key, graph.at(order.writes[static_cast<std::size_t>(i)]));
    }
  }
  return key;
}

const event& last_event(const execution& graph, int thread) {
  int id = graph.size - 1;
  while (graph.at(id).thread != thread) --id;
  return graph.at(id);
}

class search {
 public:
  search(const litmus::program& source, const options& how)
      : source_(source), how_(how), machine_(source), checks_races_(has_plain_accesses(source)) {}

  result run() {
    enter(machine_.start());
    std::sort(result_.complete.begin(), result_.complete.end());
    std::sort(result_.blocked.begin(), result_.blocked.end());
    result_.outcomes.assign(outcomes_.begin(), outcomes_.end());
    return std::move(result_);
  }

 private:
  // A state just reached, by one move.
  void enter(machine_state state) {
    if (result_.too_large || !visited_.insert(key_of(state, threads())).second) return;
    machine_.settle(state);
    if (!how_.pure) {
      if (!is_consistent(state.graph, how_.in)) return;
      note_errors(state);
    }
    ++result_.states;
    if (how_.max_states != 0 && result_.states > how_.max_states) {
      result_.too_large = true;
      return;
    }
    visit(state);
  }

  void visit(const machine_state& state) {
    // The write of an update follows its read at once.
    for (int t = 0; t < threads(); ++t) {
      const thread_state& thread = state.threads[static_cast<std::size_t>(t)];
      if (thread.half != litmus::none && !thread.is_picking) return write(state, t);
    }
    // A choice commutes with everything else.
    for (int t = 0; t < threads(); ++t) {
      if (const int count = machine_.choices(state, t); count != 0) return choose(state, t, count);
    }
    bool is_complete = true;
    for (int t = 0; t < threads(); ++t) {
      if (state.threads[static_cast<std::size_t>(t)].status != thread_status::running) continue;
      const operation kind = machine_.instruction_of(state, t).kind;
      if (kind == operation::join) continue;
      if (kind == operation::store) {
        write(state, t);
      } else {
        read(state, t);
      }
      if (how_.awaits == await_mode::assume || !machine_.is_at_await(state, t)) is_complete = false;
    }
    if (!is_complete) return;
    if (how_.pure) {
      order_all_writes(state, state.graph.locations);
    } else {
      note_graph(state);
    }
  }

  void choose(const machine_state& state, int t, int count) {
    for (int value = 0; value < count; ++value) {
      machine_state next = state;
      machine_.choose(next, t, value);
      enter(next);
    }
  }

  void read(const machine_state& state, int t) {
    const int location = machine_.instruction_of(state, t).location;
    const bool must_satisfy = how_.awaits == await_mode::parked && machine_.is_at_await(state, t);
    for (int id = 0; id < state.graph.size; ++id) {
      const event& what = state.graph.at(id);
      if (what.kind != event_kind::write || what.location != location) continue;
      if (must_satisfy && !machine_.would_satisfy(state, t, id)) continue;
      machine_state next = state;
      machine_.read(next, t, id);
      enter(next);
    }
  }

  void write(const machine_state& state, int t) {
    machine_state appended = state;
    const int id = machine_.write(appended, t);
    if (how_.pure) return enter(appended);
    const int places = appended.graph.order_of(appended.graph.at(id).location).size;
    for (int place = 0; place <= places; ++place) {
      machine_state next = appended;
      next.graph.place(id, place);
      enter(next);
    }
  }

  // Pure mode: puts the writes from `id` on into co in every way.
  void order_all_writes(const machine_state& state, int id) {
    if (id == state.graph.size) {
      if (!is_consistent(state.graph, how_.in)) return;
      note_errors(state);
      return note_graph(state);
    }
    const event& what = state.graph.at(id);
    if (what.kind != event_kind::write) return order_all_writes(state, id + 1);
    const int places = state.graph.order_of(what.location).size;
    for (int place = 0; place <= places; ++place) {
      machine_state next = state;
      next.graph.place(id, place);
      order_all_writes(next, id + 1);
    }
  }

  void note_errors(const machine_state& state) {
    if (state.assertion_failed) result_.assertion_failed = true;
    if (checks_races_ && !result_.data_race) result_.data_race = has_race(state.graph, how_.in);
  }

  // A consistent graph in which nothing moves but, perhaps, awaits.
  void note_graph(const machine_state& state) {
    bool is_blocked = false;
    bool is_deadlock = true;
    for (int t = 0; t < threads(); ++t) {
      switch (state.threads[static_cast<std::size_t>(t)].status) {
        case thread_status::dormant:
        case thread_status::finished:
          continue;
        case thread_status::stuck:
          is_deadlock = false;
          break;
        case thread_status::blocked: {
          const event& last = last_event(state.graph, t);
          if (last.source != state.graph.last_write(last.location)) is_deadlock = false;
          break;
        }
        case thread_status::running: {
          if (!machine_.is_at_await(state, t)) break;  // at a join
          const int location = machine_.instruction_of(state, t).location;
          if (machine_.would_satisfy(state, t, state.graph.last_write(location))) return;
          break;
        }
      }
      is_blocked = true;
    }
    if (is_blocked) {
      result_.blocked.push_back(canonical_text(state.graph, source_));
      if (is_deadlock) ++result_.deadlocks;
    } else {
      result_.complete.push_back(canonical_text(state.graph, source_));
      outcomes_.insert(outcome_of(state));
    }
  }

  [[nodiscard]] outcome outcome_of(const machine_state& state) const {
    outcome end;
    for (int t = 0; t < threads(); ++t) {
      end.registers.push_back(state.threads[static_cast<std::size_t>(t)].registers);
    }
    for (int location = 0; location < state.graph.locations; ++location) {
      end.memory.push_back(state.graph.at(state.graph.last_write(location)).value);
    }
    return end;
  }

  [[nodiscard]] int threads() const { return machine_.thread_count(); }

  const litmus::program& source_;
  const options& how_;
  machine machine_;
  bool checks_races_;
  std::unordered_set<std::string> visited_;
  std::set<outcome> outcomes_;
  result result_;
};

}  // namespace

result explore(const litmus::program& source, const options& how) {
  return search(source, how).run();
}

}  // namespace heddle::oracle
