// What the instrumented layer asks of the checker: the requests a body makes, as free functions.
//
// Every function here is called by user code through a public header, on a fiber, while a body runs
// (active() is true), unless it says otherwise. A call may not return: the execution is abandoned
// when it is over, and the fiber is never unwound.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "checker/graph/operation.hpp"
#include "checker/runtime/location.hpp"
#include "checker/runtime/object_side.hpp"

namespace heddle::runtime {

class execution;

// The execution whose body is running on this OS thread now; null outside `check` and inside the
// engine itself.
extern constinit thread_local execution* current_execution;

inline bool active() noexcept { return current_execution != nullptr; }

// Throws heddle::usage_error: `what` needs a body under the checker. Callable anywhere.
[[noreturn]] void outside_of_check(std::string_view what, location where);

// Throws heddle::usage_error: `message`. Callable anywhere.
[[noreturn]] void misused_outside(std::string_view message, location where);

// --- objects

// An atomic or a lock has been constructed at `object`. A no-op outside a body. Objects in static
// storage need no call: they register, with `initial`, at their first use in an execution.
// `constant_bytes`: the size of an object that std's constructor would make before the program
// runs, were it a static; else 0 (static_locals.cpp).
void constructed(const void* object, graph::value initial, std::size_t constant_bytes = 0);

// State beside the object that is no event, zero when the object is constructed and at the start of
// each execution: a lock keeps its owner here, and where it was taken. Whoever writes it must be
// ordered by the object's own events. Registers the object like a use of it: `initial` is as for
// perform.
object_side& side(const void* object, graph::value initial);

// The same without touching the object; null if nothing is known of it in this execution.
const object_side* known_side(const void* object);

// An address has been stored where other threads may find it: an error if it is that of a
// thread_local, which means another object to them (thread_locals.hpp).
void given_away(const void* address, location where);

// Names the object in reports. A no-op outside a body.
void name(const void* object, std::string_view text);

// Carries out `op` on the object: fills in its location, waits if it blocks, and returns the value
// read (stores: nothing). `initial`: the object's own bytes, for its first use.
graph::value perform(const void* object, graph::value initial, graph::operation& op,
                     location where);
inline graph::value perform(const void* object, graph::value initial, graph::operation&& op,
                            location where) {
  return perform(object, initial, op, where);
}

// The same on part number `n` of the object, which is a location of its own, initially zero.
graph::value perform_part(const void* object, graph::value initial, std::uint32_t n,
                          graph::operation op, location where);

// Where the thread last used the object, in this execution's graph; unknown if it has not.
location last_use(const void* object, graph::thread_id thread);

// Where the value was written that this thread's last read of the object has read; unknown if it
// was the initial one. With `part`: of that part of the object, which it has read before.
location last_change(const void* object, std::optional<std::uint32_t> part = {});

// What another thread does to the object, or one of its parts, that nothing orders before now.
struct concurrent_use {
  graph::thread_id thread = 0;
  bool waits = false;  // it stands at an operation that waits
  location where;
};
std::optional<concurrent_use> used_concurrently(const void* object);

void fence(graph::memory_order order, location where);

// --- plain data: no event, but a data race is a violation

void plain_read(const void* object, std::size_t size, location where);
void plain_write(const void* object, std::size_t size, location where);

// --- threads

// Starts a thread that runs entry(argument); the argument was allocated by the calling thread.
graph::thread_id spawn(void (*entry)(void*), void* argument, bool daemon, location where);
void join(graph::thread_id thread, location where);
// The thread ends by itself: nobody will join it.
void detach(graph::thread_id thread);
graph::thread_id this_thread();
// The virtual clock, in ns from the start of the body. It stands still but for sleeping and for
// waits that time out, and it never goes backwards along happens-before.
std::int64_t now();
// The running thread has slept, or timed out, until then.
void advance_clock(std::int64_t to);
// Other threads first. No event: allows nothing and forbids nothing.
void yield();

// --- await(pred): any number of loads, evaluated on the fiber

// Until the end only loads are allowed.
void await_begin(location where);
// The predicate did not hold: the thread waits for one of the values it has read to change. In this
// execution it goes no further; others, in which it reads another value, go on from there.
[[noreturn]] void await_again(location where);
void await_end();

// --- verdicts

// A value 0..count-1; all are explored. count >= 1.
std::uint32_t choose(std::uint32_t count, location where);
// Does the adversary strike here? Explored both ways, as often per thread as the options allow.
bool fails_spuriously(graph::choice_reason reason, location where);
// This thread goes no further; the execution counts as blocked, never as deadlock.
[[noreturn]] void stop_here(location where);
// The same where another execution does all that this one could: it does not count at all.
[[noreturn]] void covered_elsewhere(location where);
// `require` was evaluated and held (vacuity is a surprise of its own).
void required();
// The body came to a named outcome; what no execution reaches is a surprise to a scenario.
void reached(std::string_view outcome);
// The violations; the execution ends here.
[[noreturn]] void require_failed(std::string_view message, location where);
// A primitive used against its contract: unlock by a thread that is not the owner, ...; `other` is
// a second place that belongs to it, if known. Outside a body: throws heddle::usage_error that says
// the same.
[[noreturn]] void misuse(std::string_view message, location where, location other = {});

// A failure that foreign code (GoogleTest) has reported in the body: it counts like a `require`
// that does not hold, but ends the execution only at the thread's next request or end, because
// foreign code may hold a lock now.
void note_failure(std::string_view message, const char* file, int line);

// Called around every check, on the real heap; null: nothing. The last call counts.
struct check_hooks {
  void (*begin)() = nullptr;
  void (*end)() = nullptr;
};
void around_checks(const check_hooks& hooks);

}  // namespace heddle::runtime
