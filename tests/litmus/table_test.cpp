// The engine's counts are those of the table: every row, every model.
#include "tests/litmus/table.hpp"

#include <gtest/gtest.h>

#include "checker/litmus/run.hpp"

namespace heddle {
namespace {

std::string counts(const row& r, const memory_model::memory_model& model) {
  search::exhaustive strategy{model, r.awaits};
  const litmus::run_result result = litmus::run(litmus::parse(r.text), strategy, {});
  EXPECT_TRUE(result.exploration.bound.empty());
  return count_text(result.exploration.counts);
}

class Table : public testing::TestWithParam<row> {};

TEST_P(Table, HasTheCounts) {
  const row& r = GetParam();
  EXPECT_EQ(counts(r, *memory_model::make_sequential_consistency()), r.sc) << "sc";
  EXPECT_EQ(counts(r, *memory_model::make_total_store_order()), r.tso) << "tso";
  EXPECT_EQ(counts(r, *memory_model::make_rc11()), r.rc11) << "rc11";
  EXPECT_EQ(counts(r, *memory_model::make_rc11(memory_model::release_sequences::cpp11)),
            r.rc11_cpp11)
      << "rc11, release sequences of C++11";
}

std::string test_name(const testing::TestParamInfo<row>& instance) {
  std::string name;
  for (char c : instance.param.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + '_' + std::to_string(instance.index);
}

INSTANTIATE_TEST_SUITE_P(Rows, Table, testing::ValuesIn(table()), test_name);

}  // namespace
}  // namespace heddle
