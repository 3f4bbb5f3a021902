#include "checker/runtime/interface.hpp"

#include <exception>
#include <string>
#include <utility>

#include "checker/runtime/engine_section.hpp"
#include "checker/runtime/source_place.hpp"

namespace heddle::runtime {

constinit thread_local execution* current_execution = nullptr;

// heddle/one_build.hpp
extern "C" {
extern const char heddle_checked_and_production_builds_must_not_be_linked_together;
const char heddle_checked_and_production_builds_must_not_be_linked_together = 0;
}

void constructed(const void* object, graph::value initial, std::size_t constant_bytes) {
  if (!active()) return;
  const engine_section section;
  section->constructed(object, initial, constant_bytes);
}

object_side& side(const void* object, graph::value initial) {
  const engine_section section;
  return section->side(object, initial);
}

const object_side* known_side(const void* object) {
  const engine_section section;
  return section->known_side(object);
}

void given_away(const void* address, location where) {
  if (!current_execution->is_thread_local(address)) return;
  const engine_section section;
  section->fail(verdict_kind::error,
                "the address of a thread_local is given to other threads: to them it is their own "
                "variable, because threads of a body share the address; use a local variable or "
                "the heap instead",
                where);
}

void name(const void* object, std::string_view text) {
  if (!active()) return;
  const engine_section section;
  section->name(object, text);
}

graph::value perform(const void* object, graph::value initial, graph::operation& op,
                     location where) {
  const engine_section section;
  // the caller's stack pointer: above the saved frame pointer and the return address
  const void* const frame = static_cast<const std::byte*>(__builtin_frame_address(0)) + 16;
  return section->perform(object, initial, op, where, {frame, __builtin_return_address(0)});
}

graph::value perform_part(const void* object, graph::value initial, std::uint32_t n,
                          graph::operation op, location where) {
  const engine_section section;
  return section->perform_part(object, initial, n, op, where);
}

location last_use(const void* object, graph::thread_id thread) {
  const engine_section section;
  return section->last_use(object, thread);
}

location last_change(const void* object, std::optional<std::uint32_t> part) {
  const engine_section section;
  return section->last_change(object, part);
}

std::optional<concurrent_use> used_concurrently(const void* object) {
  const engine_section section;
  return section->used_concurrently(object);
}

void fence(graph::memory_order order, location where) {
  const engine_section section;
  graph::operation op;
  op.kind = graph::operation_kind::fence;
  op.order = order;
  section->request(op, where);
}

void plain_read(const void* object, std::size_t, location where) {
  const engine_section section;
  section->plain(object, false, where);
}

void plain_write(const void* object, std::size_t, location where) {
  const engine_section section;
  section->plain(object, true, where);
}

graph::thread_id spawn(void (*entry)(void*), void* argument, bool daemon, location where) {
  const engine_section section;
  return section->spawn(entry, argument, daemon, where);
}

void join(graph::thread_id thread, location where) {
  const engine_section section;
  graph::operation op;
  op.kind = graph::operation_kind::join;
  op.other = thread;
  section->request(op, where);
}

void detach(graph::thread_id) {}

graph::thread_id this_thread() { return current_execution->this_thread(); }

std::int64_t now() {
  const engine_section section;
  return section->now();
}

void advance_clock(std::int64_t to) {
  const engine_section section;
  section->advance_clock(to);
}

void yield() {
  const engine_section section;
  section->yield();
}

void await_begin(location where) {
  const engine_section section;
  section->await_begin(where);
}

void await_again(location where) {
  const engine_section section;
  section->await_again(where);
}

void await_end() {
  const engine_section section;
  section->await_end();
}

std::uint32_t choose(std::uint32_t count, location where) {
  const engine_section section;
  graph::operation op;
  op.kind = graph::operation_kind::choice;
  op.count = count;
  return static_cast<std::uint32_t>(section->request(op, where).low);
}

void stop_here(location where) {
  const engine_section section;
  section->stop_here(where);
}

bool fails_spuriously(graph::choice_reason reason, location where) {
  const engine_section section;
  return section->fails_spuriously(reason, where);
}

void covered_elsewhere(location where) {
  const engine_section section;
  section->covered_elsewhere(where);
}

void required() { current_execution->required(); }

void reached(std::string_view outcome) {
  if (!active()) return;
  const engine_section section;
  section->reached(outcome);
}

void note_failure(std::string_view message, const char* file, int line) {
  const engine_section section;
  section->note_failure(std::string{message}, file, line);
}

void require_failed(std::string_view message, location where) {
  const engine_section section;
  section->fail(verdict_kind::assertion, std::string{message}, where);
}

void misuse(std::string_view message, location where, location other) {
  if (!active()) misused_outside(message, where);
  const engine_section section;
  std::string text{message};
  if (std::uncaught_exceptions() > 0) {
    // what is thrown is lost with the execution
    text += ", while an exception leaves the scope";
    if (const call_stack* const stack = last_thrown())
      text += " that was thrown at " + describe(user_place(*stack));
  }
  section->fail(verdict_kind::misuse, std::move(text), where, other);
}

}  // namespace heddle::runtime
