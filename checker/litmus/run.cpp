#include "checker/litmus/run.hpp"

#include <bit>
#include <cstring>
#include <memory>
#include <numeric>
#include <type_traits>

#include "checker/runtime/engine_section.hpp"

namespace heddle::litmus {

namespace {

using graph::value;

value bits(std::int64_t v) { return {static_cast<std::uint64_t>(v), 0}; }
std::int64_t number(value v) { return static_cast<std::int64_t>(v.low); }

graph::memory_order engine_order(memory_order order) {
  switch (order) {
    case memory_order::plain:
    case memory_order::relaxed:
      return graph::memory_order::relaxed;
    case memory_order::acquire:
      return graph::memory_order::acquire;
    case memory_order::release:
      return graph::memory_order::release;
    case memory_order::acq_rel:
      return graph::memory_order::acq_rel;
    case memory_order::seq_cst:
      break;
  }
  return graph::memory_order::seq_cst;
}

// What an await compares with.
struct comparison_state {
  comparison relation;
  std::int64_t with;
};
bool compares(value current, const std::byte* state) {
  comparison_state c;
  std::memcpy(&c, state, sizeof c);
  return holds(c.relation, number(current), c.with);
}

class session {
 public:
  session(const program& source, const run_options& options) : source_{source}, options_{options} {
    const auto count = static_cast<int>(source.threads.size());
    std::vector<bool> spawned(source.threads.size(), false);
    for (const auto& thread : source.threads)
      for (const instruction& i : thread)
        if (i.kind == operation::spawn) spawned[static_cast<std::size_t>(i.count)] = true;
    std::vector<int> order = options.creation_order;
    if (order.empty()) {
      order.resize(source.threads.size());
      std::iota(order.begin(), order.end(), 0);
    }
    for (int t : order)
      if (t < count && !spawned[static_cast<std::size_t>(t)]) started_at_once_.push_back(t);
    threads_.resize(source.threads.size());
    registers_.resize(source.threads.size());
    cells_.resize(source.locations.size());
    locations_.resize(source.locations.size());
    starts_.resize(source.threads.size());
    for (std::size_t t = 0; t < starts_.size(); ++t) starts_[t] = {this, t};
  }

  runtime::body body() const {
    return {
        [](const void* self) { const_cast<session*>(static_cast<const session*>(self))->start(); },
        this};
  }

  void ended(const graph::execution_graph& graph, search::ending how, run_result& result) {
    if (violated_) ++result.violations;
    if (how == search::ending::complete && options_.outcomes) {
      final_state state;
      state.registers = registers_;
      for (std::size_t l = 0; l < cells_.size(); ++l) {
        const graph::location_id location = locations_[l];
        state.memory.push_back(location == graph::no_location
                                   ? cells_[l]
                                   : number(graph.value_of(location, graph.latest(location))));
      }
      ++result.outcomes[state];
    }
    if (options_.on_end) options_.on_end({graph, how, threads_, locations_});
  }

 private:
  struct start_of_thread {
    session* self;
    std::size_t thread;
  };

  // The first thread: sets the locations up and starts the program's threads.
  void start() {
    violated_ = false;
    {
      const runtime::engine_section section;
      for (auto& r : registers_) r.fill(0);
      // a join of a thread that is never spawned waits for ever
      for (auto& t : threads_) t = graph::max_thread_count;
      for (std::size_t l = 0; l < cells_.size(); ++l) {
        cells_[l] = source_.initial[l];
        if (is_plain(l)) {
          locations_[l] = graph::no_location;
          continue;
        }
        section->constructed(&cells_[l], bits(source_.initial[l]));
        locations_[l] = section->location_of(&cells_[l]);
      }
      for (std::size_t k = 0; k < started_at_once_.size(); ++k)
        threads_[static_cast<std::size_t>(started_at_once_[k])] =
            section->child(static_cast<std::uint32_t>(k), {});
    }
    for (int t : started_at_once_) spawn(static_cast<std::size_t>(t));
  }

  bool is_plain(std::size_t location) const {
    for (const auto& thread : source_.threads)
      for (const instruction& i : thread)
        if (i.location == static_cast<int>(location) && i.order == memory_order::plain &&
            (i.kind == operation::load || i.kind == operation::store))
          return true;
    return false;
  }

  void spawn(std::size_t thread) {
    const graph::thread_id id = runtime::spawn(
        [](void* start) {
          const auto* s = static_cast<const start_of_thread*>(start);
          s->self->interpret(s->thread);
        },
        &starts_[thread], false, {});
    threads_[thread] = id;
  }

  void interpret(std::size_t thread) {
    register_file& registers = registers_[thread];
    const auto& code = source_.threads[thread];
    for (std::size_t pc = 0; pc < code.size(); ++pc) {
      const instruction& i = code[pc];
      if (i.kind == operation::skip_if) {
        if (holds(i.relation, evaluate(i.left, registers), evaluate(i.right, registers)))
          pc += static_cast<std::size_t>(i.count);
        continue;
      }
      const std::int64_t result = carry_out(i, registers);
      if (i.result != none) registers[static_cast<std::size_t>(i.result)] = result;
    }
  }

