// The table's rows as C++ bodies, through heddle::check, have the counts of their texts: what the
// instrumented layer asks for is what the litmus interpreter asks for.
#include "tests/litmus/native_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "checker/litmus/run.hpp"
#include "heddle/check.hpp"
#include "tests/litmus/table.hpp"

namespace heddle {
namespace {

options with_model(model under) {
  options chosen;
  chosen.memory_model = under;
  return chosen;
}

// The same by the litmus interpreter. (The table has its own test.)
litmus::run_result interpreted(const native& which, model under) {
  static const std::vector<row> rows = table();
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const row& each) { return each.name == which.row; });
  const auto rules = under == model::sc    ? memory_model::make_sequential_consistency()
                     : under == model::tso ? memory_model::make_total_store_order()
                                           : memory_model::make_rc11();
  search::exhaustive strategy{*rules, found == rows.end() ? search::awaits::parked : found->awaits};
  return litmus::run(litmus::parse(found == rows.end() ? which.row : found->text), strategy, {});
}

class native_row : public testing::TestWithParam<native> {};

TEST_P(native_row, has_the_counts_of_the_text) {
  for (const model under : {model::sc, model::tso, model::rc11}) {
    SCOPED_TRACE(to_string(under));
    const search::exploration expected = interpreted(GetParam(), under).exploration;
    const result found = check(with_model(under), GetParam().body);
    EXPECT_EQ(found.verdict, expected.verdict) << found.report();
    // a check stops at the first violation, the interpreter goes on after a deadlock
    if (expected.verdict != verdict_kind::verified) continue;
    EXPECT_EQ(found.executions, expected.counts.executions);
    EXPECT_EQ(found.blocked, expected.counts.blocked);
  }
}

std::string test_name(const testing::TestParamInfo<native>& instance) {
  std::string name;
  for (const char* c = instance.param.row; *c != 0; ++c)
    name += std::isalnum(static_cast<unsigned char>(*c)) ? *c : '_';
  return name + '_' + std::to_string(instance.index);
}

INSTANTIATE_TEST_SUITE_P(native, native_row, testing::ValuesIn(natives()), test_name);

TEST(native_rows, name_rows_of_the_table) {
  const std::vector<row> rows = table();
  std::size_t named = 0;
  for (const native& each : natives()) {
    const bool is_name =
        std::any_of(rows.begin(), rows.end(), [&](const row& r) { return r.name == each.row; });
    named += is_name ? 1 : 0;
    EXPECT_TRUE(is_name || std::string_view(each.row).find(';') != std::string_view::npos)
        << each.row;
  }
  EXPECT_GE(named, 50U);
}

TEST(native_rows, a_failing_require_is_a_violation_as_a_failing_assert_is) {
  for (const model under : {model::sc, model::tso, model::rc11}) {
    const native promise = broken_promise();
    EXPECT_EQ(interpreted(promise, under).violations, 1U);
    EXPECT_EQ(check(with_model(under), promise.body).verdict, verdict_kind::assertion);
  }
}

}  // namespace
}  // namespace heddle
