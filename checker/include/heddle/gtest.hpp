// GoogleTest's side of heddle: expectations on results, and EXPECT_ and ASSERT_ inside bodies.
//
//     TEST(Counter, LosesNothing) { EXPECT_VERIFIED(heddle::check([] { ... })); }
//
// A failing EXPECT_ or ASSERT_ inside a body counts as a `require` that does not hold: it becomes
// the violation of the check, at the thread's next operation or end, and not a failure of the test.
// Link heddle::gtest. The two macros are the only ones that heddle defines.
#pragma once

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "checker/runtime/interface.hpp"
#include "heddle/check.hpp"

namespace heddle {

namespace detail {

// Takes GoogleTest's failures while a check runs. GoogleTest holds a lock when it calls a reporter,
// so the failure is only noted here.
class body_failures final : public testing::ScopedFakeTestPartResultReporter {
 public:
  body_failures()
      : ScopedFakeTestPartResultReporter{INTERCEPT_ONLY_CURRENT_THREAD, &outside_of_bodies_} {
    // What GoogleTest makes at its first failure must not lie in a body's memory.
    GTEST_NONFATAL_FAILURE_("heddle begins");
  }

  void ReportTestPartResult(const testing::TestPartResult& part) override {
    if (runtime::active() && part.failed())
      runtime::note_failure(part.message(), part.file_name() == nullptr ? "" : part.file_name(),
                            part.line_number());
  }

 private:
  testing::TestPartResultArray outside_of_bodies_;
};

inline std::optional<body_failures>& failures_of_check() {
  static std::optional<body_failures> failures;
  return failures;
}

// Every check of a program that includes this header takes the failures.
inline const bool takes_failures = [] {
  runtime::around_checks(
      {[] { failures_of_check().emplace(); }, [] { failures_of_check().reset(); }});
  return true;
}();

}  // namespace detail

// For EXPECT_TRUE(is_verified(r)), and what EXPECT_VERIFIED uses.
inline testing::AssertionResult is_verified(const result& found) {
  if (found.is_verified() && found.vacuous.empty()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << found.report();
}
inline testing::AssertionResult is_violation(const result& found, verdict_kind kind) {
  if (found.verdict == kind) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "expected " << to_string(kind) << ", found " << found.report();
}

}  // namespace heddle

// The check was complete, violated nothing, and could have.
#define EXPECT_VERIFIED(...) EXPECT_TRUE(::heddle::is_verified(__VA_ARGS__))
// The check found a violation of this kind: EXPECT_VIOLATION(r, heddle::verdict_kind::deadlock).
#define EXPECT_VIOLATION(result, kind) EXPECT_TRUE(::heddle::is_violation(result, kind))
