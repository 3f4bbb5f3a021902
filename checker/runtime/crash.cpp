#include "checker/runtime/crash.hpp"

#include <cxxabi.h>
#include <ucontext.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <typeinfo>

#include "checker/runtime/fiber.hpp"
#include "checker/runtime/heap.hpp"

namespace heddle::runtime {

namespace {

const void* instruction_of(const void* machine_context) {
  const auto& machine = static_cast<const ucontext_t*>(machine_context)->uc_mcontext;
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(machine.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(machine.pc);
#else
  static_cast<void>(machine);
  return nullptr;
#endif
}

// What a call has just left for its return; null if that is not known.
const void* return_address_of(const void* machine_context) {
  const auto& machine = static_cast<const ucontext_t*>(machine_context)->uc_mcontext;
#if defined(__x86_64__)
  return *reinterpret_cast<const void* const*>(machine.gregs[REG_RSP]);
#elif defined(__aarch64__)
  return reinterpret_cast<const void*>(machine.regs[30]);
#else
  static_cast<void>(machine);
  return nullptr;
#endif
}

// "std::runtime_error: text" of the exception that std::terminate was called for.
void describe_exception(char* text, std::size_t size) {
  const std::type_info* const type = abi::__cxa_current_exception_type();
  if (type == nullptr) return;
  int status = 0;
  char* const name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  const char* const shown = name != nullptr ? name : type->name();
  try {
    throw;
  } catch (const std::exception& exception) {
    std::snprintf(text, size, "%s: %s", shown, exception.what());
  } catch (...) {
    std::snprintf(text, size, "%s", shown);
  }
  std::free(name);
}

// A pointer to null, or to a member or an element not far behind it.
bool is_null_page(const void* address) { return reinterpret_cast<std::uintptr_t>(address) < 4096; }

std::string describe_access(const crash_info& crash, const char* name) {
  const std::string signal = name;
  if (crash.stack_overflow) return "stack overflow";
  if (crash.code == SI_USER || crash.code == SI_TKILL) return signal + " (sent)";
  // x86 gives no address, and another code, when the address is not one the processor can form.
  if (crash.code != SI_KERNEL && is_null_page(crash.address)) return signal + " at a null pointer";
  return signal + " at an invalid address";
}

}  // namespace

constinit crash_guard* crash_guard::installed_ = nullptr;

std::string describe(const crash_info& crash) {
  switch (crash.signal) {
    case 0:
      if (crash.exception[0] == '\0') return "std::terminate";
      return std::string("std::terminate (uncaught exception ") + crash.exception + ")";
    case SIGSEGV:
      return describe_access(crash, "SIGSEGV");
    case SIGBUS:
      return describe_access(crash, "SIGBUS");
    case SIGFPE:
      return crash.code == FPE_INTDIV ? "SIGFPE (integer division)" : "SIGFPE";
    case SIGILL:
      return "SIGILL";
    case SIGABRT:
      return "SIGABRT";
    default:
      return "signal " + std::to_string(crash.signal);
  }
}

crash_guard::crash_guard(crash_callback callback, void* context)
    : outer_(installed_),
      callback_(callback),
      context_(context),
      alternate_stack_(new std::byte[alternate_stack_size]) {
  std::fegetenv(&floating_point_);
  stack_t stack{};
  stack.ss_sp = alternate_stack_.get();
  stack.ss_size = alternate_stack_size;
  if (sigaltstack(&stack, &stack_before_) != 0) {
    throw std::system_error(errno, std::generic_category(), "sigaltstack");
  }
  installed_ = this;
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < std::size(signals); ++i) sigaction(signals[i], &action, &before_[i]);
  terminate_before_ = std::set_terminate(on_terminate);
}

crash_guard::~crash_guard() {
  std::set_terminate(terminate_before_);
  for (std::size_t i = 0; i < std::size(signals); ++i) sigaction(signals[i], &before_[i], nullptr);
  sigaltstack(&stack_before_, nullptr);
  installed_ = outer_;
}

void crash_guard::on_signal(int signal, siginfo_t* info, void* machine_context) {
  crash_guard& guard = *installed_;
  const fiber* const crashed = fiber::current();
  if (crashed == nullptr) {
    // The engine's own crash. A fault happens again when this handler returns, with the right
    // registers in the core; a signal that was sent does not, so send it again.
    for (std::size_t i = 0; i < std::size(signals); ++i) {
      sigaction(signals[i], &guard.before_[i], nullptr);
    }
    if (info->si_code <= 0) raise(signal);
    return;
  }
  if (guard.capturing_) guard.report();  // the stack was broken: it is known as far as that
  crash_info& crash = guard.crash_;
  crash = {};
  crash.signal = signal;
  crash.code = info->si_code;
  if (signal == SIGSEGV || signal == SIGBUS) {
    crash.address = info->si_addr;
    crash.stack_overflow = crashed->stack().guards(info->si_addr);
  }
  crash.pc = instruction_of(machine_context);
  if (is_null_page(crash.pc)) {
    // a call through a null pointer
    if (const void* const caller = return_address_of(machine_context)) crash.stack.add(caller);
  } else {
    guard.capturing_ = true;
    capture(crash.stack);
  }
  guard.report();
}

void crash_guard::on_terminate() {
  heap_disable();
  crash_guard& guard = *installed_;
  if (fiber::current() == nullptr) {
    guard.terminate_before_();
    std::abort();
  }
  crash_info& crash = guard.crash_;
  crash = {};
  describe_exception(crash.exception, sizeof crash.exception);
  if (const call_stack* const thrown = thrown_at(current_exception_object())) {
    crash.stack = *thrown;  // some compilers unwind as far as the function that must not throw
  } else {
    guard.capturing_ = true;
    capture(crash.stack);
  }
  guard.report();
}

void crash_guard::report() {
  heap_disable();
  capturing_ = false;
  callback_(context_, crash_);
  std::fesetenv(&floating_point_);
  fiber::current()->abandon_to_scheduler();
}

}  // namespace heddle::runtime
