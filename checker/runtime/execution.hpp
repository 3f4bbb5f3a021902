// One execution of a body on fibers: replays the graph that the search presents, then goes on live.
//
// A request of a thread whose next event is recorded, and whose source has been replayed, is
// answered in place from the record; so is a live one that does not wait: a fiber is left only when
// it has to wait, so there are as few switches as the order of events allows. The order of the
// replay respects program order and reads_from (shared/design/exploration.md 6), so that plain
// memory has the right contents.
//
// The object is used for many executions, one after the other, on one OS thread; stacks, tables and
// the numbers of threads and locations persist. It owns the fibers and the records of threads, not
// the graph.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "checker/runtime/call_stack.hpp"
#include "checker/runtime/decisions.hpp"
#include "checker/runtime/fiber.hpp"
#include "checker/runtime/interface.hpp"
#include "checker/runtime/object_side.hpp"
#include "checker/runtime/object_table.hpp"
#include "checker/runtime/plain_access.hpp"
#include "checker/runtime/spin_loop.hpp"
#include "checker/runtime/thread_locals.hpp"
#include "checker/runtime/verdict.hpp"

namespace heddle::runtime {

struct execution_limits {
  std::uint32_t max_threads = 32;    // at most graph::max_thread_count
  std::uint32_t max_steps = 10'000;  // events of one thread
  std::size_t stack_size = std::size_t{256} << 10;
  // Spurious failures that the search may choose, per thread.
  std::uint32_t spurious_wakeups = 0;
  std::uint32_t weak_failures = 0;
  std::uint32_t try_lock_failures = 0;
};

// Why an execution ended before its end. For kind `error` it is the checker that is misused, or the
// body that does not repeat itself.
struct failure {
  verdict_kind kind = verdict_kind::error;
  std::string message;
  location where;
  location other;  // a second place that belongs to it, if any
  graph::thread_id thread = 0;
  graph::thread_id other_thread = 0;  // of a data race
};

// The state of a thread when the execution has ended.
enum class thread_state : std::uint8_t {
  absent,    // not in this execution
  fresh,     // spawned, not started yet
  ready,     // may go on
  waiting,   // stands at an operation that blocks
  assumed,   // stuck for good: a condition that was assumed did not hold
  awaiting,  // stuck in await(pred): waits for a change of what it has read
  spinning,  // stuck in a loop whose last round changed nothing: waits like `awaiting`
  sleeping,  // stuck in atomic wait: waits for a notify; its last event is the read
  covered,   // stuck: another execution does the same
  bounded,   // stuck at max_steps
  finished,
};

// Where a request comes from, in the machine.
struct user_call {
  const void* frame = nullptr;  // the stack pointer of the caller
  const void* call = nullptr;   // the return address
};

// A body: called once in each execution, on the first thread's fiber.
struct body {
  void (*call)(const void* object);
  const void* object;
};

class execution {
 public:
  explicit execution(const execution_limits& limits);
  ~execution();
  execution(const execution&) = delete;
  execution& operator=(const execution&) = delete;

  // Runs the body once. False: a failure cut it.
  bool run(const body& what, decisions& strategy);

  // --- what has come of the last run

  const std::optional<failure>& failed() const { return failure_; }
  graph::thread_id thread_count() const { return static_cast<graph::thread_id>(threads_.size()); }
  thread_state state(graph::thread_id thread) const { return threads_[thread]->state; }
  bool is_daemon(graph::thread_id thread) const { return threads_[thread]->daemon; }
  // Where the thread waits, and for what.
  const graph::operation& pending(graph::thread_id thread) const {
    return threads_[thread]->pending;
  }
  location pending_place(graph::thread_id thread) const { return threads_[thread]->pending_where; }
  // Has the run found out that a loop spins? Then it counts for nothing, and the whole search must
  // start anew.
  bool has_learned() const { return has_learned_; }
  // By index of event: the first of the round of await(pred), or of a spin loop, that did not hold.
  std::uint32_t await_start(graph::thread_id thread) const { return threads_[thread]->await_from; }
  // Where each event of the thread stands in the user's code.
  const std::vector<location>& places(graph::thread_id thread) const {
    return threads_[thread]->places;
  }
  location created_at(graph::thread_id thread) const { return threads_[thread]->created_where; }
  std::string location_name(graph::location_id location) const;
  graph::object_kind kind(graph::location_id location) const { return objects_.kind(location); }
  // The set of waiting threads that belongs to a place to sleep, in a condition variable or a
  // futex; no_location if the location is none.
  graph::location_id condition_of(graph::location_id location) const {
    const auto part = objects_.whole(location);
    if (!part) return graph::no_location;
    const auto set = objects_.part_of_kind(part->location, graph::object_kind::futex);
    return set ? *set : part->location;
  }
  // Whose place to sleep the location is.
  graph::thread_id sleeper_of(graph::location_id location) const {
    const auto part = objects_.whole(location);
    return part ? static_cast<graph::thread_id>(part->n) : 0;
  }
  // Of an object registered in this execution.
  graph::location_id location_of(const void* object) { return objects_.find(object)->location; }
  // Counts over all runs.
  std::uint64_t requires_evaluated() const { return requires_evaluated_; }
  std::uint64_t plain_accesses() const { return plain_accesses_; }
  // Has any thread asked for something that can wait?
  bool has_blocked() const { return has_blocked_; }
  const std::vector<std::string>& outcomes_reached() const { return outcomes_reached_; }

