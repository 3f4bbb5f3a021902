#include "checker/runtime/heap.hpp"

#include <cxxabi.h>
#include <sys/mman.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>

#include "checker/runtime/call_stack.hpp"

namespace heddle::runtime {

// An arena is a row of blocks without gaps, each behind a header, so that reports can walk it.
// The 16 bytes of a header keep the blocks behind it aligned.
namespace {

struct block_header {
  std::uint64_t size;    // of the block behind the header, a multiple of 16
  std::uint64_t number;  // 0 for a filler in front of an over-aligned block
};
static_assert(sizeof(block_header) == 16);

constexpr std::uintptr_t arenas_address = 0x2000'0000'0000;
constexpr std::size_t arenas_size = heap_arena_size * max_heap_threads;
constexpr std::size_t kept_after_reset = std::size_t{1} << 20;
constexpr std::size_t usual_alignment = __STDCPP_DEFAULT_NEW_ALIGNMENT__;

// No pointer lies in this range before the arenas are mapped.
constexpr std::uintptr_t nowhere = UINTPTR_MAX - arenas_size;
constinit std::uintptr_t arenas_start = nowhere;
constinit std::uint64_t arenas_mapped = 0;  // one bit an arena
constinit std::uint64_t arenas_used = 0;    // in this execution
static_assert(max_heap_threads <= 64);

constinit heap_overflow_handler overflow_handler = nullptr;

std::byte* arena_start(std::size_t index) {
  return reinterpret_cast<std::byte*>(arenas_start + index * heap_arena_size);
}

std::size_t index_of(const heap_arena& arena) {
  return static_cast<std::size_t>(&arena - detail::heap_arenas);
}

// The whole range stays inaccessible; open_arena() opens the parts that are needed.
bool reserve_arenas() {
  if (arenas_start != nowhere) return true;
  constexpr int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  void* const wanted = reinterpret_cast<void*>(arenas_address);
  void* got = mmap(wanted, arenas_size, PROT_NONE, flags | MAP_FIXED_NOREPLACE, -1, 0);
  if (got == MAP_FAILED) got = mmap(nullptr, arenas_size, PROT_NONE, flags, -1, 0);
  if (got == MAP_FAILED) return false;
  arenas_start = reinterpret_cast<std::uintptr_t>(got);
  return true;
}

// First block of an arena in an execution.
bool open_arena(heap_arena& arena) {
  const std::size_t index = index_of(arena);
  const std::uint64_t bit = std::uint64_t{1} << index;
  if ((arenas_mapped & bit) == 0) {
    if (!reserve_arenas()) return false;
    if (mprotect(arena_start(index), heap_arena_size, PROT_READ | PROT_WRITE) != 0) return false;
    arenas_mapped |= bit;
  }
  arenas_used |= bit;
  arena.next = arena_start(index);
  arena.limit = arena.next + heap_arena_size;
  return true;
}

void* put_header(heap_arena& arena, std::size_t size, std::uint64_t number) {
  const block_header header{size, number};
  std::memcpy(arena.next, &header, sizeof header);
  std::byte* const block = arena.next + sizeof header;
  arena.next = block + size;
  return block;
}

void* take(heap_arena& arena, std::size_t size);

[[gnu::noinline]] void* open_and_take(heap_arena& arena, std::size_t size) {
  if ((arenas_used >> index_of(arena) & 1) != 0 || !open_arena(arena)) return nullptr;
  return take(arena, size);
}

// Null when the block does not fit.
inline void* take(heap_arena& arena, std::size_t size) {
  const std::size_t left = static_cast<std::size_t>(arena.limit - arena.next);
  // Never empty: blocks of size 0 have different addresses, too.
  const std::size_t rounded = (size + 15 + (size == 0)) & ~std::size_t{15};
  if (size >= heap_arena_size || left < rounded + sizeof(block_header)) [[unlikely]] {
    return open_and_take(arena, size);
  }
  return put_header(arena, rounded, ++arena.blocks);
}

void* take_aligned(heap_arena& arena, std::size_t size, std::size_t alignment) {
  if (size >= heap_arena_size || alignment >= heap_arena_size) return nullptr;
  if ((arenas_used >> index_of(arena) & 1) == 0 && !open_arena(arena)) return nullptr;
  const std::uintptr_t block = reinterpret_cast<std::uintptr_t>(arena.next) + sizeof(block_header);
  const std::size_t gap = (0 - block) & (alignment - 1);
  if (gap + sizeof(block_header) > static_cast<std::size_t>(arena.limit - arena.next)) {
    return nullptr;
  }
  if (gap != 0) put_header(arena, gap - sizeof(block_header), 0);
  return take(arena, size);
}

[[noreturn]] void overflow(std::size_t size) {
  const heap_pause real_heap;  // for the handler and for the exception object
  if (overflow_handler != nullptr) overflow_handler(size);
  throw std::bad_alloc{};
}

void* real_allocate(std::size_t size, std::size_t alignment) {
  for (;;) {
    void* const block =
        alignment <= usual_alignment
            ? std::malloc(size == 0 ? 1 : size)
            : std::aligned_alloc(alignment, (size + alignment - 1) & ~(alignment - 1));
    if (block != nullptr) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc{};
    handler();
  }
}

}  // namespace

namespace detail {
constinit heap_arena heap_arenas[max_heap_threads]{};
}

// --- the allocation functions behind operator new and the exceptions

namespace {

inline void* allocate(std::size_t size) {
  heap_arena* const arena = detail::enabled_arena;
  if (arena == nullptr) return real_allocate(size, usual_alignment);
  void* const block = take(*arena, size);
  if (block == nullptr) [[unlikely]]
    overflow(size);
  return block;
}

void* allocate_aligned(std::size_t size, std::align_val_t align) {
  const std::size_t alignment = static_cast<std::size_t>(align);
  if (alignment <= usual_alignment) return allocate(size);
  heap_arena* const arena = detail::enabled_arena;
  if (arena == nullptr) return real_allocate(size, alignment);
  void* const block = take_aligned(*arena, size, alignment);
  if (block == nullptr) overflow(size);
  return block;
}

inline void deallocate(void* block) {
  if (!heap_owns(block)) std::free(block);
}

// libstdc++ keeps its header in front of the thrown object and reaches it only from the object's
// address; 256 bytes are twice what it takes. A dependent exception is such a header alone.
constexpr std::size_t exception_header_size = 256;

// No exception for want of memory here: what does not fit into the arena comes from malloc.
void* allocate_zeroed_header(std::size_t size_behind) {
  const std::size_t size = exception_header_size + size_behind;
  heap_arena* const arena = detail::enabled_arena;
  void* start = arena != nullptr ? take(*arena, size) : nullptr;
  // the analyzer thinks the sum may be 0
  if (start == nullptr)
    start = std::malloc(size);  // NOLINT(clang-analyzer-optin.portability.UnixAPI)
  if (start == nullptr) std::terminate();
  std::memset(start, 0, exception_header_size);
  return start;
}

}  // namespace

// --- the interface

void heap_reset() {
  for (std::uint64_t left = arenas_used; left != 0; left &= left - 1) {
    const auto index = static_cast<std::size_t>(std::countr_zero(left));
    heap_arena& arena = detail::heap_arenas[index];
    const auto used = static_cast<std::size_t>(arena.next - arena_start(index));
    if (used > kept_after_reset) {
      madvise(arena_start(index) + kept_after_reset, used - kept_after_reset, MADV_DONTNEED);
    }
    arena.limit = arena.next = arena_start(index);  // full: the next block opens it again
    arena.blocks = 0;
  }
  arenas_used = 0;
}

std::span<const std::byte> heap_used(std::uint32_t thread) {
  const heap_arena& arena = detail::heap_arenas[thread];
  if (arena.next == nullptr) return {};
  return {reinterpret_cast<const std::byte*>(arena_start(thread)), arena.next};
}

bool heap_owns(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) - arenas_start < arenas_size;
}

