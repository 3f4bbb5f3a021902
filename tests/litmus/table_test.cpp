// The engine's counts are those of the table: every row, every model.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "checker/litmus/run.hpp"

namespace heddle {
namespace {

struct row {
  std::string name;
  search::awaits awaits;
  std::string text;
  std::string sc, tso, rc11, rc11_cpp11;
};

std::vector<row> table() {
  std::vector<row> rows;
  std::ifstream file{HEDDLE_TEST_DATA "/litmus/litmus.tsv"};
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> fields;
    std::istringstream in{line};
    for (std::string field; std::getline(in, field, '\t');) fields.push_back(field);
    rows.push_back({fields.at(0),
                    fields.at(1) == "parked" ? search::awaits::parked : search::awaits::as_assume,
                    fields.at(2), fields.at(3), fields.at(4), fields.at(5), fields.at(6)});
  }
  return rows;
}

std::string counts(const row& r, const memory_model::memory_model& model) {
  search::exhaustive strategy{model, r.awaits};
  const litmus::run_result result = litmus::run(litmus::parse(r.text), strategy, {});
  const search::counts& c = result.exploration.counts;
  EXPECT_TRUE(result.exploration.bound.empty());
  std::string text = std::to_string(c.executions);
  if (c.blocked != 0) text += "+" + std::to_string(c.blocked) + "b";
  return text;
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
