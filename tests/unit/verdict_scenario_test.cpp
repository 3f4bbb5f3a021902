// check_scenario: what a scenario declares against what comes out. The shipped scenarios are all as
// declared, so the surprises are made here.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "heddle/heddle.hpp"
#include "heddle/scenario.hpp"
#include "heddle/scenario_check.hpp"

namespace {

using heddle::model;
using heddle::parameters;
using heddle::require;
using heddle::scenario;
using heddle::scenario_result;
using heddle::verdict_kind;

scenario_result run(const scenario& checked, model memory_model = model::rc11) {
  return heddle::check_scenario(checked, parameters{checked.parameters},
                                {.memory_model = memory_model});
}

std::string all_of(const scenario_result& r) {
  std::string text;
  for (const std::string& each : r.surprises) text += each + '\n';
  return text;
}

// Two threads add by a load and a store; loses an addition.
void lose_one(const parameters&) {
  heddle::atomic<int> x{0};
  const auto add = [&] { x.store(x.load() + 1); };
  heddle::thread t(add);
  add();
  t.join();
  heddle::reached(x == 2 ? "both" : "one");
  require(x == 2, "one was lost");
}

void lose_none(const parameters&) {
  heddle::atomic<int> x{0};
  heddle::thread t([&] { x.fetch_add(1); });
  x.fetch_add(1);
  t.join();
  heddle::reached("both");
  require(x == 2, "one was lost");
}

TEST(VerdictScenario, AsDeclared) {
  const scenario broken{
      .name = "test.broken", .expect = heddle::violation("one was lost"), .body = lose_one};
  const scenario right{
      .name = "test.right", .expect = heddle::verified, .sometimes = {"both"}, .body = lose_none};
  for (model m : {model::rc11, model::tso, model::sc}) {
    EXPECT_EQ(all_of(run(broken, m)), "");
    EXPECT_EQ(run(broken, m).found.verdict, verdict_kind::assertion);
    EXPECT_EQ(all_of(run(right, m)), "");
    EXPECT_TRUE(run(right, m).is_judged());
  }
}

TEST(VerdictScenario, AnotherVerdictIsASurprise) {
  const scenario broken{.name = "test.broken", .expect = heddle::verified, .body = lose_one};
  EXPECT_EQ(all_of(run(broken)), "declared verified, found assertion\n");
  const scenario right{
      .name = "test.right", .expect = heddle::violation("one was lost"), .body = lose_none};
  EXPECT_EQ(all_of(run(right)), "declared assertion, found verified\n");
  const scenario hangs{.name = "test.hangs", .expect = heddle::deadlocks, .body = lose_none};
  EXPECT_EQ(all_of(run(hangs)), "declared deadlock, found verified\n");
}

TEST(VerdictScenario, AnotherMessageIsASurprise) {
  const scenario broken{
      .name = "test.broken", .expect = heddle::violation("two were lost"), .body = lose_one};
  EXPECT_EQ(all_of(run(broken)),
            "declared the violation \"two were lost\", found \"one was lost\"\n");
}

TEST(VerdictScenario, AnOutcomeThatIsNeverReachedIsASurprise) {
  const scenario right{.name = "test.right",
                       .expect = heddle::verified,
                       .sometimes = {"both", "one"},
                       .body = lose_none};
  EXPECT_EQ(all_of(run(right)), "never reached: one\n");
}

TEST(VerdictScenario, AVacuousOneIsASurprise) {
  const scenario assumed{.name = "test.assumed",
                         .expect = heddle::verified,
                         .body = [](const parameters&) { heddle::assume(false); }};
  EXPECT_NE(all_of(run(assumed)).find("vacuous: no complete execution"), std::string::npos);
  const scenario nothing{.name = "test.nothing",
                         .expect = heddle::verified,
                         .body = [](const parameters&) { heddle::thread([] {}).join(); }};
  EXPECT_NE(all_of(run(nothing)).find("vacuous: the threads share nothing"), std::string::npos);
}

TEST(VerdictScenario, ErrorsAreSurprisesOfTheirOwn) {
  const scenario unsteady{
      .name = "test.unsteady", .expect = heddle::verified, .body = [](const parameters&) {
        static int executions = 0;
        heddle::atomic<int> x{0};
        x = ++executions;
        (void)heddle::choose(2);
      }};
  const scenario_result r = run(unsteady);
  EXPECT_EQ(r.found.verdict, verdict_kind::error);
  EXPECT_EQ(all_of(r), "declared verified, found error\n");
}

TEST(VerdictScenario, EachModelHasItsOwnDeclaration) {
  const scenario buffering{
      .name = "test.buffering",
      .expect = {.sc = heddle::verified, .rc11 = heddle::violation("both read zero")},
      .body = [](const parameters&) {
        heddle::atomic<int> x{0};
        heddle::atomic<int> y{0};
        int a = 0;
        heddle::thread t([&] {
          x.store(1, std::memory_order_relaxed);
          a = y.load(std::memory_order_relaxed);
        });
        y.store(1, std::memory_order_relaxed);
        const int b = x.load(std::memory_order_relaxed);
        t.join();
        require(a + b > 0, "both read zero");
      }};
  EXPECT_EQ(all_of(run(buffering, model::sc)), "");
  EXPECT_EQ(all_of(run(buffering, model::rc11)), "");
  const scenario_result undeclared = run(buffering, model::tso);
  EXPECT_FALSE(undeclared.is_judged());
  EXPECT_EQ(all_of(undeclared), "");
  EXPECT_EQ(undeclared.found.verdict, verdict_kind::assertion);
}

TEST(VerdictScenario, OtherParametersAreNotJudged) {
  const scenario counted{.name = "test.counted",
                         .expect = heddle::verified,
                         .parameters = {{.name = "limit", .value = 2, .min = 1, .max = 9}},
                         .body = [](const parameters& with) {
                           require(heddle::choose(2) < with["limit"], "too high");
                         }};
  EXPECT_TRUE(run(counted).is_judged());
  parameters values{counted.parameters};
  values.set("limit", 1);
  const scenario_result r = heddle::check_scenario(counted, values, {});
  EXPECT_FALSE(r.is_judged());
  EXPECT_EQ(r.found.verdict, verdict_kind::assertion);
  EXPECT_THROW(values.set("limit", 10), std::invalid_argument);
  EXPECT_THROW(values.set("limits", 1), std::invalid_argument);
}

TEST(VerdictScenario, WhatAScenarioNeedsOfSpuriousFailuresIsExplored) {
  const auto try_once = [](const parameters&) {
    heddle::mutex m;
    const bool got = m.try_lock();
    if (got) m.unlock();
    require(got, "failed");
  };
  const scenario strict{.name = "test.strict", .expect = heddle::verified, .body = try_once};
  const scenario spurious{.name = "test.spurious",
                          .expect = heddle::violation("failed"),
                          .spurious = {.try_lock = 1},
                          .body = try_once};
  EXPECT_EQ(all_of(run(strict)), "");
  EXPECT_EQ(all_of(run(spurious)), "");
  EXPECT_EQ(run(spurious).found.spurious.try_lock, 1u);
}

// --- tables

std::vector<heddle::cell_result> run(const heddle::scenario_table& table) {
  return heddle::check_table(table, {model::sc, model::rc11}, {});
}

TEST(VerdictTable, ACellIsASurpriseIfItIsNotAsDeclared) {
  const auto broken = [] { lose_one(parameters{{}}); };
  const auto right = [] { lose_none(parameters{{}}); };
  const heddle::scenario_table table{.family = "test",
                                     .title = "Is nothing lost?",
                                     .holds = "exact",
                                     .columns = {"right", "broken"},
                                     .rows = {{"declared so", {{true, right}, {false, broken}}},
                                              {"not so", {{false, right}, {true, broken}}}}};
  const auto results = run(table);
  ASSERT_EQ(results.size(), 8u);
  for (const heddle::cell_result& r : results) {
    EXPECT_EQ(r.table, &table);
    EXPECT_EQ(r.found.is_verified(), r.column == "right");
    EXPECT_EQ(r.is_surprise(), r.row == "not so") << r.row << ", " << r.column;
  }
}

TEST(VerdictTable, ACellThatWasCutIsNoSurprise) {
  const heddle::scenario_table table{
      .family = "test",
      .title = "Is nothing lost?",
      .holds = "exact",
      .columns = {"right"},
      .rows = {{"cut", {{true, [] { lose_none(parameters{{}}); }}}}}};
  const auto results = heddle::check_table(table, {model::sc}, {.max_executions = 1});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].found.verdict, verdict_kind::incomplete);
  EXPECT_FALSE(results[0].is_surprise());
}

TEST(VerdictTable, ARowWithoutACellForEachColumnIsRefused) {
  const heddle::scenario_table table{.family = "test",
                                     .title = "",
                                     .holds = "",
                                     .columns = {"one", "two"},
                                     .rows = {{"short", {{true, [] {}}}}}};
  EXPECT_THROW(heddle::registered_tables(), std::logic_error);
}

}  // namespace