  // --- requests, on a fiber within an engine_section; interface.hpp says what they promise

  graph::value perform(const void* object, graph::value initial, graph::operation& op,
                       location where, const user_call& from = {});
  graph::value request(graph::operation& op, location where);
  void constructed(const void* object, graph::value initial, std::size_t constant_bytes = 0);
  graph::value perform_part(const void* object, graph::value initial, std::uint32_t n,
                            graph::operation& op, location where);
  object_side& side(const void* object, graph::value initial);
  const object_side* known_side(const void* object);
  location last_use(const void* object, graph::thread_id thread);
  location last_change(const void* object, std::optional<std::uint32_t> part);
  std::optional<concurrent_use> used_concurrently(const void* object);
  std::int64_t now() const;
  void advance_clock(std::int64_t to);
  bool fails_spuriously(graph::choice_reason reason, location where);
  void name(const void* object, std::string_view text);
  void plain(const void* object, bool writes, location where);
  graph::thread_id spawn(void (*entry)(void*), void* argument, bool daemon, location where);
  graph::thread_id this_thread() const { return running_; }
  // The number that the running thread's `spawn` number `n` (from 0) has or will have.
  graph::thread_id child(std::uint32_t n, location where);
  void yield();
  [[noreturn]] void stop_here(location where);
  [[noreturn]] void covered_elsewhere(location where);
  void await_begin(location where);
  [[noreturn]] void await_again(location where);
  void await_end();
  // Function-local statics, as the C++ ABI has them: static_locals.cpp.
  bool static_begin(void* guard, location where);
  void static_end(void* guard, bool done, location where);
  void at_thread_exit(void (*call)(void*), void* object);
  void at_body_exit(void (*call)(void*), void* object);
  bool is_thread_local(const void* object) const { return locals_.owns(object); }
  void required() { ++requires_evaluated_; }
  void reached(std::string_view outcome);
  // Ends the execution; callable on a fiber only, within an engine_section.
  [[noreturn]] void fail(verdict_kind kind, std::string message, location where,
                         location other = {}, graph::thread_id other_thread = 0);
  // The same at the running thread's next request or end.
  void note_failure(std::string message, const std::string& file, int line);
  // The same from the handler of a crash, which abandons the fiber itself.
  void note_crash(std::string message, const call_stack& stack);

 private:
  // What the program has registered to be called at the end of a thread, or of the body.
  struct destruction {
    void (*call)(void*);
    void* object;
    graph::thread_id thread;  // that has registered it
    std::uint32_t count;      // events of the thread before
  };
  struct model_thread {
    explicit model_thread(std::size_t stack_size) : fiber{stack_size} {}

