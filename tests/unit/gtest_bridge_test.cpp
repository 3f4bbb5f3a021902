// EXPECT_ inside a body is a require; expectations on results.
#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>

namespace heddle {
namespace {

TEST(GoogleTestInABody, AFailingExpectIsTheViolation) {
  const result r = check([] {
    atomic<int> x{0};
    thread t([&] { x.store(1); });
    const int seen = x.load();
    t.join();
    EXPECT_EQ(seen, 0) << "the store came first";
  });
  EXPECT_VIOLATION(r, verdict_kind::assertion);
  EXPECT_NE(r.message.find("the store came first"), std::string::npos) << r.message;
  EXPECT_NE(r.where.find("gtest_bridge_test.cpp"), std::string::npos) << r.where;
}

TEST(GoogleTestInABody, AFailingAssertInAThreadIsTheViolation) {
  const result r = check([] {
    atomic<int> x{0};
    thread t([&] {
      ASSERT_EQ(x.load(), 0);
      x.store(2);
    });
    x.store(1);
    t.join();
  });
  EXPECT_VIOLATION(r, verdict_kind::assertion);
}

TEST(GoogleTestInABody, HoldingExpectationsCostNothing) {
  EXPECT_VERIFIED(check([] {
    atomic<int> x{0};
    thread t([&] { x.fetch_add(1); });
    x.fetch_add(1);
    t.join();
    EXPECT_EQ(x.load(), 2);
    require(x.load() == 2, "an increment was lost");
  }));
}

TEST(GoogleTestOutsideABody, FailuresAreStillFailures) {
  EXPECT_NONFATAL_FAILURE(EXPECT_VERIFIED(check([] { require(false, "never"); })), "never");
  EXPECT_NONFATAL_FAILURE(EXPECT_EQ(1, 2), "2");
}

}  // namespace
}  // namespace heddle
