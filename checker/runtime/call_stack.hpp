// The call stack of the running thread, for the failures whose place no operation tells: crashes
// and exceptions. source_place.hpp turns it into a line of the user's code.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "checker/runtime/location.hpp"

namespace heddle::runtime {

// Return addresses, innermost first.
struct call_stack {
  std::array<const void*, 24> frames{};
  std::size_t count = 0;

  void add(const void* return_address) {
    if (count < frames.size()) frames[count++] = return_address;
  }
};

// Fills `stack`, whose count grows frame by frame: if a broken stack makes this crash, the frames
// so far are there. Allocates nothing; callable in a signal handler, also on an alternate stack.
void capture(call_stack& stack) noexcept;

// An exception object is about to be constructed at `object` and thrown. The last few are kept.
void note_throw(const void* object) noexcept;
// Where that was; null if it is not known (any more).
const call_stack* thrown_at(const void* object) noexcept;
// The same of the last one of all.
const call_stack* last_thrown() noexcept;

// The object of the exception that is being handled; null if there is none.
const void* current_exception_object() noexcept;

// Where this OS thread keeps the stacks of what was thrown: it is the engine's, whichever fiber
// runs.
std::span<const std::byte> call_stack_storage() noexcept;

}  // namespace heddle::runtime
