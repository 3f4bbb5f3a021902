#include "tests/oracle/blocking_machine.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <unordered_set>
#include <utility>
#include <vector>

namespace heddle::oracle::blocking {
namespace {

using small = std::int8_t;

enum class phase : small {
  running,
  enqueues,  // in wait_until: has seen another value, goes to sleep next
  sleeps,    // on a condition variable, or on an atomic
  relocks,   // was woken, needs the mutex
  finished,
};

struct thread_state {
  small next = 0;  // instruction
  phase at = phase::running;
  small timed_out = 0;
  small overwritten = 0;  // the atomic it sleeps on was written since
  std::array<small, register_count> registers{};
};

constexpr small nobody = -1;

// Everything that decides what can happen from here; bytes only, so that it is its own key.
struct state {
  std::array<thread_state, max_threads> threads;
  std::array<small, atomic_count> memory{};
  std::array<small, mutex_count> owners{nobody, nobody};
  std::array<small, semaphore_count> semaphores{};
  small writer = nobody;  // of the shared mutex
  std::array<small, max_threads> reads_shared{};
  small latch = 0;
};

static_assert(std::has_unique_object_representations_v<state>);

std::string key_of(const state& s) {
  std::string key(sizeof s, '\0');
  std::memcpy(key.data(), &s, sizeof s);
  return key;
}

std::size_t index(int number) { return static_cast<std::size_t>(number); }

class search {
 public:
  search(const program& source, const machine_options& how) : source_(source), how_(how) {}

  machine_result run() {
    push(start());
    while (!open_.empty() && result_.misuse.empty()) {
      if (how_.max_states != 0 && result_.states >= how_.max_states) {
        result_.too_large = true;
        break;
      }
      ++result_.states;
      const state here = open_.back();
      open_.pop_back();
      moved_ = false;
      for (std::size_t t = 0; t < source_.threads.size(); ++t) move(here, t);
      if (!moved_) result_.outcomes.insert(outcome_of(here));
    }
    return std::move(result_);
  }

 private:
  state start() const {
    state s;
    for (std::size_t i = 0; i < s.memory.size(); ++i)
      s.memory[i] = static_cast<small>(source_.memory[i]);
    for (std::size_t i = 0; i < s.semaphores.size(); ++i)
      s.semaphores[i] = static_cast<small>(source_.semaphores[i]);
    s.latch = static_cast<small>(source_.latch);
    for (std::size_t t = 0; t < source_.threads.size(); ++t) settle(s, t);
    return s;
  }

  outcome outcome_of(const state& s) const {
    outcome result;
    for (std::size_t t = 0; t < source_.threads.size(); ++t) {
      const thread_state& thread = s.threads[t];
      thread_end end;
      end.how = thread.at == phase::finished  ? fate::finished
                : thread.at == phase::relocks ? fate::relocks
                                              : fate::waits;
      end.at = thread.next;
      for (std::size_t r = 0; r < end.registers.size(); ++r) end.registers[r] = thread.registers[r];
      result.threads.push_back(end);
    }
    for (std::size_t i = 0; i < s.memory.size(); ++i) result.memory[i] = s.memory[i];
    return result;
  }

  void push(const state& s) {
    moved_ = true;
    if (seen_.insert(key_of(s)).second) open_.push_back(s);
  }

  void misuse(const instruction& what, const char* why) {
    if (result_.misuse.empty()) result_.misuse = print(what) + ": " + why;
  }

  const instruction& at(const state& s, std::size_t t) const {
    return source_.threads[t][index(s.threads[t].next)];
  }

  // Skips need no step of their own: nobody else can see them.
  void settle(state& s, std::size_t t) const {
    thread_state& me = s.threads[t];
    while (index(me.next) < source_.threads[t].size()) {
      const instruction& what = at(s, t);
      if (what.kind != operation::skip_if && what.kind != operation::skip_unless) return;
      const bool equal = me.registers[index(what.object)] == what.left;
      const bool skips = equal == (what.kind == operation::skip_if);
      const int next = me.next + 1 + (skips ? what.right : 0);
      me.next = static_cast<small>(std::min(next, static_cast<int>(source_.threads[t].size())));
    }
    me.at = phase::finished;
  }

  // The thread's instruction is done.
  void done(state s, std::size_t t, int result = 0) {
    thread_state& me = s.threads[t];
    const instruction& what = at(s, t);
    if (what.result != none) me.registers[index(what.result)] = static_cast<small>(result);
    me.at = phase::running;
    me.timed_out = 0;
    ++me.next;
    settle(s, t);
    push(s);
  }

