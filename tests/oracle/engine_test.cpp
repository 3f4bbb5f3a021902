// The engine finds exactly the oracle's graphs of random programs, each once, in every model.
//
// Each shard is a range of seeds, so that several can run at once. By hand:
//   HEDDLE_SOAK_SECONDS=7200 oracle_tests --gtest_filter=engine_soak.*
//   HEDDLE_PROGRAM='x.rlx=1 | r0=x.rlx' oracle_tests --gtest_filter=engine_program.*
// The first goes on with new seeds (from HEDDLE_SOAK_SEED, otherwise from the clock), the second
// compares one program, in the notation in which a mismatch is reported, under several schedules.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/oracle/engine_run.hpp"
#include "tests/oracle/random_program.hpp"

namespace heddle::oracle {
namespace {

// Different shapes, by turns: the default, without races that would end the search early, few
// threads that do more, and many that do little.
random_options shape_of(std::uint64_t seed) {
  switch (seed % 4) {
    case 0:
      return {.assertions = true};
    case 1:
      return {.max_events = 14, .plain_accesses = false};
    case 2:
      return {.max_threads = 3, .max_operations = 6, .max_events = 14, .plain_accesses = false};
    default:
      return {.max_operations = 3, .plain_accesses = false};
  }
}

constexpr std::size_t max_states = 20'000;
constexpr std::uint64_t schedules = 20;

comparison_result compare_seed(std::uint64_t seed) {
  // half of them by a scheduler that picks any thread
  return compare(random_program(seed, shape_of(seed)),
                 {.cpp11_sequences = seed % 4 == 1,
                  .max_states = max_states,
                  .schedule = seed / 4 % 2 == 0 ? 0 : 1 + seed / 8 % (schedules - 1)});
}

struct totals {
  std::uint64_t programs = 0;
  std::uint64_t runs = 0;
  std::uint64_t graphs = 0;
  std::uint64_t races = 0;
  std::uint64_t too_large = 0;

