// A deterministic heap for checked bodies: the k-th block of a thread has the same address in every
// execution, whatever the schedule.
//
// Each thread of a body has an arena of 1 GiB at a fixed address. While an arena is enabled on the
// OS thread, operator new (which this file's .cpp replaces, in all forms) and the memory of thrown
// exceptions take the arena's next bytes; otherwise they use malloc. The engine enables the
// arena of a thread when it lets user code run and disables it inside every request.
//
// Promises:
//   1. No block is used twice within an execution: use after free stays visible, and no false race
//      comes from a reused address. delete of an arena block does nothing, also when the block is
//      from an earlier execution; delete of any other block is the real free, wherever it happens.
//   2. heap_reset() forgets all blocks at once, so that abandoned executions leak nothing. It costs
//   a
//      few ns for each arena that was used; memory beyond 1 MiB an arena goes back to the system.
//   3. A block can be named independently of addresses: thread and number (exploration 6.3, 6.7).
//
// The arenas belong to the process: only one engine at a time may use them, on one OS thread. Other
// OS threads are not affected; they keep the real heap. Blocks of malloc itself are never touched.
// Valgrind puts its own operator new in place of this one; to keep the arenas, run it with
// --soname-synonyms=somalloc=nouserintercepts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace heddle::runtime {

constexpr std::uint32_t max_heap_threads = 64;
constexpr std::size_t heap_arena_size = std::size_t{1} << 30;

// The arena of one thread. Only heap.cpp looks inside.
struct heap_arena {
  std::byte* next = nullptr;   // where the next block's header goes
  std::byte* limit = nullptr;  // == next while the arena was not used in this execution
  std::uint64_t blocks = 0;    // made in this execution
};

namespace detail {
extern heap_arena heap_arenas[max_heap_threads];
// Where operator new on this OS thread takes its memory; null means malloc.
inline constinit thread_local heap_arena* enabled_arena = nullptr;
}  // namespace detail

// From now on operator new on this OS thread serves the thread of this index (< max_heap_threads).
inline void heap_enable(std::uint32_t thread) {
  detail::enabled_arena = &detail::heap_arenas[thread];
}
inline void heap_disable() { detail::enabled_arena = nullptr; }
inline bool heap_enabled() { return detail::enabled_arena != nullptr; }

// The real heap within a scope, whatever was enabled outside.
class heap_pause {
 public:
  heap_pause() : outside_(detail::enabled_arena) { heap_disable(); }
  ~heap_pause() { detail::enabled_arena = outside_; }
  heap_pause(const heap_pause&) = delete;
  heap_pause& operator=(const heap_pause&) = delete;

 private:
  heap_arena* outside_;
};

// Forgets all blocks of all arenas; called between executions.
void heap_reset();

// What is in use of the arena of this thread.
std::span<const std::byte> heap_used(std::uint32_t thread);

// Is the address in the range of the arenas?
bool heap_owns(const void* address);

// The block of this execution that holds the address. Walks the blocks of one arena: for reports.
struct heap_block {
  std::uint32_t thread;
  std::uint64_t number;  // 1 is the first block of that thread
  std::size_t offset;    // of the address in the block
  std::size_t size;      // of the block, rounded up to 16
};
std::optional<heap_block> heap_describe(const void* address);

// "thread 2 block 5", "thread 2 block 5 + 8"; "" for an address in no block of this execution.
std::string heap_text(const void* address);

// Called, with the real heap on, when a block does not fit into its arena any more. It may
// abandon the fiber; when it returns, or when there is none, operator new throws std::bad_alloc.
using heap_overflow_handler = void (*)(std::size_t wanted);
heap_overflow_handler set_heap_overflow_handler(heap_overflow_handler handler);

}  // namespace heddle::runtime