  void move(const state& s, std::size_t t) {
    const thread_state& me = s.threads[t];
    switch (me.at) {
      case phase::running:
        step(s, t, at(s, t));
        break;
      case phase::enqueues:
        enqueue(s, t, at(s, t));
        break;
      case phase::sleeps:
        if (at(s, t).kind == operation::wait_for) {
          state next = s;
          next.threads[t].timed_out = 1;
          next.threads[t].at = phase::relocks;
          push(next);
        }
        break;
      case phase::relocks:
        relock(s, t, at(s, t));
        break;
      case phase::finished:
        break;
    }
  }

  void step(const state& s, std::size_t t, const instruction& what) {
    switch (kind_of_object(what.kind)) {
      case object_kind::atomic:
        return atomic_step(s, t, what);
      case object_kind::mutex:
        return mutex_step(s, t, what);
      case object_kind::condition:
        return condition_step(s, t, what);
      case object_kind::semaphore:
        return semaphore_step(s, t, what);
      case object_kind::shared_mutex:
        return shared_step(s, t, what);
      case object_kind::latch:
        return latch_step(s, t, what);
    }
  }

  // --- atomics

  void atomic_step(const state& s, std::size_t t, const instruction& what) {
    const int old = s.memory[index(what.object)];
    switch (what.kind) {
      case operation::load:
        return done(s, t, old);
      case operation::store:
      case operation::exchange:
        return done(with_value(s, what.object, what.left), t, old);
      case operation::add:
        return done(with_value(s, what.object, old + what.left), t, old);
      case operation::compare_exchange:
        return done(old == what.left ? with_value(s, what.object, what.right) : s, t, old);
      case operation::await:
        if (old == what.left) done(s, t);
        return;
      case operation::sleep_while: {
        if (old != what.left) return done(s, t);
        state next = s;
        next.threads[t].at = phase::sleeps;
        next.threads[t].overwritten = 0;
        return push(next);
      }
      case operation::wake_one:
        return wake_one(s, t, what);
      case operation::wake_all: {
        state next = s;
        for (const std::size_t sleeper : atomic_sleepers(s, what.object))
          wake_atomic(next, sleeper);
        return done(next, t);
      }
      default:
        return;
    }
  }

  bool sleeps_on(const state& s, std::size_t t, object_kind kind, int object) const {
    return s.threads[t].at == phase::sleeps && kind_of_object(at(s, t).kind) == kind &&
           at(s, t).object == object;
  }
  std::vector<std::size_t> sleepers(const state& s, object_kind kind, int object) const {
    std::vector<std::size_t> found;
    for (std::size_t t = 0; t < source_.threads.size(); ++t)
      if (sleeps_on(s, t, kind, object)) found.push_back(t);
    return found;
  }
  // Whom a wake-up of the atomic may reach.
  std::vector<std::size_t> atomic_sleepers(const state& s, int object) const {
    std::vector<std::size_t> found = sleepers(s, object_kind::atomic, object);
    if (how_.wakes == wake_rule::eligible)
      std::erase_if(found, [&](std::size_t t) { return s.threads[t].overwritten == 0; });
    return found;
  }

  state with_value(state s, int location, int value) const {
    s.memory[index(location)] = static_cast<small>(value);
    for (const std::size_t t : sleepers(s, object_kind::atomic, location))
      s.threads[t].overwritten = 1;
    return s;
  }

  static void wake_atomic(state& s, std::size_t t) {
    s.threads[t].at = phase::running;  // loads again
    s.threads[t].overwritten = 0;
  }

  void wake_one(const state& s, std::size_t t, const instruction& what) {
    const auto woken = atomic_sleepers(s, what.object);
    if (woken.empty()) return done(s, t);
    for (const std::size_t sleeper : woken) {
      state next = s;
      wake_atomic(next, sleeper);
      done(next, t);
    }
  }

  // --- mutexes

  void mutex_step(const state& s, std::size_t t, const instruction& what) {
    const int owner = s.owners[index(what.object)];
    const auto me = static_cast<small>(t);
    if (what.kind == operation::unlock) {
      if (owner != me) return misuse(what, "it is not held");
      return done(with_owner(s, what.object, nobody), t);
    }
    if (owner == me) return misuse(what, "it is held already");
    if (owner == nobody) return done(with_owner(s, what.object, me), t, 1);
    if (what.kind == operation::try_lock) done(s, t, 0);
  }

