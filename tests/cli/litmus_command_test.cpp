// heddle litmus: counts, outcomes, options, files, errors, and the interrupt.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace heddle::cli_tests {
namespace {

constexpr const char* store_buffering = "x.rlx=1; r0=y.rlx | y.rlx=1; r0=x.rlx";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

outcome litmus(std::vector<std::string> arguments, const settings& with = {}) {
  arguments.insert(arguments.begin(), "litmus");
  return run_heddle(arguments, with);
}

void expect_usage(const outcome& o, const std::vector<std::string>& parts) {
  EXPECT_EQ(o.status, 3) << o.out << o.err;
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(std::ranges::count(o.err, '\n'), 1) << o.err;
  for (const std::string& part : parts) EXPECT_TRUE(contains(o.err, part)) << part << ": " << o.err;
}

TEST(Litmus, CountsUnderEachModel) {
  const auto count = [](const std::string& model) {
    return litmus({store_buffering, "--memory-model", model});
  };
  EXPECT_EQ(count("rc11"), (outcome{0, "rc11: 4 complete, 0 blocked\n", ""}));
  EXPECT_EQ(count("tso"), (outcome{0, "tso: 4 complete, 0 blocked\n", ""}));
  EXPECT_EQ(count("sc"), (outcome{0, "sc: 3 complete, 0 blocked\n", ""}));
  EXPECT_EQ(litmus({store_buffering}), count("rc11")) << "the default";
  EXPECT_EQ(litmus({store_buffering}, {.environment = {{"HEDDLE_MEMORY_MODEL", "sc"}}}),
            count("sc"));
}

TEST(Litmus, OutcomesWithHowManyExecutionsEach) {
  const outcome o = litmus({store_buffering, "--outcomes"});
  EXPECT_EQ(o.status, 0);
  EXPECT_EQ(o.out,
            "rc11: 4 complete, 0 blocked\n"
            "       1  0:r0=0 1:r0=0 x=1 y=1\n"
            "       1  0:r0=0 1:r0=1 x=1 y=1\n"
            "       1  0:r0=1 1:r0=0 x=1 y=1\n"
            "       1  0:r0=1 1:r0=1 x=1 y=1\n");
  EXPECT_EQ(litmus({store_buffering, "--outcomes"}), o) << "byte for byte";
  const outcome sc = litmus({store_buffering, "--outcomes", "--memory-model", "sc"});
  EXPECT_FALSE(contains(sc.out, "0:r0=0 1:r0=0")) << sc.out;
}

TEST(Litmus, AwaitsParkedOrAsAssumptions) {
  const std::string program = "x.rel=1 | r0=await(x==1).acq";
  EXPECT_EQ(litmus({program}).out, "rc11: 1 complete, 0 blocked\n");
  EXPECT_EQ(litmus({program, "--awaits", "parked"}).out, "rc11: 1 complete, 0 blocked\n");
  EXPECT_EQ(litmus({program, "--awaits", "assume"}).out, "rc11: 1 complete, 1 blocked\n");
  expect_usage(litmus({program, "--awaits", "spin"}), {"parked", "assume"});
}

TEST(Litmus, ReleaseSequences) {
  // the second store of the releasing thread is on its release sequence up to C++17 only
  const std::string program = "x.rlx=1; y.rel=1; y.rlx=2 | r0=y.acq; if(r0!=2)skip1; r1=x.rlx";
  const outcome now = litmus({program, "--outcomes", "--release-sequences", "c++20"});
  const outcome then = litmus({program, "--outcomes", "--release-sequences", "c++11"});
  EXPECT_TRUE(contains(now.out, "1:r0=2 1:r1=0")) << now.out;
  EXPECT_FALSE(contains(then.out, "1:r0=2 1:r1=0")) << then.out;
  EXPECT_EQ(litmus({program, "--outcomes"}), now) << "the default";
  expect_usage(litmus({program, "--release-sequences", "c++98"}), {"c++20", "c++11"});
}

TEST(Litmus, Interleavings) {
  const outcome o = litmus({store_buffering, "--search", "interleavings"});
  EXPECT_EQ(o, (outcome{0, "sc: 6 complete, 0 blocked\n", ""}));
  expect_usage(litmus({store_buffering, "--search", "interleavings", "--memory-model", "tso"}),
               {"sc"});
  expect_usage(litmus({store_buffering, "--search", "all"}), {"exhaustive", "interleavings"});
}

TEST(Litmus, BlockedExecutionsAreCounted) {
  const outcome o = litmus({"x.rlx=1 | r0=x.rlx; assume(r0==1)"});
  EXPECT_EQ(o, (outcome{0, "rc11: 1 complete, 1 blocked\n", ""}));
  const outcome never = litmus({"r0=await(x==1).acq"});
  EXPECT_EQ(never.out, "rc11: 0 complete, 1 blocked\n");
}

TEST(Litmus, AFile) {
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "heddle_cli_program.litmus";
  std::ofstream(path) << "# store buffering\nx.rlx=1; r0=y.rlx |\n# the other\ny.rlx=1; r0=x.rlx\n";
  EXPECT_EQ(litmus({path.string()}), (outcome{0, "rc11: 4 complete, 0 blocked\n", ""}));
  std::filesystem::remove(path);
}

TEST(Litmus, TextThatDoesNotParse) {
  expect_usage(litmus({"x.rlx=1; r0=y.slow"}), {"litmus: "});
  expect_usage(litmus({"x.rlx=1; jump"}), {"litmus: "});
  expect_usage(litmus({"/nowhere/program.litmus"}), {"litmus: "});
  expect_usage(litmus({}), {"program"});
  expect_usage(litmus({store_buffering, "--outcome"}), {"--outcome", "--outcomes"});
}

TEST(Litmus, AnAssertThatFailsIsAViolation) {
  const outcome o = litmus({"x.rlx=1; r0=y.rlx | y.rlx=1; r0=x.rlx; assert(r0==1)"});
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.out, "violation: an assert fails in 2 executions")) << o.out;
  EXPECT_EQ(litmus({"x.rlx=1; r0=x.rlx; assert(r0==1)"}).status, 0);
}