std::optional<heap_block> heap_describe(const void* address) {
  if (!heap_owns(address)) return std::nullopt;
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  const std::size_t index = (wanted - arenas_start) / heap_arena_size;
  auto at = reinterpret_cast<std::uintptr_t>(arena_start(index));
  const auto end = reinterpret_cast<std::uintptr_t>(detail::heap_arenas[index].next);
  while (at < end) {
    block_header header{};
    std::memcpy(&header, reinterpret_cast<const void*>(at), sizeof header);
    at += sizeof header;
    if (header.size > end - at) return std::nullopt;  // the body wrote beyond a block
    if (wanted < at) return std::nullopt;             // in the header
    if (wanted < at + header.size) {
      if (header.number == 0) return std::nullopt;
      return heap_block{static_cast<std::uint32_t>(index), header.number, wanted - at, header.size};
    }
    at += header.size;
  }
  return std::nullopt;
}

std::string heap_text(const void* address) {
  const std::optional<heap_block> block = heap_describe(address);
  if (!block) return {};
  std::string text =
      "thread " + std::to_string(block->thread) + " block " + std::to_string(block->number);
  if (block->offset != 0) text += " + " + std::to_string(block->offset);
  return text;
}

heap_overflow_handler set_heap_overflow_handler(heap_overflow_handler handler) {
  const heap_overflow_handler before = overflow_handler;
  overflow_handler = handler;
  return before;
}

}  // namespace heddle::runtime

