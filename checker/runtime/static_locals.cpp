// Function-local statics and the destructors of thread_locals, which the compiler hands to the C++
// ABI's functions: taken over while a body runs, so that both are made and destroyed anew in every
// execution and two threads that come to one static at the same time are explored.
//
// A static of the executable is a location beside its guard: 0 as it is, 1 while it is initialised,
// 2 when that is done (exploration.md 9.8), 3 when it is destroyed. The guard's own byte stays 0,
// so that the compiler's code comes here every time. What was initialised before the check, or
// belongs to a shared library, stays as it is.
//
// A static atomic with a constant initialiser has no guard in std's program: it is there from the
// start, and coming to it orders nothing. g++ 12 makes ours at run time all the same, because its
// constructor calls the engine. So a guard whose initialiser has only made atomics from constants,
// and has filled the whole static with them, is learnt to be needless, and the search begins again
// without it. Not seen: a static that has other members beside its atomics. A static mutex keeps
// its guard too, for its destructor; std's has none.
//
// The end of the body destroys the statics that happen before it, the last first, as the end of the
// program would.
#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "checker/runtime/engine_section.hpp"
#include "checker/runtime/execution.hpp"
#include "checker/runtime/program_image.hpp"
#include "checker/runtime/source_place.hpp"

namespace heddle::runtime {

namespace {

constexpr std::uint64_t untouched = 0;
constexpr std::uint64_t running = 1;
constexpr std::uint64_t done = 2;
constexpr std::uint64_t destroyed = 3;

graph::operation store(std::uint64_t state) {
  graph::operation op;
  op.kind = graph::operation_kind::store;
  op.order = graph::memory_order::release;
  op.object = graph::object_kind::static_guard;
  op.operand = {state, 0};
  return op;
}

}  // namespace

bool execution::static_begin(void* guard, location where) {
  if (std::find(needless_guards_.begin(), needless_guards_.end(), guard) != needless_guards_.end())
    return false;
  object_side& beside = side(guard, {});
  if (beside.word == running_ + 1)
    fail(verdict_kind::misuse, "a function-local static is used while it is initialised", where,
         beside.where);
  graph::operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph::memory_order::acquire;
  op.failure_order = graph::memory_order::acquire;
  op.when = graph::condition::differs;
  op.expected = {running, 0};
  op.blocks = true;
  op.skips_unchanged = true;
  op.object = graph::object_kind::static_guard;
  op.modify = [](graph::value old, graph::value) {
    return old.low == untouched ? graph::value{running, 0} : old;
  };
  const std::uint64_t state = perform(guard, {}, op, where).low;
  if (state == destroyed)
    fail(verdict_kind::misuse, "a function-local static is used after the body's end destroyed it",
         where);
  if (state == done) return false;
  side(guard, {}) = {running_ + 1, where};
  model_thread& me = *threads_[running_];
  me.making = {guard, me.consumed, nullptr, 0};
  return true;
}

// Would std's program have made the static that the thread has just made before it began? The
// atomics keep their values: those are what the next executions begin with.
bool execution::learn_static(void* guard) {
  const model_thread& me = *threads_[running_];
  if (me.making.guard != guard || me.making.consumed != me.consumed ||
      me.making.constant_bytes == 0)
    return false;
  if (std::any_of(at_body_exit_.begin(), at_body_exit_.end(), [&](const destruction& d) {
        return d.thread == running_ && d.count == me.consumed;
      }))
    return false;
  // "guard variable for x" and "x" have names that differ in one letter more
  const symbol of_guard = symbol_at(guard);
  const symbol made = symbol_at(me.making.first);
  if (!of_guard.name.starts_with("_ZGV") || made.name != "_Z" + of_guard.name.substr(4) ||
      made.size != me.making.constant_bytes)
    return false;
  needless_guards_.push_back(guard);
  has_learned_ = true;
  failure_.emplace();
  return true;
}

void execution::static_end(void* guard, bool is_done, location where) {
  if (is_done && learn_static(guard))
    for (;;) leave(*threads_[running_]);
  side(guard, {}) = {};
  graph::operation op = store(is_done ? done : untouched);
  perform(guard, {}, op, where);
  if (is_done) static_guards_.push_back(guard);
}

void execution::at_thread_exit(void (*call)(void*), void* object) {
  model_thread& me = *threads_[running_];
  me.at_thread_exit.push_back({call, object, running_, me.consumed});
}

void execution::at_body_exit(void (*call)(void*), void* object) {
  at_body_exit_.push_back({call, object, running_, threads_[running_]->consumed});
}

// On the fiber, as user code: a destructor may make requests, and register more.
void execution::destroy_locals(model_thread& thread) {
  while (!thread.at_thread_exit.empty()) {
    destruction last{};
    {
      const engine_section section;
      last = thread.at_thread_exit.back();
      thread.at_thread_exit.pop_back();
    }
    last.call(last.object);
  }
}

void execution::destroy_statics() {
  for (;;) {
    destruction last{};
    {
      const engine_section section;
      // in an order that does not depend on the schedule, of those that happen before now
      const graph::view past = graph_->happens_before_after(running_, threads_[running_]->consumed);
      const auto latest = std::max_element(at_body_exit_.begin(), at_body_exit_.end(),
                                           [&](const destruction& a, const destruction& b) {
                                             const auto rank = [&](const destruction& d) {
                                               const bool ordered =
                                                   d.thread == running_ || past[d.thread] > d.count;
                                               return std::tuple{ordered, d.thread, &d};
                                             };
                                             return rank(a) < rank(b);
                                           });
      if (latest == at_body_exit_.end() ||
          (latest->thread != running_ && past[latest->thread] <= latest->count))
        break;
      last = *latest;
      at_body_exit_.erase(latest);
    }
    last.call(last.object);
  }
  const engine_section section;
  for (void* const guard : std::exchange(static_guards_, {})) {
    const object_table::object* known = objects_.find(guard);
    const graph::event_id latest = graph_->latest(known->location);
    if (!graph_->happens_before_after(running_, threads_[running_]->consumed).contains(latest))
      continue;
    graph::operation op = store(destroyed);
    perform(guard, {}, op, {});
  }
}

namespace {

// The function that this one stands in front of.
template <class Function>
Function* next_function(const char* name) {
  const heap_pause real_heap;
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_of_the_body(const void* object) { return active() && in_static_storage(object); }

}  // namespace

}  // namespace heddle::runtime

// The names are the C++ ABI's; the program's references to them come here instead of to the C++
// library. NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)

using heddle::runtime::engine_section;
using heddle::runtime::is_of_the_body;
using heddle::runtime::location;
using heddle::runtime::next_function;

extern "C" int __cxa_guard_acquire(__cxxabiv1::__guard* guard) {
  if (is_of_the_body(guard)) {
    const engine_section section;
    return section->static_begin(guard, location::from_return_address(__builtin_return_address(0)))
               ? 1
               : 0;
  }
  using function = int(__cxxabiv1::__guard*);
  static constinit function* next = nullptr;
  if (next == nullptr) next = next_function<function>("__cxa_guard_acquire");
  return next(guard);
}

extern "C" void __cxa_guard_release(__cxxabiv1::__guard* guard) noexcept {
  if (is_of_the_body(guard)) {
    const engine_section section;
    section->static_end(guard, true, location::from_return_address(__builtin_return_address(0)));
    return;
  }
  using function = void(__cxxabiv1::__guard*);
  static constinit function* next = nullptr;
  if (next == nullptr) next = next_function<function>("__cxa_guard_release");
  next(guard);
}

extern "C" void __cxa_guard_abort(__cxxabiv1::__guard* guard) noexcept {
  if (is_of_the_body(guard)) {
    const engine_section section;
    section->static_end(guard, false, location::from_return_address(__builtin_return_address(0)));
    return;
  }
  using function = void(__cxxabiv1::__guard*);
  static constinit function* next = nullptr;
  if (next == nullptr) next = next_function<function>("__cxa_guard_abort");
  next(guard);
}

extern "C" int __cxa_atexit(void (*call)(void*), void* object, void* library) noexcept {
  if (is_of_the_body(object)) {
    const engine_section section;
    section->at_body_exit(call, object);
    return 0;
  }
  using function = int(void (*)(void*), void*, void*);
  static constinit function* next = nullptr;
  if (next == nullptr) next = next_function<function>("__cxa_atexit");
  return next(call, object, library);
}

extern "C" int __cxa_thread_atexit(void (*call)(void*), void* object, void* library) noexcept {
  if (heddle::runtime::active()) {
    const engine_section section;
    if (section->is_thread_local(object)) {
      section->at_thread_exit(call, object);
      return 0;
    }
  }
  using function = int(void (*)(void*), void*, void*);
  static constinit function* next = nullptr;
  if (next == nullptr) next = next_function<function>("__cxa_thread_atexit");
  return next(call, object, library);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