  void add(const comparison_result& compared) {
    ++programs;
    runs += compared.runs;
    graphs += compared.graphs;
    races += compared.data_race ? 1 : 0;
    too_large += compared.too_large ? 1 : 0;
  }
  [[nodiscard]] std::string text() const {
    return std::to_string(programs) + " programs, " + std::to_string(runs) + " runs, " +
           std::to_string(graphs) + " graphs, " + std::to_string(races) + " programs with races, " +
           std::to_string(too_large) + " too large for the oracle in some model";
  }
};

// ---- the amount for every build

constexpr std::uint64_t shards = 16;
constexpr std::uint64_t programs_of_a_shard = 2'000;
constexpr std::uint64_t least_graphs_of_a_shard = 160'000;

class engine_random : public testing::TestWithParam<std::uint64_t> {};

TEST_P(engine_random, finds_exactly_the_graphs_of_the_oracle) {
  const std::uint64_t first = GetParam() * programs_of_a_shard;
  totals sum;
  for (std::uint64_t seed = first; seed < first + programs_of_a_shard; ++seed) {
    const comparison_result compared = compare_seed(seed);
    ASSERT_TRUE(compared.difference.empty()) << "seed " << seed << "\n" << compared.difference;
    sum.add(compared);
  }
  std::cout << sum.text() << "\n";
  EXPECT_GE(sum.graphs, least_graphs_of_a_shard);
  EXPECT_GE(sum.races, 10U);
  EXPECT_LE(sum.too_large, programs_of_a_shard / 50);
}

INSTANTIATE_TEST_SUITE_P(shard, engine_random, testing::Range(std::uint64_t{0}, shards));

// ---- by hand

TEST(engine_soak, goes_on_until_the_time_is_over) {
  const char* seconds = std::getenv("HEDDLE_SOAK_SECONDS");
  if (seconds == nullptr) GTEST_SKIP() << "HEDDLE_SOAK_SECONDS is not set";
  using clock = std::chrono::steady_clock;
  const clock::time_point start = clock::now();
  const auto passed = [&] { return std::chrono::duration<double>(clock::now() - start).count(); };
  const double end = std::atof(seconds);
  const char* given = std::getenv("HEDDLE_SOAK_SEED");
  std::uint64_t seed =
      given != nullptr
          ? std::strtoull(given, nullptr, 10)
          : static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  std::cout << "from seed " << seed << "\n";
  totals sum;
  double next_report = 60;
  for (; passed() < end; ++seed) {
    const comparison_result compared = compare_seed(seed);
    ASSERT_TRUE(compared.difference.empty()) << "seed " << seed << "\n"
                                             << compared.difference << "\n"
                                             << sum.text();
    sum.add(compared);
    if (passed() < next_report) continue;
    std::cout << static_cast<int>(passed()) << " s: " << sum.text() << std::endl;
    next_report += 60;
  }
  std::cout << sum.text() << "\n";
}

TEST(engine_program, agrees_on_the_one_in_the_environment) {
  const char* text = std::getenv("HEDDLE_PROGRAM");
  if (text == nullptr) GTEST_SKIP() << "HEDDLE_PROGRAM is not set";
  totals sum;
  for (std::uint64_t schedule = 0; schedule < schedules; ++schedule) {
    const comparison_result compared =
        compare(litmus::parse(text), {.cpp11_sequences = true, .schedule = schedule});
    ASSERT_TRUE(compared.difference.empty()) << compared.difference;
    sum.add(compared);
  }
  std::cout << sum.text() << "\n";
}

// Parts of the models and of the search that random programs meet seldom.
TEST(engine_directed, finds_exactly_the_graphs_of_the_oracle) {
  for (const char* text : {
           "x.rlx=1; fence.sc; r0=y.sc | y.sc=1; r0=x.sc",
           "x.sc=1; fence.sc; r0=y.rlx | y.sc=1; r0=x.sc",
           "x.sc=1; a.rel=1 | r0=a.acq; r1=y.sc | y.sc=1; r0=x.sc",
           "x.sc=1; spawn1 | r0=y.sc | y.sc=1; r0=x.sc",
           "z.rlx=1; fence.sc; y.rel=1 | r0=y.acq; r1=x.sc | x.sc=1; r2=z.sc",
           "x.sc=1; q.rel=1 | r0=pick(q).sc; r1=q.rlx | q.sc=3; r0=x.sc",
           "q=7 :: r0=pick(q).ar; r1=q.rlx | r0=pick(q).ar | q.rlx=2",
           "x.rlx=1; x.rlx=2 | r0=await(x==1).acq; y.rlx=1 | x.rlx=3; r1=y.acq",
           "r0=await(x<2).rlx | x.rlx=1 | x.rlx=2; r0=andn(x,2).rlx",
           "awaitdec(x).rlx; x.sc=1 | r0=or(x,2).ar; awaitdec(x).ar | awaitdec(x).rlx; x.rel=2",
           "x.rlx=1; y.rel=1 | r0=cas(y,5,2).ar/rlx; r1=x.rlx",
           "x.rlx=1; y.rel=1 | r0=cas(y,5,2).rlx/acq; r1=x.rlx",
           "x.rlx=1; r0=x.rlx; r1=y.rlx | y.rlx=1; r0=y.rlx; r1=x.rlx",
           "spawn1; join1; x.rlx=1 | await(x==1).rlx",
           "d.na=1; y.rel=1; y.rlx=2 | r0=y.acq; if(r0!=2)skip1; r1=d.na",
       }) {
    for (std::uint64_t schedule = 0; schedule < 4; ++schedule) {
      const comparison_options options{.cpp11_sequences = true, .schedule = schedule};
      const std::string difference = compare(litmus::parse(text), options).difference;
      EXPECT_TRUE(difference.empty()) << difference;
    }
  }
}

}  // namespace
}  // namespace heddle::oracle