  static state with_owner(state s, int mutex, small owner) {
    s.owners[index(mutex)] = owner;
    return s;
  }

  // --- condition variables

  void condition_step(const state& s, std::size_t t, const instruction& what) {
    switch (what.kind) {
      case operation::wait:
      case operation::wait_for:
        return enqueue(s, t, what);
      case operation::wait_until: {
        if (s.memory[index(what.location)] == what.left) return done(s, t);
        state next = s;
        next.threads[t].at = phase::enqueues;
        return push(next);
      }
      case operation::notify_one: {
        const auto waiting = sleepers(s, object_kind::condition, what.object);
        if (waiting.empty()) return done(s, t);
        for (const std::size_t sleeper : waiting) {
          state next = s;
          next.threads[sleeper].at = phase::relocks;
          done(next, t);
        }
        return;
      }
      case operation::notify_all: {
        state next = s;
        for (const std::size_t sleeper : sleepers(s, object_kind::condition, what.object))
          next.threads[sleeper].at = phase::relocks;
        return done(next, t);
      }
      default:
        return;
    }
  }

  void enqueue(const state& s, std::size_t t, const instruction& what) {
    if (s.owners[index(what.mutex)] != static_cast<small>(t))
      return misuse(what, "the mutex is not held");
    for (const std::size_t other : sleepers(s, object_kind::condition, what.object))
      if (at(s, other).mutex != what.mutex) return misuse(what, "others wait with another mutex");
    state next = with_owner(s, what.mutex, nobody);
    next.threads[t].at = phase::sleeps;
    push(next);
  }

  void relock(const state& s, std::size_t t, const instruction& what) {
    if (s.owners[index(what.mutex)] != nobody) return;
    state next = with_owner(s, what.mutex, static_cast<small>(t));
    if (what.kind != operation::wait_until) return done(next, t, s.threads[t].timed_out);
    next.threads[t].at = phase::running;  // loads again
    push(next);
  }

  // --- semaphores, the shared mutex, the latch

  void semaphore_step(const state& s, std::size_t t, const instruction& what) {
    const int count = s.semaphores[index(what.object)];
    const auto with = [&](int value) {
      state next = s;
      next.semaphores[index(what.object)] = static_cast<small>(value);
      return next;
    };
    if (what.kind == operation::release) return done(with(count + 1), t);
    if (count > 0) return done(with(count - 1), t, 1);
    if (what.kind == operation::try_acquire) done(s, t, 0);
  }

  void shared_step(const state& s, std::size_t t, const instruction& what) {
    const auto me = static_cast<small>(t);
    const bool holds = s.writer == me || s.reads_shared[t] != 0;
    bool is_read = false;
    for (const small reads : s.reads_shared) is_read = is_read || reads != 0;
    state next = s;
    switch (what.kind) {
      case operation::unlock_exclusive:
        if (s.writer != me) return misuse(what, "it is not held");
        next.writer = nobody;
        return done(next, t);
      case operation::unlock_shared:
        if (s.reads_shared[t] == 0) return misuse(what, "it is not held");
        next.reads_shared[t] = 0;
        return done(next, t);
      case operation::lock_exclusive:
      case operation::try_lock_exclusive:
        if (holds) return misuse(what, "it is held already");
        if (s.writer == nobody && !is_read) {
          next.writer = me;
          return done(next, t, 1);
        }
        if (what.kind == operation::try_lock_exclusive) done(s, t, 0);
        return;
      case operation::lock_shared:
      case operation::try_lock_shared:
        if (holds) return misuse(what, "it is held already");
        if (s.writer == nobody) {
          next.reads_shared[t] = 1;
          return done(next, t, 1);
        }
        if (what.kind == operation::try_lock_shared) done(s, t, 0);
        return;
      default:
        return;
    }
  }

  void latch_step(const state& s, std::size_t t, const instruction& what) {
    if (what.kind == operation::wait_zero) {
      if (s.latch == 0) done(s, t);
      return;
    }
    if (s.latch == 0) return misuse(what, "it is zero");
    state next = s;
    --next.latch;
    done(next, t);
  }

  const program& source_;
  const machine_options& how_;
  machine_result result_;
  std::vector<state> open_;
  std::unordered_set<std::string> seen_;
  bool moved_ = false;
};

}  // namespace

machine_result run_machine(const program& source, const machine_options& how) {
  return search(source, how).run();
}

}  // namespace heddle::oracle::blocking
