#include "checker/runtime/call_stack.hpp"

#include <unwind.h>

#include <cstdint>
#include <cstring>
#include <exception>

namespace heddle::runtime {

namespace {

_Unwind_Reason_Code take_frame(_Unwind_Context* context, void* stack) {
  call_stack& taken = *static_cast<call_stack*>(stack);
  int is_interrupted = 0;  // the address is not behind a call, but of the instruction itself
  const auto address = static_cast<std::uintptr_t>(_Unwind_GetIPInfo(context, &is_interrupted));
  if (address == 0 || taken.count == taken.frames.size()) return _URC_END_OF_STACK;
  taken.add(reinterpret_cast<const void*>(address + (is_interrupted != 0 ? 1 : 0)));
  return _URC_NO_REASON;
}

// The engine and its bodies run on one OS thread; others that throw have a ring of their own.
struct thrown {
  const void* object = nullptr;
  call_stack stack;
};
struct throws {
  std::array<thrown, 8> ring{};
  std::size_t latest = 0;
};
thread_local constinit throws recent{};

}  // namespace

void capture(call_stack& stack) noexcept {
  stack.count = 0;
  _Unwind_Backtrace(take_frame, &stack);
}

void note_throw(const void* object) noexcept {
  recent.latest = (recent.latest + 1) % recent.ring.size();
  recent.ring[recent.latest].object = object;
  capture(recent.ring[recent.latest].stack);
}

const call_stack* thrown_at(const void* object) noexcept {
  const std::size_t count = recent.ring.size();
  for (std::size_t i = 0; i < count; ++i) {
    const thrown& each = recent.ring[(recent.latest + count - i) % count];
    if (object != nullptr && each.object == object) return &each.stack;
  }
  return nullptr;
}

const call_stack* last_thrown() noexcept {
  const thrown& last = recent.ring[recent.latest];
  return last.object != nullptr ? &last.stack : nullptr;
}

std::span<const std::byte> call_stack_storage() noexcept {
  return std::as_bytes(std::span{&recent, 1});
}

const void* current_exception_object() noexcept {
  const std::exception_ptr exception = std::current_exception();
  const void* object = nullptr;  // what an exception_ptr points to
  static_assert(sizeof object == sizeof exception);
  // NOLINTNEXTLINE(bugprone-undefined-memory-manipulation)
  std::memcpy(&object, &exception, sizeof object);
  return object;
}

}  // namespace heddle::runtime
