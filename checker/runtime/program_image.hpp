// Where the program's own variables lie: the writable segments of the executable, and the block of
// its thread_locals. Shared libraries, the C++ library among them, are not looked at.
#pragma once

#include <cstddef>
#include <span>

namespace heddle::runtime {

// Is the address in the executable's static storage (not thread_local)?
bool in_static_storage(const void* address);

// The executable's writable segments.
struct static_storage {
  const std::byte* begin;
  const std::byte* end;
};
std::span<const static_storage> find_static_storage();

struct thread_local_block {
  std::byte* begin = nullptr;          // of the calling OS thread; null: the program has none
  std::size_t size = 0;                // bytes
  std::span<const std::byte> initial;  // what it begins with at the start of a thread, then zeros
};
thread_local_block find_thread_locals();

}  // namespace heddle::runtime