    heddle::runtime::fiber fiber;
    thread_state state = thread_state::absent;
    bool daemon = false;
    bool stands = false;          // at `pending`, which is not in the graph yet
    bool answered = false;        // `given` is the answer to `pending`
    bool replay_waiting = false;  // stands at an event whose source is not replayed yet
    bool in_await = false;
    void (*entry)(void*) = nullptr;
    void* argument = nullptr;
    std::uint32_t consumed = 0;  // events of the graph that the fiber has passed
    std::uint32_t recorded = 0;  // events of the graph that are replayed
    std::uint32_t spawns = 0;
    std::uint32_t constructions = 0;
    std::uint32_t run_length = 0;  // live operations since the fiber was resumed
    std::uint32_t await_from = 0;
    std::array<std::uint32_t, 3> spurious{};  // failures so far: wake-ups, weak, try_lock
    struct clock_step {
      std::uint32_t count;  // events of the thread before it
      std::int64_t time;
    };
    std::vector<clock_step> clock;  // ascending
    std::vector<destruction> at_thread_exit;
    struct {
      void* guard = nullptr;           // of the static that it came to last
      std::uint32_t consumed = 0;      // then
      const void* first = nullptr;     // object constructed since
      std::size_t constant_bytes = 0;  // constructed since, by constant initialisers
    } making;
    spin_watch spin;
    user_call from;  // of the last request
    graph::operation pending;
    location pending_where;
    graph::value given;
    location created_where;
    std::optional<failure> noted;  // by foreign code, not acted upon yet
    std::vector<location> places;
    std::vector<graph::thread_id> children;  // by number of spawn; persists
  };

  // The address, or what stands for it: a thread_local has one in each thread.
  const void* identity(const void* object) const {
    if (!locals_.owns(object)) return object;
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(object) |  // NOLINT
                                         std::uintptr_t{running_ + 1} << 48);
  }
  static void thread_entry(void* thread);
  void destroy_locals(model_thread& thread);
  void destroy_statics();
  void run_body_of(model_thread& thread);
  void prepare(graph::thread_id id, void (*entry)(void*), void* argument, bool daemon,
               location where);
  void resume(graph::thread_id id);
  void leave(model_thread& me);
  [[noreturn]] void leave_for_good(thread_state state);
  graph::value replayed(model_thread& me, const graph::operation& op, location where);
  bool can_replay(const graph::event& e) const;
  void check_recorded(const graph::operation& op, const graph::event& e, location where);
  graph::value live(model_thread& me, const graph::operation& op, location where);
  bool is_repeating(const model_thread& me, const graph::operation& op) const;
  bool is_known_to_spin(location where) const;
  bool spins(model_thread& me, const graph::operation& op, location where);
  bool learn_loop(graph::thread_id id);
  bool learn_loops();
  bool learn_static(void* guard);
  void stretch_begins(model_thread& me);
  bool replay();
  void go_on();
  void go_on_scheduled();
  bool step(graph::thread_id id);
  static void note_places(model_thread& me, location where) {
    while (me.places.size() < me.consumed) me.places.push_back(where);
  }
  // Of its last operation, else of its start.
  location last_place(graph::thread_id thread) const;
  [[noreturn]] void exception_left(std::string message);
  void place_crash();
  object_table::object& object_at(const void* object, graph::value initial);
  void take_answer(model_thread& thread, graph::thread_id id, const graph::operation& op,
                   location where, const answer& given);
  // The event was "`recorded``detail`" (no strings: callers are abandoned, not unwound).
  [[noreturn]] void not_repeated(const char* recorded, const char* detail,
                                 const graph::operation& op, location where);

  execution_limits limits_;
  std::vector<std::unique_ptr<model_thread>> threads_;  // persistent; by thread id
  object_table objects_;
  plain_memory plain_;
  thread_locals locals_;
  graph::thread_id next_thread_ = 1;  // the next number for a new thread
  std::unordered_map<graph::location_id, std::string> names_;
  std::unordered_map<const void*, std::string> plain_names_;
  std::uint64_t requires_evaluated_ = 0;
  std::uint64_t plain_accesses_ = 0;
  bool has_blocked_ = false;
  std::vector<std::string> outcomes_reached_;
  std::set<std::string> foreign_files_;  // names that places refer to

  // of the run
  decisions* strategy_ = nullptr;
  graph::execution_graph* graph_ = nullptr;
  const body* body_ = nullptr;
  graph::thread_id running_ = 0;
  bool is_live_ = false;
  bool is_scheduled_ = false;
  std::vector<destruction> at_body_exit_;
  std::vector<location> spin_places_;  // persists
  bool has_learned_ = false;
  std::vector<memory_region> memory_;   // scratch
  std::vector<void*> static_guards_;    // of function-local statics initialised in this execution
  std::vector<void*> needless_guards_;  // persists
  std::optional<failure> failure_;
  call_stack crash_stack_;
};

}  // namespace heddle::runtime
