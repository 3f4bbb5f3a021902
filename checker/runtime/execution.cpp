#include "checker/runtime/execution.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "checker/runtime/engine_section.hpp"
#include "checker/runtime/heap.hpp"

namespace heddle::runtime {

using graph::event;
using graph::event_kind;
using graph::operation;
using graph::operation_kind;
using graph::thread_id;
using graph::value;

namespace {

// A thread that goes on alone for so long lets the others have a turn: what it loops for may be
// theirs to do.
constexpr std::uint32_t turn = 64;

// Of objects that the body gives no name.
std::string name_of(graph::object_kind kind) {
  using graph::object_kind;
  switch (kind) {
    case object_kind::mutex:
    case object_kind::shared_mutex:
      return "lock";
    case object_kind::semaphore:
      return "semaphore";
    case object_kind::latch:
      return "latch";
    case object_kind::barrier:
    case object_kind::barrier_phases:
      return "barrier";
    case object_kind::once_flag:
      return "once_flag";
    case object_kind::static_guard:
      return "static";
    case object_kind::condition:
    case object_kind::condition_slot:
      return "condition";
    case object_kind::futex:
    case object_kind::futex_slot:
      return "futex";
    case object_kind::stop_state:
      return "stop_state";
    case object_kind::task:
      return "task";
    case object_kind::atomic:
    case object_kind::inner:
      break;
  }
  return "object";
}

}  // namespace

execution::execution(const execution_limits& limits) : limits_{limits} {}
execution::~execution() = default;

// --- a run

bool execution::run(const body& what, decisions& strategy) {
  heap_reset();
  objects_.start_execution();
  plain_.start_execution();
  locals_.start_execution();
  at_body_exit_.clear();
  static_guards_.clear();
  for (auto& thread : threads_) {
    thread->state = thread_state::absent;
    thread->consumed = 0;
    thread->recorded = 0;
  }
  strategy_ = &strategy;
  graph_ = &strategy.graph();
  body_ = &what;
  is_live_ = false;
  is_scheduled_ = strategy.schedules();
  failure_.reset();
  has_learned_ = false;
  prepare(0, nullptr, nullptr, false, {});
  if (replay() && !learn_loops()) {
    is_live_ = true;
    if (is_scheduled_) {
      go_on_scheduled();
    } else {
      go_on();
    }
  }
  locals_.leave();
  if (failure_ && failure_->kind == verdict_kind::crash) place_crash();
  return !failure_;
}

void execution::prepare(thread_id id, void (*entry)(void*), void* argument, bool daemon,
                        location where) {
  while (threads_.size() <= id)
    threads_.push_back(std::make_unique<model_thread>(limits_.stack_size));
  model_thread& thread = *threads_[id];
  thread.state = thread_state::fresh;
  thread.daemon = daemon;
  thread.stands = false;
  thread.answered = false;
  thread.replay_waiting = false;
  thread.in_await = false;
  thread.entry = entry;
  thread.argument = argument;
  thread.consumed = 0;
  thread.recorded = graph_->size(id);
  thread.spawns = 0;
  thread.constructions = 0;
  thread.created_where = where;
  thread.spurious = {};
  thread.making = {};
  thread.clock.clear();
  thread.at_thread_exit.clear();
  thread.spin.stop();
  locals_.make_new(id);
  thread.noted.reset();
  thread.places.clear();
}

void execution::thread_entry(void* thread) {
  current_execution->run_body_of(*static_cast<model_thread*>(thread));
}

void execution::run_body_of(model_thread& thread) {
  try {
    if (thread.entry == nullptr) {
      body_->call(body_->object);
    } else {
      thread.entry(thread.argument);
    }
    destroy_locals(thread);
    if (thread.entry == nullptr) destroy_statics();
  } catch (const std::exception& e) {
    const engine_section section;
    exception_left(std::string{"an exception left the thread: "} + e.what());
  } catch (...) {
    const engine_section section;
    exception_left("an exception that is no std::exception left the thread");
  }
  const engine_section section;
  operation op;
  op.kind = operation_kind::end;
  request(op, {});
  thread.state = thread_state::finished;
}

void execution::resume(thread_id id) {
  model_thread& thread = *threads_[id];
  running_ = id;
  if (thread.state == thread_state::fresh) thread.fiber.start(thread_entry, &thread);
  thread.state = thread_state::ready;
  thread.run_length = 0;
  locals_.enter(id);
  heap_enable(id);
  current_execution = this;
  thread.fiber.resume();
  current_execution = nullptr;
  heap_disable();
}

void execution::leave(model_thread& me) {
  const thread_id id = running_;
  me.fiber.suspend();
  // still within the request that left
  running_ = id;
  heap_disable();
  current_execution = nullptr;
}

void execution::leave_for_good(thread_state state) {
  model_thread& thread = *threads_[running_];
  thread.state = state;
  for (;;) leave(thread);
}

void execution::fail(verdict_kind kind, std::string message, location where, location other,
                     thread_id other_thread) {
  failure_.emplace(failure{kind, std::move(message), where, other, running_, other_thread});
  for (;;) leave(*threads_[running_]);
}

void execution::note_failure(std::string message, const std::string& file, int line) {
  model_thread& me = *threads_[running_];
  if (me.noted) return;
  location where;
  if (!file.empty() && line > 0) {
    where.file = foreign_files_.insert(file).first->c_str();
    where.line = static_cast<std::uint32_t>(line);
  }
  me.noted.emplace(failure{verdict_kind::assertion, std::move(message), where, {}, running_, 0});
}

// --- live

value execution::request(operation& op, location where) {
  model_thread& me = *threads_[running_];
  if (me.noted) fail(me.noted->kind, me.noted->message, me.noted->where);
  if (me.in_await && (op.kind != operation_kind::load || op.blocks))
    fail(verdict_kind::error, "only loads are allowed inside await(pred)", where);
  if (spin_places_.empty())
    return me.consumed < me.recorded ? replayed(me, op, where) : live(me, op, where);
  if (spins(me, op, where)) leave_for_good(thread_state::spinning);
  const value result = me.consumed < me.recorded ? replayed(me, op, where) : live(me, op, where);
  if (me.spin.is_on()) {
    if (op.kind == operation_kind::rmw && op.writes_after(result) && op.new_value(result) != result)
      me.spin.stop();
    else
      stretch_begins(me);
  }
  return result;
}

// A load that has just returned the same: likely a loop that waits for another thread.
bool execution::is_repeating(const model_thread& me, const operation& op) const {
  if (op.kind != operation_kind::load || me.consumed < 2) return false;
  const event& last = (*graph_)[{running_, me.consumed - 1}];
  const event& before = (*graph_)[{running_, me.consumed - 2}];
  return before.kind == event_kind::read && before.location == last.location &&
         before.reads_from == last.reads_from;
}

value execution::live(model_thread& me, const operation& op, location where) {
  if (me.consumed >= limits_.max_steps && op.kind != operation_kind::end) {
    me.pending = op;
    me.pending_where = where;
    leave_for_good(thread_state::bounded);
  }
  const thread_id id = running_;
  if (!is_live_ || is_scheduled_) {
    // the whole graph is replayed before anything new happens; or the strategy schedules
    me.pending = op;
    me.pending_where = where;
    me.stands = true;
    leave(me);
  }
  if (!me.answered) {
    const answer a = strategy_->perform(id, op);
    if (a.what == outcome::wait) {
      me.pending = op;
      me.pending_where = where;
      me.stands = true;
      me.state = thread_state::waiting;
      leave(me);
    } else {
      take_answer(me, id, op, where, a);
    }
  }
  me.stands = false;
  me.answered = false;
  note_places(me, where);
  if ((op.kind == operation_kind::load || op.kind == operation_kind::rmw) && learn_loop(id))
    for (;;) leave(me);
  if (me.state == thread_state::assumed || me.state == thread_state::sleeping)
    leave_for_good(me.state);
  if (++me.run_length >= turn || is_repeating(me, op)) {
    if (!is_scheduled_) leave(me);
  }
  return me.given;
}

void execution::take_answer(model_thread& thread, thread_id id, const operation& op, location where,
                            const answer& given) {
  thread.answered = true;
  thread.given = given.result;
  thread.consumed = graph_->size(id);
  if (given.what == outcome::stuck) {
    thread.state = op.sleeps ? thread_state::sleeping : thread_state::assumed;
    thread.pending = op;
    thread.pending_where = where;
  }
}

// Lets the thread make its next move, if it can.
bool execution::step(thread_id id) {
  model_thread& thread = *threads_[id];
  switch (thread.state) {
    case thread_state::fresh:
    case thread_state::ready:
      resume(id);
      return true;
    case thread_state::waiting: {
      const answer a = strategy_->perform(id, thread.pending);
      if (a.what == outcome::wait) return false;
      take_answer(thread, id, thread.pending, thread.pending_where, a);
      if (a.what == outcome::stuck) {
        note_places(thread, thread.pending_where);
      } else {
        resume(id);
      }
      return true;
    }
    default:
      return false;
  }
}

void execution::go_on() {
  std::vector<thread_id> waiting;
  std::vector<const operation*> operations;
  for (thread_id last = thread_count() - 1;;) {
    bool moved = false;
    const thread_id count = thread_count();
    for (thread_id k = 1; k <= count && !moved; ++k) {
      const thread_id id = (last + k) % count;
      moved = step(id);
      if (failure_) return;
      if (moved) last = id;
    }
    if (moved) continue;
    waiting.clear();
    operations.clear();
    for (thread_id id = 0; id < count; ++id) {
      if (threads_[id]->state != thread_state::waiting) continue;
      waiting.push_back(id);
      operations.push_back(&threads_[id]->pending);
    }
    if (waiting.empty() || !strategy_->decide(waiting, operations)) return;
  }
}

void execution::go_on_scheduled() {
  std::vector<thread_id> standing;
  std::vector<const operation*> operations;
  // Threads that could not move since another one did.
  std::vector<bool> tried;
  for (;;) {
    for (thread_id id = 0; id < thread_count(); ++id) {
      if (threads_[id]->state != thread_state::fresh) continue;
      resume(id);
      if (failure_) return;
    }
    tried.resize(thread_count(), false);
    standing.clear();
    operations.clear();
    for (thread_id id = 0; id < thread_count(); ++id) {
      const thread_state state = threads_[id]->state;
      if ((state != thread_state::ready && state != thread_state::waiting) || tried[id]) continue;
      standing.push_back(id);
      operations.push_back(&threads_[id]->pending);
    }
    const std::size_t chosen =
        standing.empty() ? decisions::none : strategy_->choose(standing, operations);
    if (chosen != decisions::none) {
      const thread_id id = standing[chosen];
      model_thread& thread = *threads_[id];
      const answer a = strategy_->perform(id, thread.pending);
      if (a.what == outcome::wait) {
        thread.state = thread_state::waiting;
        tried[id] = true;
        continue;
      }
      tried.assign(thread_count(), false);
      take_answer(thread, id, thread.pending, thread.pending_where, a);
      if (a.what == outcome::stuck) {
        note_places(thread, thread.pending_where);
      } else {
        resume(id);
      }
      if (failure_) return;
      continue;
    }
    standing.clear();
    operations.clear();
    for (thread_id id = 0; id < thread_count(); ++id) {
      // what the strategy has not chosen cannot go on
      if (threads_[id]->state == thread_state::ready) threads_[id]->state = thread_state::waiting;
      if (threads_[id]->state != thread_state::waiting) continue;
      standing.push_back(id);
      operations.push_back(&threads_[id]->pending);
    }
    if (standing.empty() || !strategy_->decide(standing, operations)) return;
    tried.assign(thread_count(), false);
  }
}

// --- objects

object_table::object& execution::object_at(const void* object, value initial) {
  object = identity(object);
  if (object_table::object* known = objects_.find(object)) return *known;
  object_table::object& made = objects_.first_use(object);
  // a name may have come before the first use
  if (const auto named = plain_names_.find(object); named != plain_names_.end())
    names_[made.location] = named->second;
  graph_->set_initial(made.location, initial);
  return made;
}

void execution::constructed(const void* object, value initial, std::size_t constant_bytes) {
  model_thread& me = *threads_[running_];
  me.spin.stop();
  if (me.making.first == nullptr) me.making.first = object;
  me.making.constant_bytes += constant_bytes;
  const object_table::object& made =
      objects_.construct(identity(object), running_, me.constructions++);
  graph_->set_initial(made.location, initial);
}

object_side& execution::side(const void* object, value initial) {
  return object_at(object, initial).side;
}

value execution::perform(const void* object, value initial, operation& op, location where,
                         const user_call& from) {
  threads_[running_]->from = from;
  object_table::object& known = object_at(object, initial);
  known.kind = op.object;
  op.location = known.location;
  has_blocked_ |= op.blocks;
  return request(op, where);
}

value execution::perform_part(const void* object, value initial, std::uint32_t n, operation& op,
                              location where) {
  op.location = objects_.part(object_at(object, initial).location, n, op.object);
  graph_->set_initial(op.location, {});
  has_blocked_ |= op.blocks;
  return request(op, where);
}

void execution::name(const void* object, std::string_view text) {
  object = identity(object);
  if (const object_table::object* known = objects_.find(object))
    names_[known->location] = text;
  else
    plain_names_[object] = text;
}

std::string execution::location_name(graph::location_id location) const {
  const auto named = names_.find(location);
  if (named != names_.end()) return named->second;
  if (const auto part = objects_.whole(location)) return location_name(part->location);
  return name_of(objects_.kind(location)) + std::to_string(location);
}

void execution::plain(const void* object, bool writes, location where) {
  object = identity(object);
  const model_thread& me = *threads_[running_];
  ++plain_accesses_;
  const plain_memory::access now{running_, me.consumed, writes, where};
  const auto conflict =
      plain_.note(object, now, graph_->happens_before_after(running_, me.consumed));
  if (!conflict) return;
  const auto named = plain_names_.find(object);
  fail(verdict_kind::data_race,
       "data race" + (named == plain_names_.end() ? "" : " on " + named->second) + ": thread " +
           std::to_string(running_) + (writes ? " writes" : " reads") + ", thread " +
           std::to_string(conflict->thread) + (conflict->writes ? " wrote" : " read") +
           ", and nothing orders the two",
       where, conflict->where, conflict->thread);
}

// --- loops that spin

bool execution::is_known_to_spin(location where) const {
  return std::any_of(spin_places_.begin(), spin_places_.end(), [where](const location& l) {
    return l.file == where.file && l.line == where.line;
  });
}

// Has the thread just completed a round of a loop that changes nothing?
bool execution::spins(model_thread& me, const operation& op, location where) {
  if (me.spin.is_on()) me.spin.stretch_ends();
  const bool only_reads =
      (op.kind == operation_kind::load || op.kind == operation_kind::rmw) && !op.blocks;
  if (!only_reads && op.kind != operation_kind::fence) me.spin.stop();
  if (!only_reads || me.in_await || !is_known_to_spin(where)) return false;
  const auto first = me.spin.arrive({where, me.from.frame, me.from.call, op.location, me.consumed});
  if (!first || me.consumed < me.recorded) return false;
  me.await_from = *first;
  me.pending = op;
  me.pending_where = where;
  return true;
}

void execution::stretch_begins(model_thread& me) {
  memory_.clear();
  const auto add = [this](const void* begin, const void* end) {
    constexpr std::uintptr_t word = sizeof(std::uint64_t);
    const auto from = (reinterpret_cast<std::uintptr_t>(begin) + word - 1) & ~(word - 1);
    const auto to = (reinterpret_cast<std::uintptr_t>(end) + word - 1) & ~(word - 1);
    if (from < to)
      memory_.push_back({reinterpret_cast<const std::byte*>(from),
                         reinterpret_cast<const std::byte*>(to)});  // NOLINT
  };
  add(me.spin.lowest_frame(), me.fiber.stack().top());
  for (thread_id id = 0; id < thread_count(); ++id) {
    const model_thread& other = *threads_[id];
    const std::span<const std::byte> heap = heap_used(id);
    add(heap.data(), heap.data() + heap.size());
    if (&other == &me || other.state == thread_state::absent ||
        other.state == thread_state::fresh || other.fiber.finished())
      continue;
    add(other.fiber.parked_at(), other.fiber.stack().top());
  }
  for (const static_storage& s : find_static_storage()) add(s.begin, s.end);
  if (const thread_local_block& local = locals_.block(); local.begin != nullptr)
    add(local.begin, local.begin + local.size);
  me.spin.stretch_begins(memory_);
}

// Has the thread done the same three times in a loop? From now on its rounds are compared; the run
// is over.
bool execution::learn_loop(thread_id id) {
  const model_thread& thread = *threads_[id];
  if (graph_->events(id).back().previous_access == 0 || thread.in_await ||
      thread.places.size() != graph_->size(id))
    return false;
  const auto first = repeated_rounds(graph_->events(id), thread.places);
  if (!first || is_known_to_spin(thread.places[*first])) return false;
  spin_places_.push_back(thread.places[*first]);
  has_learned_ = true;
  has_blocked_ = true;
  failure_.emplace();
  return true;
}

bool execution::learn_loops() {
  for (thread_id id = 0; id < thread_count(); ++id)
    if (threads_[id]->state != thread_state::absent && graph_->size(id) != 0 && learn_loop(id))
      return true;
  return false;
}

// --- threads

thread_id execution::child(std::uint32_t n, location where) {
  model_thread& parent = *threads_[running_];
  while (parent.children.size() <= n) {
    if (next_thread_ >= limits_.max_threads)
      fail(verdict_kind::error,
           "more than " + std::to_string(limits_.max_threads) +
               " threads: raise max_threads (HEDDLE_MAX_THREADS), at most " +
               std::to_string(graph::max_thread_count),
           where);
    parent.children.push_back(next_thread_++);
  }
  return parent.children[n];
}

thread_id execution::spawn(void (*entry)(void*), void* argument, bool daemon, location where) {
  operation op;
  op.kind = operation_kind::spawn;
  op.other = child(threads_[running_]->spawns++, where);
  const thread_id spawned = op.other;
  request(op, where);
  prepare(spawned, entry, argument, daemon, where);
  return spawned;
}

void execution::yield() {
  model_thread& me = *threads_[running_];
  if (!is_live_ || is_scheduled_) return;
  if (me.spin.is_on()) me.spin.stretch_ends();
  leave(me);
  if (me.spin.is_on()) stretch_begins(me);
}

void execution::stop_here(location where) {
  model_thread& me = *threads_[running_];
  if (me.consumed < me.recorded) {
    operation op;
    op.kind = operation_kind::end;
    not_repeated("followed by more", "", op, where);
  }
  me.pending_where = where;
  leave_for_good(thread_state::assumed);
}

void execution::covered_elsewhere(location where) {
  threads_[running_]->pending_where = where;
  leave_for_good(thread_state::covered);
}

bool execution::fails_spuriously(graph::choice_reason reason, location where) {
  const auto kind = static_cast<std::size_t>(reason) -
                    static_cast<std::size_t>(graph::choice_reason::spurious_wakeup);
  const std::array limits{limits_.spurious_wakeups, limits_.weak_failures,
                          limits_.try_lock_failures};
  std::uint32_t& so_far = threads_[running_]->spurious[kind];
  if (so_far >= limits[kind]) return false;
  operation op;
  op.kind = operation_kind::choice;
  op.count = 2;
  op.reason = reason;
  if (request(op, where).low == 0) return false;
  ++so_far;
  return true;
}

// The latest step of any thread's clock that happens before now.
std::int64_t execution::now() const {
  std::int64_t latest = 0;
  const graph::view past = graph_->happens_before_after(running_, threads_[running_]->consumed);
  for (thread_id id = 0; id < thread_count(); ++id) {
    if (threads_[id]->state == thread_state::absent) continue;
    for (const model_thread::clock_step& step : threads_[id]->clock)
      if (id == running_ || step.count < past[id]) latest = std::max(latest, step.time);
  }
  return latest;
}

void execution::advance_clock(std::int64_t to) {
  model_thread& me = *threads_[running_];
  if (to > now()) me.clock.push_back({me.consumed, to});
}

void execution::await_begin(location where) {
  model_thread& me = *threads_[running_];
  if (me.in_await) fail(verdict_kind::error, "only loads are allowed inside await(pred)", where);
  me.in_await = true;
  has_blocked_ = true;
  me.await_from = me.consumed;
}

void execution::await_again(location where) {
  model_thread& me = *threads_[running_];
  me.in_await = false;
  me.pending_where = where;
  leave_for_good(thread_state::awaiting);
}

void execution::await_end() { threads_[running_]->in_await = false; }

void execution::reached(std::string_view outcome) {
  if (std::find(outcomes_reached_.begin(), outcomes_reached_.end(), outcome) ==
      outcomes_reached_.end())
    outcomes_reached_.emplace_back(outcome);
}

}  // namespace heddle::runtime
