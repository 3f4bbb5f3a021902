// Crashes of a body become reports, not the death of the test program.
//
// While a crash_guard lives, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT and std::terminate on a fiber
// call the guard's callback and then abandon the fiber: resume() returns to the scheduler and
// fiber::finished() is true. The handlers run on an alternate stack, so a stack overflow is a crash
// like any other. A crash outside of fibers is the engine's own: it gets the handlers that were
// there before the guard, and usually dies with a core.
//
// The callback runs with the real heap enabled, in a signal handler: it should note what it needs
// and return. The crash may have happened inside libc or GoogleTest, with a lock held; nobody
// unlocks it. Guards nest; each is used on the OS thread that made it.
#pragma once

#include <cfenv>
#include <csignal>
#include <cstddef>
#include <exception>
#include <iterator>
#include <memory>
#include <string>

#include "checker/runtime/call_stack.hpp"

namespace heddle::runtime {

struct crash_info {
  int signal = 0;                 // 0: std::terminate
  int code = 0;                   // si_code of the signal
  const void* address = nullptr;  // SIGSEGV, SIGBUS: the address that was touched
  const void* pc = nullptr;       // the instruction; null for std::terminate
  call_stack stack;               // that led there
  bool stack_overflow = false;    // the address is in the guard below the fiber's stack
  char exception[240] = "";       // std::terminate: type and what() of the exception, if any
};

// One line: "SIGSEGV at a null pointer", "stack overflow", "SIGFPE (integer division)", "SIGABRT",
// "std::terminate (uncaught exception std::runtime_error: text)". Absolute addresses are left out,
// because they differ from run to run.
std::string describe(const crash_info& crash);

using crash_callback = void (*)(void* context, const crash_info& crash) noexcept;

class crash_guard {
 public:
  // Throws std::system_error when the handlers cannot be installed.
  crash_guard(crash_callback callback, void* context);
  ~crash_guard();
  crash_guard(const crash_guard&) = delete;
  crash_guard& operator=(const crash_guard&) = delete;

 private:
  static constexpr int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
  static constexpr std::size_t alternate_stack_size = std::size_t{64} << 10;

  static void on_signal(int signal, siginfo_t* info, void* machine_context);
  [[noreturn]] static void on_terminate();
  [[noreturn]] void report();

  static constinit crash_guard* installed_;

  crash_guard* const outer_;
  crash_callback callback_;
  void* context_;
  crash_info crash_;
  bool capturing_ = false;  // the stack of crash_
  std::unique_ptr<std::byte[]> alternate_stack_;
  stack_t stack_before_{};
  struct sigaction before_[std::size(signals)]{};
  std::terminate_handler terminate_before_ = nullptr;
  fenv_t floating_point_{};  // of the scheduler; the kernel resets it for signal handlers
};

}  // namespace heddle::runtime