// --- replacements of the C++ runtime's functions

using heddle::runtime::allocate;
using heddle::runtime::allocate_aligned;
using heddle::runtime::deallocate;

void* operator new(std::size_t size) { return allocate(size); }
void* operator new[](std::size_t size) { return allocate(size); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_aligned(size, alignment);
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_aligned(size, alignment);
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  try {
    return allocate(size);
  } catch (...) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return operator new(size, std::nothrow);
}
void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  try {
    return allocate_aligned(size, alignment);
  } catch (...) {
    return nullptr;
  }
}
void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return operator new(size, alignment, std::nothrow);
}

void operator delete(void* block) noexcept { deallocate(block); }
void operator delete[](void* block) noexcept { deallocate(block); }
void operator delete(void* block, std::size_t) noexcept { deallocate(block); }
void operator delete[](void* block, std::size_t) noexcept { deallocate(block); }
void operator delete(void* block, std::align_val_t) noexcept { deallocate(block); }
void operator delete[](void* block, std::align_val_t) noexcept { deallocate(block); }
void operator delete(void* block, std::size_t, std::align_val_t) noexcept { deallocate(block); }
void operator delete[](void* block, std::size_t, std::align_val_t) noexcept { deallocate(block); }
void operator delete(void* block, const std::nothrow_t&) noexcept { deallocate(block); }
void operator delete[](void* block, const std::nothrow_t&) noexcept { deallocate(block); }
void operator delete(void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  deallocate(block);
}
void operator delete[](void* block, std::align_val_t, const std::nothrow_t&) noexcept {
  deallocate(block);
}

namespace __cxxabiv1 {

extern "C" {

void* __cxa_allocate_exception(std::size_t size) noexcept {
  void* const object = static_cast<std::byte*>(heddle::runtime::allocate_zeroed_header(size)) +
                       heddle::runtime::exception_header_size;
  if (heddle::runtime::heap_enabled()) heddle::runtime::note_throw(object);
  return object;
}

void __cxa_free_exception(void* object) noexcept {
  deallocate(static_cast<std::byte*>(object) - heddle::runtime::exception_header_size);
}

__cxa_dependent_exception* __cxa_allocate_dependent_exception() noexcept {
  return static_cast<__cxa_dependent_exception*>(heddle::runtime::allocate_zeroed_header(0));
}

void __cxa_free_dependent_exception(__cxa_dependent_exception* exception) noexcept {
  deallocate(exception);
}

}  // extern "C"

}  // namespace __cxxabiv1
