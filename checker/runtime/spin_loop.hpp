// Plain spin loops, recognised by what they do: a round of a loop that only reads, and after which
// the thread is exactly where it was, in the same state, would go on so for ever unless it reads
// something else. So its thread waits (like a failed await): executions in which the round reads
// something else are others. exploration.md 5.8 and 9.9; recognising rounds by comparing the state
// of the thread instead of its program text is this checker's own.
//
// A round begins and ends at the same request: same place in the machine code, same stack frame,
// same object. In between stand only loads, fences and read-modify-writes that leave the value as
// it was. The state is the callee-saved registers and all memory that user code of a body can
// write: the thread's own stack from that frame on, the other threads' stacks, the arenas, the
// program's variables. Memory is compared for each stretch of user code between two requests, where
// no other thread runs, so that what others write does not matter and the answer is the same in
// every replay.
//
// To compare costs microseconds, so it is done only at places that are known to be in a loop that
// spins; a place becomes known when the thread has done the same there three times, and then the
// search starts anew, because it must treat a loop the same way from the beginning.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "checker/graph/execution_graph.hpp"
#include "checker/runtime/location.hpp"

namespace heddle::runtime {

struct memory_region {
  const std::byte* begin;
  const std::byte* end;
};

// Registers that a call leaves as they are.
struct saved_registers {
  std::array<std::uintptr_t, 12> values{};
  bool known = false;
};
// Those of the function on the running stack whose call left the stack pointer at `frame`.
saved_registers registers_of(const void* frame);

// The rounds of one thread.
class spin_watch {
 public:
  struct arrival {
    location where;
    const void* frame = nullptr;  // the stack pointer of the caller
    const void* call =
        nullptr;  // where it goes on: an unrolled loop counts by its place in the code
    graph::location_id object = graph::no_location;
    std::uint32_t index = 0;  // of the event to come
  };

  bool is_on() const { return !rounds_.empty(); }
  void stop() { rounds_.clear(); }

  // User code begins to run, and has run, between two requests. The first region is the thread's
  // own stack, from `lowest_frame` on.
  void stretch_begins(std::span<const memory_region> memory);
  void stretch_ends();

  // The thread stands at a known place. If a round has just been completed there that changed
  // nothing: the index of its first event. Otherwise a new round begins here.
  std::optional<std::uint32_t> arrive(const arrival& now);

  // The lowest address of the thread's own stack that matters.
  const void* lowest_frame() const;

 private:
  struct change {
    const std::uint64_t* at;
    std::uint64_t before;
  };
  struct round {
    arrival began;
    saved_registers registers;
    std::vector<change> changes;  // by the thread, since it began
  };
  static constexpr std::size_t most_rounds = 4;  // nested loops
  static constexpr std::size_t most_changes = 1024;

  void note_change(const std::uint64_t* at, std::uint64_t before);
  bool is_undone(const round& r) const;

  std::vector<round> rounds_;
  std::vector<memory_region> memory_;
  std::vector<std::byte> copy_;
};

// The first of three equal rounds that the thread has just done, as the index of its first event;
// nothing if it has not. The last event is an access; `places`: by event.
std::optional<std::uint32_t> repeated_rounds(std::span<const graph::event> events,
                                             std::span<const location> places);

}  // namespace heddle::runtime
