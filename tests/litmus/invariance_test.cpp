// The counts do not depend on the order in which threads are created, nor on which thread moves
// next: exploration.md 5.10.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "checker/litmus/run.hpp"
#include "tests/litmus/random_schedule.hpp"
#include "tests/litmus/table.hpp"

namespace heddle {
namespace {

struct model_column {
  std::unique_ptr<memory_model::memory_model> model;
  std::string expected;
};

// Big rows in one model only.
std::vector<model_column> columns_of(const row& r) {
  std::vector<model_column> columns;
  columns.push_back({memory_model::make_rc11(), r.rc11});
  if (r.rc11.size() >= 4 && r.rc11.find('b') == std::string::npos) return columns;
  columns.push_back({memory_model::make_sequential_consistency(), r.sc});
  columns.push_back({memory_model::make_total_store_order(), r.tso});
  columns.push_back(
      {memory_model::make_rc11(memory_model::release_sequences::cpp11), r.rc11_cpp11});
  return columns;
}

// All of them; of more than four threads a few dozen, spread evenly over all.
std::vector<std::vector<int>> permutations(std::size_t threads) {
  std::vector<int> order(threads);
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::vector<int>> all;
  do {
    all.push_back(order);
  } while (std::next_permutation(order.begin(), order.end()));
  if (threads <= 4) return all;
  constexpr std::size_t enough = 36;
  std::vector<std::vector<int>> chosen;
  for (std::size_t i = 0; i < enough; ++i)
    chosen.push_back(all[i * (all.size() - 1) / (enough - 1)]);
  return chosen;
}

std::string text_of(const std::vector<int>& order) {
  std::string text;
  for (int t : order) text += std::to_string(t) + ' ';
  return text;
}

class invariance : public testing::TestWithParam<row> {};

TEST_P(invariance, counts_do_not_depend_on_the_order_of_creation) {
  const row& r = GetParam();
  const litmus::program source = litmus::parse(r.text);
  for (const model_column& column : columns_of(r)) {
    for (const std::vector<int>& order : permutations(source.threads.size())) {
      search::exhaustive strategy{*column.model, r.awaits};
      litmus::run_options options;
      options.creation_order = order;
      const litmus::run_result result = litmus::run(source, strategy, options);
      EXPECT_EQ(count_text(result.exploration.counts), column.expected)
          << column.model->name() << ", threads created in the order " << text_of(order);
    }
  }
}

TEST_P(invariance, counts_do_not_depend_on_the_scheduler) {
  const row& r = GetParam();
  const litmus::program source = litmus::parse(r.text);
  for (const model_column& column : columns_of(r)) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      random_schedule strategy{*column.model, r.awaits, seed};
      const litmus::run_result result = litmus::run(source, strategy, {});
      EXPECT_EQ(count_text(result.exploration.counts), column.expected)
          << column.model->name() << ", seed " << seed;
    }
  }
}

std::string test_name(const testing::TestParamInfo<row>& instance) {
  std::string name;
  for (char c : instance.param.name) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name + '_' + std::to_string(instance.index);
}

INSTANTIATE_TEST_SUITE_P(row, invariance, testing::ValuesIn(table()), test_name);

}  // namespace
}  // namespace heddle
