// Source places in both forms become file, line and function.
#include "checker/runtime/source_place.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "checker/runtime/heap.hpp"
#include "checker/runtime/location.hpp"

namespace heddle::runtime {
namespace {

constexpr const char* this_file = __FILE__;

std::string at(std::uint32_t line) { return std::string(this_file) + ":" + std::to_string(line); }

location passed(location where = location::current()) { return where; }

[[gnu::noinline]] location returned() {
  return location::from_return_address(__builtin_return_address(0));
}

// Defined at the end of this file, as if in a public header.
inline location inlined_operation();

constexpr std::uint32_t call_line = __LINE__ + 2;
[[gnu::noinline]] location calls_directly() {
  const location place = returned();
  asm volatile("");
  return place;
}

constexpr std::uint32_t operation_line = __LINE__ + 2;
[[gnu::noinline]] location calls_operation() {
  const location place = inlined_operation();
  asm volatile("");
  return place;
}

constexpr std::uint32_t inlined_line = __LINE__ + 2;
[[gnu::always_inline]] inline location users_inline_function() {
  const location place = inlined_operation();
  asm volatile("");
  return place;
}

[[gnu::noinline]] location calls_inline_function() {
  const location place = users_inline_function();
  asm volatile("");
  return place;
}

[[gnu::noinline]] void never_returns(location& place) {
  place = location::from_return_address(__builtin_return_address(0));
  throw 1;
}

// The return address of a call at the end of a function may lie beyond the function.
constexpr std::uint32_t last_call_line = __LINE__ + 1;
[[gnu::noinline]] void ends_with_a_call(location& place) { never_returns(place); }

TEST(SourcePlace, OfACallIsItsFileAndLine) {
  const location place = passed();
  EXPECT_EQ(place.line, static_cast<std::uint32_t>(__LINE__ - 1));
  EXPECT_FALSE(place.is_return_address());
  EXPECT_EQ(describe(place), at(place.line));
}

TEST(SourcePlace, OfAReturnAddressIsTheLineOfTheCall) {
  const location place = calls_directly();
  EXPECT_TRUE(place.is_return_address());
  EXPECT_EQ(describe(place), at(call_line));
  EXPECT_NE(resolve(place).function.find("calls_directly"), std::string::npos);
}

TEST(SourcePlace, SkipsInlinedFunctionsOfTheCheckersHeaders) {
  const location place = calls_operation();
  EXPECT_EQ(describe(place), at(operation_line));
  EXPECT_NE(resolve(place).function.find("calls_operation"), std::string::npos);
}

TEST(SourcePlace, IsTheUsersInnermostInlinedFunction) {
  const location place = calls_inline_function();
  EXPECT_EQ(describe(place), at(inlined_line));
  EXPECT_NE(resolve(place).function.find("users_inline_function"), std::string::npos);
}

TEST(SourcePlace, OfTheLastCallOfAFunctionIsInThatFunction) {
  location place;
  EXPECT_THROW(ends_with_a_call(place), int);
  EXPECT_EQ(describe(place), at(last_call_line));
}

TEST(SourcePlace, OfNothingKnownIsAQuestionMark) {
  EXPECT_EQ(describe(location{}), "?");
  EXPECT_EQ(describe(location::from_return_address(nullptr)), "?");
  EXPECT_EQ(describe(location::from_return_address(reinterpret_cast<const void*>(0x1234))), "?");
  int local = 0;
  EXPECT_EQ(describe(location::from_return_address(&local)), "?");
}

TEST(SourcePlace, IsResolvedOnTheRealHeapEvenInsideABody) {
  const location place = calls_directly();
  heap_reset();
  heap_enable(0);
  bool owned = true;
  {
    const std::string text = describe(place);
    owned = heap_owns(text.data());
  }
  heap_disable();
  heap_reset();
  EXPECT_FALSE(owned);
  EXPECT_EQ(describe(place), at(call_line));
}

TEST(Location, IsKnownAtCompileTime) {
  constexpr location place = location::current();
  static_assert(place.line == __LINE__ - 1);
  static_assert(sizeof(location) == 16);
  EXPECT_STREQ(place.file, this_file);
}

// Nothing of the test's own stands behind this line.
#line 1 "/somewhere/include/heddle/pretended.hpp"
[[gnu::always_inline]] inline location inlined_detail() { return returned(); }
[[gnu::always_inline]] inline location inlined_operation() { return inlined_detail(); }

}  // namespace
}  // namespace heddle::runtime
