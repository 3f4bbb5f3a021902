// Fibers: the threads of a checked body, all on one OS thread, switched only where the engine says.
//
// A fiber is a stack that is mapped once and started again for every execution. The scheduler calls
// resume(), which returns when the fiber suspends, ends or is abandoned. What belongs to a thread
// and not to its stack (the C++ exception state, 16 bytes of __cxa_get_globals, and errno) is
// switched along; without it two fibers parked in catch blocks rethrow each other's exceptions.
//
// Promises:
//   1. A fiber may be started again at any time but while it runs. What stood on its stack is
//      forgotten, not unwound: an abandoned execution costs nothing.
//   2. Stacks lie at fixed addresses: the i-th stack alive has the same address in every execution
//      and in every process, unless that address range is taken.
//   3. A stack that overflows hits its guard page, which guards() recognises.
//
// A fiber stays on the OS thread that starts it, because compilers keep thread_local addresses
// across a switch. The owner of the fiber owns its stack; the entry function must not throw.
// Rounding mode and floating point flags are shared by all fibers. ASan and valgrind are told about
// stacks and switches. The jump itself is in fiber_switch.hpp; resume() and suspend() are inline
// because every function that returns behind a jump costs a mispredicted return.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "checker/runtime/fiber_switch.hpp"

namespace heddle::runtime {

// One mapped stack with inaccessible memory below and above it.
class fiber_stack {
 public:
  static constexpr std::size_t default_size = std::size_t{256} << 10;

  // Takes the lowest free fixed place, so create stacks in the order of the threads. Throws
  // std::bad_alloc when there is no memory.
  explicit fiber_stack(std::size_t size = default_size);
  ~fiber_stack();
  fiber_stack(const fiber_stack&) = delete;
  fiber_stack& operator=(const fiber_stack&) = delete;

  void* bottom() const { return bottom_; }
  void* top() const { return bottom_ + size_; }
  std::size_t size() const { return size_; }

  // Is the address in the inaccessible memory below this stack?
  bool guards(const void* address) const;
  bool contains(const void* address) const;

 private:
  std::byte* bottom_ = nullptr;  // lowest usable byte
  std::size_t size_ = 0;         // usable bytes
  std::byte* mapping_ = nullptr;
  std::size_t mapping_size_ = 0;
  int slot_ = -1;  // the fixed place it holds, -1 when it lies anywhere
  unsigned valgrind_id_ = 0;
};

class fiber {
 public:
  explicit fiber(std::size_t stack_size = fiber_stack::default_size) : stack_(stack_size) {}
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;

  // The next resume() enters entry(argument).
  void start(void (*entry)(void*), void* argument);

  // Called by the scheduler: runs the fiber until it suspends, ends or is abandoned. The fiber must
  // be started and not finished.
  void resume();

  // Called on the fiber: goes back to whoever resumed it; returns at the next resume().
  void suspend();

  // Called on the fiber, also from a signal handler on the alternate signal stack: goes back to
  // whoever resumed it for good. finished() is true from then on; start() begins a new life.
  [[noreturn]] void abandon_to_scheduler();

  // Never started, or its entry returned, or it was abandoned.
  bool finished() const { return finished_; }

  const fiber_stack& stack() const { return stack_; }

  // The lowest address of its stack that is in use, while it is parked.
  const void* parked_at() const { return context_; }

  // The fiber that runs on this OS thread now; null on the scheduler.
  static fiber* current() { return running_; }

 private:
  // What __cxa_get_globals() points at in libstdc++: the stack of caught exceptions and a count.
  struct exception_state {
    std::uint64_t caught;
    std::uint64_t uncaught_count;  // 4 bytes and padding
  };

  void exchange_thread_state();
  friend void detail::enter_fiber(void* from, void* data) noexcept;
  // ASan's hooks, called only under ASan.
  static void asan_leave(void** parked, const void* bottom, std::size_t size);
  static void asan_arrive(void* parked, const void** from_bottom, std::size_t* from_size);

  inline static constinit thread_local fiber* running_ = nullptr;

  void* context_ = nullptr;  // where to jump: into the fiber while it is parked, else out of it
  void* thread_exceptions_ = nullptr;  // of the OS thread, set by start()
  int* thread_errno_ = nullptr;
  exception_state
      parked_exceptions_;  // the fiber's while it is parked, the resumer's while it runs
  int parked_errno_ = 0;
  bool finished_ = true;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  fiber_stack stack_;

  // Only for ASan: the stack of the resumer and the fiber's parked fake stack.
  const void* resumer_bottom_ = nullptr;
  std::size_t resumer_size_ = 0;
  void* fake_stack_ = nullptr;
};

// Both sides are nearly always at rest, and to look first is cheaper than to store.
inline void fiber::exchange_thread_state() {
  exception_state now;
  std::memcpy(&now, thread_exceptions_, sizeof now);
  if ((now.caught | now.uncaught_count | parked_exceptions_.caught |
       parked_exceptions_.uncaught_count) != 0) [[unlikely]] {
    std::memcpy(thread_exceptions_, &parked_exceptions_, sizeof now);
    parked_exceptions_ = now;
  }
  if (*thread_errno_ != parked_errno_) [[unlikely]]
    std::swap(*thread_errno_, parked_errno_);
}

[[gnu::always_inline]] inline void fiber::resume() {
  assert(!finished_ && running_ != this);
  fiber* const resumer = running_;
  running_ = this;
  exchange_thread_state();
  void* resumer_fake_stack = nullptr;
  if constexpr (detail::under_asan) {
    asan_leave(&resumer_fake_stack, stack_.bottom(), stack_.size());
  }
  context_ = detail::jump_context(context_, this);
  if constexpr (detail::under_asan) asan_arrive(resumer_fake_stack, nullptr, nullptr);
  exchange_thread_state();
  running_ = resumer;
}

[[gnu::always_inline]] inline void fiber::suspend() {
  assert(running_ == this);
  if constexpr (detail::under_asan) asan_leave(&fake_stack_, resumer_bottom_, resumer_size_);
  context_ = detail::jump_context(context_, nullptr);
  if constexpr (detail::under_asan) asan_arrive(fake_stack_, &resumer_bottom_, &resumer_size_);
}

}  // namespace heddle::runtime