TEST(Litmus, ARaceIsAViolation) {
  const outcome o = litmus({"x.na=1 | r0=x.na"});
  EXPECT_EQ(o.status, 1);
  EXPECT_TRUE(contains(o.out, "data_race: ")) << o.out;
  EXPECT_EQ(litmus({"x.na=1; spawn1; join1 | r0=x.na"}).status, 0);
}

TEST(Litmus, BoundsEndAsIncomplete) {
  const outcome o = litmus({store_buffering, "--max-executions", "2"});
  EXPECT_EQ(o.status, 2);
  EXPECT_TRUE(contains(o.out, "2 complete")) << o.out;
  EXPECT_TRUE(contains(o.out, "incomplete: cut by max_executions = 2")) << o.out;
  expect_usage(litmus({store_buffering, "--max-executions", "0"}), {"--max-executions"});
  expect_usage(litmus({store_buffering}, {.environment = {{"HEDDLE_TIME_LIMIT", "soon"}}}),
               {"HEDDLE_TIME_LIMIT=soon"});
}

// Eight threads add three times each: more executions than anybody waits for.
std::string endless() {
  std::string text;
  for (int t = 0; t < 8; ++t)
    text += std::string{t == 0 ? "" : " | "} + "add(x,1).rlx; add(x,1).rlx; add(x,1).rlx";
  return text;
}

TEST(Litmus, ATimeLimit) {
  const outcome o = litmus({endless(), "--time-limit", "0.2"});
  EXPECT_EQ(o.status, 2) << o.err;
  EXPECT_TRUE(contains(o.out, "incomplete: cut by time_limit = 0.2 s")) << o.out;
  EXPECT_FALSE(contains(o.out, " 0 complete")) << o.out;
}

TEST(Litmus, AnInterruptPrintsWhatIsKnown) {
  const outcome o = litmus({endless()}, {.interrupt_after = std::chrono::seconds(1)});
  EXPECT_EQ(o.status, 2) << o.err;
  EXPECT_TRUE(contains(o.out, " complete, ")) << o.out;
  EXPECT_FALSE(contains(o.out, " 0 complete")) << o.out;
  EXPECT_TRUE(contains(o.out, "incomplete: cut by interrupted")) << o.out;
}

TEST(Run, AnInterruptPrintsWhatIsKnown) {
  const outcome o = run_heddle(
      {"run", "backlog.compare_exchange_loop", "--memory-model", "sc", "--set", "threads=8"},
      {.interrupt_after = std::chrono::seconds(1)});
  EXPECT_EQ(o.status, 2) << o.out << o.err;
  EXPECT_TRUE(contains(o.out, "incomplete")) << o.out;
  EXPECT_TRUE(contains(o.out, "interrupted")) << o.out;
  EXPECT_TRUE(contains(o.out, "1 incomplete")) << "the sum: " << o.out;
}

}  // namespace
}  // namespace heddle::cli_tests
