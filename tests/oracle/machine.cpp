#include "tests/oracle/machine.hpp"

#include <bit>

namespace heddle::oracle {

using litmus::instruction;
using litmus::memory_order;
using litmus::operation;

namespace {

thread_state& thread_of(machine_state& state, int thread) {
  return state.threads[static_cast<std::size_t>(thread)];
}
const thread_state& thread_of(const machine_state& state, int thread) {
  return state.threads[static_cast<std::size_t>(thread)];
}

bool is_condition_true(const instruction& what, const thread_state& thread) {
  return holds(what.relation, evaluate(what.left, thread.registers),
               evaluate(what.right, thread.registers));
}

std::uint64_t bits(std::int64_t value) { return static_cast<std::uint64_t>(value); }
std::int64_t number(std::uint64_t value) { return static_cast<std::int64_t>(value); }

// The n-th lowest bit set.
int bit_at(std::int64_t set, int n) {
  std::uint64_t rest = bits(set);
  for (; n > 0; --n) rest &= rest - 1;
  return std::countr_zero(rest);
}

}  // namespace

// What a read of a given value does.
struct machine::effect {
  bool is_satisfied = true;  // false: an await that goes on waiting
  bool writes = false;       // it is the first half of an update
  bool picks = false;
  std::int64_t new_value = 0;
  memory_order order = memory_order::relaxed;
};

machine::machine(const litmus::program& source)
    : source_(source), is_spawned_(source.threads.size()), is_joined_(source.threads.size()) {
  for (const auto& thread : source.threads) {
    for (const instruction& what : thread) {
      if (what.kind == operation::spawn) is_spawned_[static_cast<std::size_t>(what.count)] = true;
      if (what.kind == operation::join) is_joined_[static_cast<std::size_t>(what.count)] = true;
    }
  }
}

machine_state machine::start() const {
  machine_state state;
  state.graph = initial_execution(source_);
  for (int t = 0; t < thread_count(); ++t) {
    if (!is_spawned_[static_cast<std::size_t>(t)]) {
      thread_of(state, t).status = thread_status::running;
    }
  }
  return state;
}

void machine::settle(machine_state& state) const {
  for (bool moved = true; moved;) {
    moved = false;
    for (int t = 0; t < thread_count(); ++t) {
      while (advance(state, t)) moved = true;
    }
  }
}

bool machine::advance(machine_state& state, int t) const {
  thread_state& thread = thread_of(state, t);
  if (thread.status != thread_status::running || thread.half != litmus::none) return false;

  const auto& code = source_.threads[static_cast<std::size_t>(t)];
  if (static_cast<std::size_t>(thread.next) >= code.size()) {
    thread.status = thread_status::finished;
    if (is_joined_[static_cast<std::size_t>(t)]) {
      thread.end = static_cast<std::int8_t>(append(state, t, {.kind = event_kind::end}));
    }
    return true;
  }

  const instruction& what = code[static_cast<std::size_t>(thread.next)];
  switch (what.kind) {
    case operation::assign:
      thread.registers[static_cast<std::size_t>(what.result)] =
          evaluate(what.left, thread.registers);
      break;
    case operation::skip_if:
      if (is_condition_true(what, thread)) {
        const auto left = static_cast<int>(code.size()) - thread.next - 1;
        thread.next += what.count < left ? what.count : left;
      }
      break;
    case operation::assume:
      if (!is_condition_true(what, thread)) {
        thread.status = thread_status::stuck;
        return true;
      }
      break;
    case operation::check:
      if (!is_condition_true(what, thread)) state.assertion_failed = true;
      break;
    case operation::fence:
      append(state, t, {.kind = event_kind::fence, .order = what.order});
      break;
    case operation::spawn: {
      const int spawn = append(state, t, {.kind = event_kind::spawn});
      thread_of(state, what.count).status = thread_status::running;
      append(state, what.count,
             {.kind = event_kind::begin, .source = static_cast<std::int8_t>(spawn)});
      break;
    }
    case operation::join: {
      const thread_state& target = thread_of(state, what.count);
      if (target.status != thread_status::finished) return false;
      append(state, t, {.kind = event_kind::join, .source = target.end});
      break;
    }
    default:
      return false;
  }
  ++thread.next;
  return true;
}

const instruction& machine::instruction_of(const machine_state& state, int t) const {
  return source_
      .threads[static_cast<std::size_t>(t)][static_cast<std::size_t>(thread_of(state, t).next)];
}

bool machine::is_at_await(const machine_state& state, int t) const {
  if (thread_of(state, t).status != thread_status::running) return false;
  const operation kind = instruction_of(state, t).kind;
  return kind == operation::await || kind == operation::await_exchange ||
         kind == operation::await_decrement;
}

bool machine::would_satisfy(const machine_state& state, int t, int write) const {
  return effect_of(state, t, state.graph.at(write).value).is_satisfied;
}

int machine::choices(const machine_state& state, int t) const {
  const thread_state& thread = thread_of(state, t);
  if (thread.status != thread_status::running) return 0;
  if (thread.is_picking) return std::popcount(bits(state.graph.at(thread.half).value));
  const instruction& what = instruction_of(state, t);
  return what.kind == operation::choice ? what.count : 0;
}

machine::effect machine::effect_of(const machine_state& state, int t, std::int64_t value) const {
  const instruction& what = instruction_of(state, t);
  const litmus::register_file& registers = thread_of(state, t).registers;
  const std::int64_t left = evaluate(what.left, registers);
  const std::int64_t right = evaluate(what.right, registers);
  effect result;
  result.order = what.order;
  result.writes = true;
  switch (what.kind) {
    case operation::fetch_add:
      result.new_value = number(bits(value) + bits(left));
      break;
    case operation::fetch_sub:
      result.new_value = number(bits(value) - bits(left));
      break;
    case operation::exchange:
      result.new_value = left;
      break;
    case operation::fetch_or:
      result.new_value = number(bits(value) | bits(left));
      break;
    case operation::fetch_and_not:
      result.new_value = number(bits(value) & ~bits(left));
      break;
    case operation::compare_exchange:
      result.writes = value == left;
      result.new_value = right;
      if (!result.writes) result.order = what.failure_order;
      break;
    case operation::await:
      result.writes = false;
      result.is_satisfied = holds(what.relation, value, left);
      break;
    case operation::await_exchange:
      result.writes = result.is_satisfied = value == left;
      result.new_value = right;
      break;
    case operation::await_decrement:
      result.writes = result.is_satisfied = value > 0;
      result.new_value = number(bits(value) - 1);
      break;
    case operation::pick:
      result.writes = result.picks = value != 0;
      break;
    default:
      result.writes = false;
  }
  return result;
}

void machine::deliver(thread_state& thread, const instruction& what, std::int64_t value) const {
  if (what.result != litmus::none) {
    thread.registers[static_cast<std::size_t>(what.result)] = value;
  }
  ++thread.next;
}

int machine::append(machine_state& state, int t, event what) const {
  what.thread = static_cast<std::int8_t>(t);
  return state.graph.append(what);
}

void machine::choose(machine_state& state, int t, int value) const {
  thread_state& thread = thread_of(state, t);
  append(state, t, {.kind = event_kind::choice, .value = value});
  if (!thread.is_picking) {
    deliver(thread, instruction_of(state, t), value);
    return;
  }
  const std::int64_t set = state.graph.at(thread.half).value;
  thread.is_picking = false;
  thread.new_value = number(bits(set) & ~(std::uint64_t{1} << bit_at(set, value)));
}

void machine::read(machine_state& state, int t, int source) const {
  thread_state& thread = thread_of(state, t);
  const instruction& what = instruction_of(state, t);
  const std::int64_t value = state.graph.at(source).value;
  const effect result = effect_of(state, t, value);
  const int id = append(state, t,
                        {.kind = event_kind::read,
                         .order = result.order,
                         .location = static_cast<std::int8_t>(what.location),
                         .source = static_cast<std::int8_t>(source),
                         .is_update = result.writes,
                         .value = value});
  if (!result.is_satisfied) {
    thread.status = thread_status::blocked;
  } else if (result.writes) {
    thread.half = static_cast<std::int8_t>(id);
    thread.is_picking = result.picks;
    thread.new_value = result.new_value;
  } else {
    deliver(thread, what, what.kind == operation::pick ? -1 : value);
  }
}

int machine::write(machine_state& state, int t) const {
  thread_state& thread = thread_of(state, t);
  const instruction& what = instruction_of(state, t);
  event added{.kind = event_kind::write,
              .order = what.order,
              .location = static_cast<std::int8_t>(what.location)};
  if (thread.half == litmus::none) {
    added.value = evaluate(what.left, thread.registers);
    deliver(thread, what, 0);
    return append(state, t, added);
  }
  const std::int64_t old_value = state.graph.at(thread.half).value;
  added.source = thread.half;
  added.is_update = true;
  added.value = thread.new_value;
  // Of two sets of bits that differ in the one taken, the difference is that bit.
  const bool is_pick = what.kind == operation::pick;
  deliver(thread, what,
          is_pick ? std::countr_zero(bits(old_value) ^ bits(added.value)) : old_value);
  thread.half = litmus::none;
  return append(state, t, added);
}

}  // namespace heddle::oracle
