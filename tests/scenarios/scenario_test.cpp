// The shipped scenarios: each comes out as declared under each model that it declares, and the
// models and the two searches agree with each other.
#include "heddle/scenario.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "heddle/scenario_check.hpp"

namespace heddle {
namespace {

constexpr model models[] = {model::sc, model::tso, model::rc11};

struct run {
  const scenario* what;
  model under;
};

std::vector<run> declared_runs() {
  std::vector<run> all;
  for (const scenario* s : registered_scenarios())
    for (model m : models)
      if (declared_for(*s, m)) all.push_back({s, m});
  return all;
}

std::string test_name(std::string_view name) {
  std::string text{name};
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return text;
}

scenario_result check_as_declared(const scenario& checked, const options& with) {
  return check_scenario(checked, parameters{checked.parameters}, with);
}

// --- as declared

class Scenario : public testing::TestWithParam<run> {};

TEST_P(Scenario, ComesOutAsDeclared) {
  const run& p = GetParam();
  const scenario_result r = check_as_declared(*p.what, {.memory_model = p.under});
  ASSERT_TRUE(r.is_judged());
  for (const std::string& surprise : r.surprises) ADD_FAILURE() << surprise;
  if (HasFailure()) ADD_FAILURE() << r.found.report();
  if (r.found.is_verified()) return;
  EXPECT_NE(r.found.message, "");
  EXPECT_NE(r.found.counterexample, "");
  EXPECT_EQ(r.found.where.find("checker/"), std::string::npos)
      << "the user's line, not the checker's";
  EXPECT_NE(r.found.where.find(':'), std::string::npos) << r.found.where;
}

TEST_P(Scenario, RepeatsItself) {
  const run& p = GetParam();
  const options with{.memory_model = p.under};
  const result first = check_as_declared(*p.what, with).found;
  const result second = check_as_declared(*p.what, with).found;
  EXPECT_EQ(first.report(), second.report());
  EXPECT_EQ(first.events, second.events);
  EXPECT_EQ(first.reached, second.reached);
}

INSTANTIATE_TEST_SUITE_P(Shipped, Scenario, testing::ValuesIn(declared_runs()),
                         [](const testing::TestParamInfo<run>& test) {
                           return test_name(test.param.what->name) + "_" +
                                  std::string{to_string(test.param.under)};
                         });

// --- the models among each other

class EachScenario : public testing::TestWithParam<const scenario*> {};

// Every execution of a stronger model is one of the weaker.
TEST_P(EachScenario, WeakerModelsHaveNoFewerExecutions) {
  const scenario& checked = *GetParam();
  std::optional<result> stronger;
  for (model m : models) {
    const result r = check_as_declared(checked, {.memory_model = m}).found;
    ASSERT_FALSE(r.verdict == verdict_kind::incomplete || r.verdict == verdict_kind::error)
        << r.report();
    if (stronger && !stronger->is_verified()) {
      EXPECT_FALSE(r.is_verified()) << "violated under " << to_string(stronger->memory_model)
                                    << " and not under " << to_string(m);
    }
    if (stronger && stronger->is_verified() && r.is_verified()) {
      EXPECT_LE(stronger->executions, r.executions) << to_string(m);
    }
    stronger = r;
  }
}

INSTANTIATE_TEST_SUITE_P(Shipped, EachScenario, testing::ValuesIn(registered_scenarios()),
                         [](const testing::TestParamInfo<const scenario*>& test) {
                           return test_name(test.param->name);
                         });

TEST(Interleavings, GiveTheSameVerdictAsTheExhaustiveSearch) {
  constexpr std::uint64_t most = 100'000;
  int compared = 0;
  std::string too_many;
  for (const scenario* s : registered_scenarios()) {
    const result exhaustive = check_as_declared(*s, {.memory_model = model::sc}).found;
    const result plain = check_as_declared(*s, {.memory_model = model::sc,
                                                .search = strategy::interleavings,
                                                .max_executions = most})
                             .found;
    if (plain.verdict == verdict_kind::incomplete) {
      too_many.append(" ").append(s->name);
      continue;
    }
    ++compared;
    EXPECT_EQ(to_string(plain.verdict), to_string(exhaustive.verdict)) << s->name << '\n'
                                                                       << plain.report();
    // Of several violations of one kind the searches may come to different ones first.
    if (plain.is_verified()) {
      EXPECT_GE(plain.executions, exhaustive.executions) << s->name;
      std::vector<std::string> here = plain.reached;
      std::vector<std::string> there = exhaustive.reached;
      std::ranges::sort(here);
      std::ranges::sort(there);
      EXPECT_EQ(here, there) << s->name;
    }
  }
  RecordProperty("compared", compared);
  std::cout << compared << " scenarios compared; too many interleavings:" << too_many << '\n';
  EXPECT_GE(compared, 40) << "too many interleavings:" << too_many;
}

}  // namespace
}  // namespace heddle
