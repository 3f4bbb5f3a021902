// Crashes on a fiber are reported and the program goes on; crashes elsewhere stay crashes.
#include "checker/runtime/crash.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cfenv>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>

#include "checker/runtime/fiber.hpp"
#include "checker/runtime/heap.hpp"

namespace heddle::runtime {
namespace {

struct recorder {
  int count = 0;
  crash_info last;
  bool heap_was_enabled = false;

  static void note(void* self, const crash_info& crash) noexcept {
    recorder& the = *static_cast<recorder*>(self);
    ++the.count;
    the.last = crash;
    the.heap_was_enabled = heap_enabled();
  }
};

// Runs the body on the fiber under a guard, and says how it crashed.
template <typename Body>
std::string crash_of(fiber& thread, Body body, recorder& record) {
  const crash_guard guard(recorder::note, &record);
  thread.start(
      [](void* argument) {
        heap_enable(0);  // for what is thrown and never freed
        (*static_cast<Body*>(argument))();
        heap_disable();
      },
      &body);
  thread.resume();
  heap_reset();
  EXPECT_TRUE(thread.finished());
  EXPECT_EQ(fiber::current(), nullptr);
  return record.count == 0 ? "no crash" : describe(record.last);
}

template <typename Body>
std::string crash_of(Body body) {
  fiber thread;
  recorder record;
  return crash_of(thread, std::move(body), record);
}

// Undefined behaviour is what these bodies are for.
[[gnu::noinline]] __attribute__((no_sanitize("undefined"))) void write_to(std::uintptr_t address) {
  *reinterpret_cast<volatile int*>(address) = 1;
}

[[gnu::noinline]] __attribute__((no_sanitize("undefined"))) int divide(int a, int b) {
  return a / b;
}

[[gnu::noinline]] int overflow_stack(int depth) {
  volatile char frame[512];
  frame[0] = static_cast<char>(depth);
  return depth < 0 ? 0 : overflow_stack(depth + 1) + frame[0];
}

TEST(Crash, NullPointer) {
  EXPECT_EQ(crash_of([] { write_to(0); }), "SIGSEGV at a null pointer");
  EXPECT_EQ(crash_of([] { write_to(16); }), "SIGSEGV at a null pointer");
}

TEST(Crash, WildPointer) {
  fiber thread;
  recorder record;
  EXPECT_EQ(crash_of(
                thread, [] { write_to(0x2fff'0000'0008); }, record),
            "SIGSEGV at an invalid address");
  EXPECT_EQ(record.last.signal, SIGSEGV);
  EXPECT_EQ(record.last.address, reinterpret_cast<const void*>(0x2fff'0000'0008));
  EXPECT_NE(record.last.pc, nullptr);
  EXPECT_FALSE(record.last.stack_overflow);
}

TEST(Crash, NonCanonicalPointerIsNotTakenForNull) {
  EXPECT_EQ(crash_of([] { write_to(0xdead'dead'dead'dea8); }), "SIGSEGV at an invalid address");
}

TEST(Crash, WriteToReadOnlyMemory) {
  void* const page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  EXPECT_EQ(crash_of([page] { write_to(reinterpret_cast<std::uintptr_t>(page)); }),
            "SIGSEGV at an invalid address");
  munmap(page, 4096);
}

TEST(Crash, IntegerDivision) {
  volatile int zero = 0;
  volatile int some = 7;
  EXPECT_EQ(crash_of([&] { some = divide(some, zero); }), "SIGFPE (integer division)");
}

TEST(Crash, IllegalInstruction) {
  EXPECT_EQ(crash_of([] { asm volatile("ud2"); }), "SIGILL");
}

TEST(Crash, Abort) {
  EXPECT_EQ(crash_of([] { std::abort(); }), "SIGABRT");
}

TEST(Crash, BusError) {
  char name[] = "/tmp/heddle_crash_test_XXXXXX";
  const int file = mkstemp(name);
  ASSERT_GE(file, 0);
  unlink(name);
  void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  EXPECT_EQ(crash_of([page] { write_to(reinterpret_cast<std::uintptr_t>(page)); }),
            "SIGBUS at an invalid address");
  munmap(page, 4096);
  close(file);
}

TEST(Crash, Terminate) {
  EXPECT_EQ(crash_of([] { std::terminate(); }), "std::terminate");
}

TEST(Crash, UncaughtExceptionIsNamed) {
  EXPECT_EQ(crash_of([] { throw std::runtime_error("out of cheese"); }),
            "std::terminate (uncaught exception std::runtime_error: out of cheese)");
  EXPECT_EQ(crash_of([] { throw 5; }), "std::terminate (uncaught exception int)");
}

TEST(Crash, ExceptionOutOfNoexcept) {
  EXPECT_EQ(crash_of([] {
              const auto throws = [] { throw std::logic_error("thrown all the same"); };
              const auto never = [&throws]() noexcept { throws(); };
              try {
                never();
              } catch (...) {
              }
            }),
            "std::terminate (uncaught exception std::logic_error: thrown all the same)");
}

TEST(Crash, LeavesNoExceptionBehind) {
  crash_of([] { throw 5; });
  EXPECT_EQ(std::current_exception(), nullptr);
  EXPECT_EQ(std::uncaught_exceptions(), 0);
}

TEST(Crash, StackOverflow) {
  fiber thread;
  recorder record;
  EXPECT_EQ(crash_of(
                thread, [] { overflow_stack(0); }, record),
            "stack overflow");
  EXPECT_TRUE(record.last.stack_overflow);
  EXPECT_EQ(record.last.signal, SIGSEGV);
}

TEST(Crash, StackOverflowByOneLargeFrame) {
  EXPECT_EQ(crash_of([] {
              const auto bottom =
                  reinterpret_cast<std::uintptr_t>(fiber::current()->stack().bottom());
              write_to(bottom - (std::size_t{1} << 20));
            }),
            "stack overflow");
}

TEST(Crash, TheSameFiberCrashesManyTimesAndStillWorks) {
  fiber thread;
  recorder record;
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(crash_of(
                  thread, [] { write_to(0); }, record),
              "SIGSEGV at a null pointer");
    crash_of(
        thread, [] { overflow_stack(0); }, record);
    crash_of(
        thread, [] { std::abort(); }, record);
  }
  EXPECT_EQ(record.count, 600);
  recorder clean;
  EXPECT_EQ(crash_of(
                thread, [] {}, clean),
            "no crash");
}

TEST(Crash, TurnsTheBodysHeapOff) {
  fiber thread;
  recorder record;
  record.heap_was_enabled = true;
  crash_of(
      thread, [] { write_to(0); }, record);
  EXPECT_FALSE(record.heap_was_enabled);
  EXPECT_FALSE(heap_enabled());
  record.heap_was_enabled = true;
  crash_of(
      thread, [] { throw std::runtime_error("thrown on the body's heap"); }, record);
  EXPECT_FALSE(record.heap_was_enabled);
  EXPECT_FALSE(heap_enabled());
}

TEST(Crash, KeepsTheSchedulersRoundingMode) {
  std::fesetround(FE_UPWARD);
  crash_of([] { write_to(0); });
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
}

TEST(Crash, LeavesTheSignalMaskAlone) {
  sigset_t before;
  sigset_t after;
  sigprocmask(SIG_BLOCK, nullptr, &before);
  crash_of([] { write_to(0); });
  crash_of([] { std::abort(); });
  sigprocmask(SIG_BLOCK, nullptr, &after);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM}) {
    EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
  }
}

TEST(Crash, GuardRestoresWhatWasThere) {
  struct sigaction before {};
  struct sigaction after {};
  sigaction(SIGSEGV, nullptr, &before);
  const auto terminate_before = std::get_terminate();
  crash_of([] {});
  sigaction(SIGSEGV, nullptr, &after);
  EXPECT_EQ(before.sa_sigaction, after.sa_sigaction);
  EXPECT_EQ(before.sa_flags, after.sa_flags);
  EXPECT_EQ(std::get_terminate(), terminate_before);
}

TEST(Crash, GuardsNest) {
  recorder outer;
  fiber thread;
  const crash_guard guard(recorder::note, &outer);
  EXPECT_EQ(crash_of([] { write_to(0); }), "SIGSEGV at a null pointer");
  EXPECT_EQ(outer.count, 0);
  thread.start([](void*) { write_to(0); }, nullptr);
  thread.resume();
  EXPECT_EQ(outer.count, 1);
}

TEST(CrashDeathTest, OutsideOfFibersStaysACrash) {
  recorder record;
  const auto guarded = [&record](auto crash) {
    std::signal(SIGSEGV, SIG_DFL);  // instead of the sanitizer's
    std::signal(SIGABRT, SIG_DFL);
    const crash_guard guard(recorder::note, &record);
    crash();
  };
  EXPECT_EXIT(guarded([] { write_to(0); }), testing::KilledBySignal(SIGSEGV), "");
  EXPECT_EXIT(guarded([] { std::abort(); }), testing::KilledBySignal(SIGABRT), "");
  EXPECT_EXIT(guarded([] { std::terminate(); }), testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace heddle::runtime