  std::int64_t carry_out(const instruction& i, const register_file& registers) {
    const std::int64_t left = evaluate(i.left, registers);
    const std::int64_t right = evaluate(i.right, registers);
    graph::operation op;
    op.order = engine_order(i.order);
    op.failure_order = engine_order(i.failure_order);
    const auto modify = [&](graph::modify_function f) {
      op.kind = graph::operation_kind::rmw;
      op.modify = f;
      op.operand = bits(left);
    };
    switch (i.kind) {
      case operation::load:
        if (i.order == memory_order::plain) {
          runtime::plain_read(&cell(i), sizeof(std::int64_t), {});
          return cell(i);
        }
        op.kind = graph::operation_kind::load;
        break;
      case operation::store:
        if (i.order == memory_order::plain) {
          runtime::plain_write(&cell(i), sizeof(std::int64_t), {});
          cell(i) = left;
          return 0;
        }
        op.kind = graph::operation_kind::store;
        op.operand = bits(left);
        break;
      case operation::fetch_add:
        modify([](value old, value operand) { return value{old.low + operand.low, 0}; });
        break;
      case operation::fetch_sub:
        modify([](value old, value operand) { return value{old.low - operand.low, 0}; });
        break;
      case operation::exchange:
        modify(nullptr);
        break;
      case operation::fetch_or:
        modify([](value old, value operand) { return value{old.low | operand.low, 0}; });
        break;
      case operation::fetch_and_not:
        modify([](value old, value operand) { return value{old.low & ~operand.low, 0}; });
        break;
      case operation::compare_exchange:
      case operation::await_exchange:
        op.kind = graph::operation_kind::rmw;
        op.when = graph::condition::equal;
        op.blocks = i.kind == operation::await_exchange;
        op.expected = bits(left);
        op.operand = bits(right);
        if (op.blocks) op.failure_order = op.order;
        break;
      case operation::await: {
        op.kind = graph::operation_kind::load;
        op.blocks = true;
        op.when = graph::condition::predicate;
        op.predicate = compares;
        const comparison_state state{i.relation, left};
        op.state = {};
        std::memcpy(op.state.data(), &state, sizeof state);
        break;
      }
      case operation::await_decrement: {
        modify([](value old, value) { return value{old.low - 1, 0}; });
        op.blocks = true;
        op.failure_order = op.order;
        op.when = graph::condition::predicate;
        op.predicate = compares;
        const comparison_state state{comparison::greater, 0};
        op.state = {};
        std::memcpy(op.state.data(), &state, sizeof state);
        break;
      }
      case operation::pick:
        op.kind = graph::operation_kind::pick;
        op.failure_order = op.order;
        break;
      case operation::fence:
        runtime::fence(op.order, {});
        return 0;
      case operation::assign:
        return left;
      case operation::skip_if:
        return 0;
      case operation::assume:
        if (!holds(i.relation, left, right)) runtime::stop_here({});
        return 0;
      case operation::check:
        if (!holds(i.relation, left, right)) violated_ = true;
        return 0;
      case operation::choice:
        return runtime::choose(static_cast<std::uint32_t>(i.count), {});
      case operation::spawn:
        spawn(static_cast<std::size_t>(i.count));
        return 0;
      case operation::join:
        runtime::join(threads_[static_cast<std::size_t>(i.count)], {});
        return 0;
    }
    return number(runtime::perform(&cell(i), bits(source_.initial[location(i)]), op, {}));
  }

  static std::size_t location(const instruction& i) { return static_cast<std::size_t>(i.location); }
  std::int64_t& cell(const instruction& i) { return cells_[location(i)]; }

  const program& source_;
  const run_options& options_;
  std::vector<int> started_at_once_;
  std::vector<start_of_thread> starts_;
  // Of the execution.
  std::vector<std::int64_t>
      cells_;  // plain locations live here; atomic ones have their address here
  std::vector<register_file> registers_;
  std::vector<graph::thread_id> threads_;
  std::vector<graph::location_id> locations_;
  bool violated_ = false;
};

}  // namespace

run_result run(const program& source, search::strategy& strategy, const run_options& options) {
  run_result result;
  session session{source, options};
  runtime::execution_limits limits;
  limits.max_threads = graph::max_thread_count;
  runtime::execution execution{limits};
  search::hooks hooks;
  hooks.keep_going = true;
  hooks.ended = [&](const runtime::execution&, const graph::execution_graph& graph,
                    search::ending how) { session.ended(graph, how, result); };
  result.exploration = search::explore(strategy, execution, session.body(), options.limits, hooks);
  return result;
}

}  // namespace heddle::litmus
