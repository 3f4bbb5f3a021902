// Crashes of a body end the check as a violation, with the line that crashed, the counts and the
// trace; the process goes on.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"

namespace {

using heddle::check;
using heddle::result;
using heddle::verdict_kind;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string line_of(int line) { return "unit/verdict_crash_test.cpp:" + std::to_string(line); }

// What the compiler and its sanitizers must not see through.
template <class T>
T opaque(T value) {
  volatile T hidden = value;
  return hidden;
}

// Crashes in a thread, after two events, in one of two executions.
template <class Crash>
result crash_in_a_thread(Crash crash) {
  return check([crash] {
    heddle::atomic<int> x{0};
    heddle::thread t([&] {
      if (x.load() == 1) crash();
    });
    x = 1;
    t.join();
    heddle::require(true, "the other execution");
  });
}

void expect_crash(const result& r, const std::string& message) {
  EXPECT_EQ(r.verdict, verdict_kind::crash) << r.report();
  EXPECT_TRUE(contains(r.message, message)) << r.message;
  EXPECT_GE(r.runs, 1u);
  EXPECT_GT(r.events, 2u);
  EXPECT_TRUE(contains(r.counterexample, "load")) << "the trace so far: " << r.counterexample;
  EXPECT_TRUE(contains(r.report(), r.message)) << r.report();
  EXPECT_TRUE(contains(r.report(), r.where)) << r.report();
  EXPECT_FALSE(contains(r.report(), "verified"));
  // the next check is not disturbed
  const result after = check([] { heddle::require(heddle::choose(2) < 2, "fine"); });
  EXPECT_TRUE(after.is_verified()) << after.report();
  EXPECT_EQ(after.executions, 2u);
}

struct record {
  int number;
};

__attribute__((noinline, no_sanitize("undefined"))) int number_of(const volatile record* r) {
  return r->number;  // null_line
}
constexpr int null_line = __LINE__ - 2;

TEST(VerdictCrash, ANullPointer) {
  const result r = crash_in_a_thread([] { (void)opaque(number_of(opaque<record*>(nullptr))); });
  expect_crash(r, "SIGSEGV at a null pointer");
  EXPECT_TRUE(r.where.ends_with(line_of(null_line))) << r.where;
}

int length_line = 0;

__attribute__((noinline, no_sanitize("undefined"))) std::size_t length_of(const char* text) {
  length_line = __LINE__ + 1;
  return opaque(std::strlen(text));
}

TEST(VerdictCrash, ANullPointerInAFunctionOfTheSystem) {
  const result r = crash_in_a_thread([] { (void)opaque(length_of(opaque<const char*>(nullptr))); });
  expect_crash(r, "SIGSEGV");
  EXPECT_TRUE(r.where.ends_with(line_of(length_line))) << r.where;
}

TEST(VerdictCrash, ACallOfANullFunction) {
  int line = 0;
  const result r = crash_in_a_thread([&line] {
    void (*const function)() = opaque<void (*)()>(nullptr);
    line = __LINE__ + 1;
    function();
    line = opaque(line);  // no tail call
  });
  expect_crash(r, "SIGSEGV at a null pointer");
  EXPECT_TRUE(r.where.ends_with(line_of(line))) << r.where;
}

__attribute__((noinline, no_sanitize("undefined"))) int quotient(int a, int b) { return a / b; }
constexpr int quotient_line = __LINE__ - 1;

TEST(VerdictCrash, ADivisionByZero) {
  const result r = crash_in_a_thread([] { (void)opaque(quotient(opaque(1), opaque(0))); });
  expect_crash(r, "SIGFPE (integer division)");
  EXPECT_TRUE(r.where.ends_with(line_of(quotient_line))) << r.where;
}

TEST(VerdictCrash, Abort) {
  int line = 0;
  const result r = crash_in_a_thread([&line] {
    line = __LINE__ + 1;
    std::abort();
  });
  expect_crash(r, "SIGABRT");
  EXPECT_TRUE(r.where.ends_with(line_of(line))) << r.where;
}

TEST(VerdictCrash, Terminate) {
  int line = 0;
  const result r = crash_in_a_thread([&line] {
    line = __LINE__ + 1;
    std::terminate();
  });
  expect_crash(r, "std::terminate");
  EXPECT_TRUE(r.where.ends_with(line_of(line))) << r.where;
}

int thrown_line = 0;

[[gnu::noinline]] void throws(const char* text) {
  thrown_line = __LINE__ + 1;
  throw std::runtime_error(text);
}
[[gnu::noinline]] void must_not_throw(const char* text) noexcept { throws(text); }

TEST(VerdictCrash, AnExceptionLeavesANoexceptFunction) {
  const result r = crash_in_a_thread([] { must_not_throw("too late"); });
  expect_crash(r, "std::terminate (uncaught exception std::runtime_error: too late)");
  EXPECT_TRUE(r.where.ends_with(line_of(thrown_line))) << r.where;
}

int overflow_line = 0;

[[gnu::noinline]] int overflow(int depth) {
  volatile char frame[512];
  opaque(&frame);
  frame[0] = static_cast<char>(depth);
  overflow_line = __LINE__ + 1;
  return depth < 0 ? 0 : overflow(depth + 1) + frame[0];
}

TEST(VerdictCrash, AStackOverflowNamesTheOption) {
  const result r = crash_in_a_thread([] { (void)opaque(overflow(opaque(0))); });
  expect_crash(r, "stack overflow: raise stack_size (HEDDLE_STACK_SIZE)");
  EXPECT_TRUE(contains(r.where, "unit/verdict_crash_test.cpp:")) << r.where;
}

[[gnu::noinline]] int use_stack(int kilobytes) {
  volatile char frame[1024];
  opaque(&frame);
  frame[0] = 1;
  const int deeper = kilobytes == 0 ? 0 : use_stack(kilobytes - 1);
  frame[1] = static_cast<char>(deeper);  // no loop in place of the calls
  return deeper + frame[0];
}

TEST(VerdictCrash, ALargerStackSizeHelps) {
  const auto body = [] { heddle::require(use_stack(opaque(400)) == 401, "all frames"); };
  EXPECT_EQ(check(body).verdict, verdict_kind::crash);
  EXPECT_TRUE(check({.stack_size = std::size_t{1} << 20}, body).is_verified());
}

TEST(VerdictCrash, InTheFirstThreadBeforeAnyOperation) {
  int line = 0;
  const result r = check([&line] {
    line = __LINE__ + 1;
    std::abort();
  });
  EXPECT_EQ(r.verdict, verdict_kind::crash);
  EXPECT_TRUE(r.where.ends_with(line_of(line))) << r.where;
}

TEST(VerdictCrash, ASignalThatIsRaised) {
  const result r = crash_in_a_thread([] { (void)std::raise(SIGFPE); });
  expect_crash(r, "SIGFPE");
}

}  // namespace
