// The engine finds exactly the outcomes that the machine of blocking_machine.hpp has, on directed
// and on random programs: registers, memory, and which threads wait for ever where.
//
//   HEDDLE_SOAK_SECONDS=7200 oracle_tests --gtest_filter=blocking_soak.*
//   HEDDLE_BLOCKING_PROGRAM='lock(m); wait(c,m) | notify_one(c)' oracle_tests
//     --gtest_filter=blocking_program.*
// The first goes on with new seeds (from HEDDLE_SOAK_SEED, otherwise from the clock), the second
// compares one program, in the notation in which a difference is reported, under several schedules.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "tests/oracle/blocking_compare.hpp"
#include "tests/oracle/blocking_random.hpp"

namespace heddle::oracle::blocking {
namespace {

const std::vector<feature> features{feature::mutex,      feature::await,       feature::condition,
                                    feature::timed_wait, feature::atomic_wait, feature::semaphore,
                                    feature::latch};

struct totals {
  std::uint64_t programs = 0;
  std::uint64_t without_meaning = 0;
  std::uint64_t too_large = 0;
  std::uint64_t states = 0;
  std::uint64_t outcomes = 0;
  std::uint64_t blocked_outcomes = 0;
  std::uint64_t executions = 0;
  std::uint64_t cut = 0;
  std::uint64_t cut_interleavings = 0;

  void add(const comparison_result& compared) {
    ++programs;
    without_meaning += compared.misuse.empty() ? 0 : 1;
    too_large += compared.too_large ? 1 : 0;
    states += compared.states;
    outcomes += compared.outcomes;
    blocked_outcomes += compared.blocked_outcomes;
    executions += compared.executions;
    cut += compared.cut ? 1 : 0;
    cut_interleavings += compared.cut_interleavings ? 1 : 0;
  }
  [[nodiscard]] std::string text() const {
    return std::to_string(programs) + " programs (" + std::to_string(without_meaning) +
           " without meaning, " + std::to_string(too_large) + " too large), " +
           std::to_string(states) + " states, " + std::to_string(outcomes) + " outcomes, " +
           std::to_string(blocked_outcomes) + " of them blocked, " + std::to_string(executions) +
           " executions; cut: " + std::to_string(cut) + " searches, " +
           std::to_string(cut_interleavings) + " interleavings";
  }
};

// ---- random programs

constexpr std::size_t max_states = 100'000;

random_options shape_of(std::uint64_t seed) {
  switch (seed % 3) {
    case 0:
      return {.features = features};
    case 1:
      return {.features = features, .max_threads = 2, .max_instructions = 12};
    default:
      return {.features = features, .max_instructions = 8};
  }
}

// Of a few programs the first that has more than one outcome.
program program_of(std::uint64_t seed) {
  constexpr std::uint64_t attempts = 4;
  program source;
  for (std::uint64_t i = 0; i < attempts; ++i) {
    source = random_program(seed * attempts + i, shape_of(seed));
    if (run_machine(source, {.max_states = max_states}).outcomes.size() > 1) break;
  }
  return source;
}

comparison_options limits_of(std::uint64_t seed) {
  // half of them by a scheduler that picks any thread
  return {.max_states = max_states,
          .max_executions = 10'000,
          .max_interleavings = 3'000,
          .schedule = seed / 3 % 2 == 0 ? 0 : 1 + seed % 1000};
}

// Empty if there is no difference; else with a smaller program that differs.
std::string compare_seed(std::uint64_t seed, totals& sum) {
  const program source = program_of(seed);
  const comparison_options limits = limits_of(seed);
  const comparison_result compared = compare(source, limits);
  sum.add(compared);
  if (compared.difference.empty()) return {};
  return "seed " + std::to_string(seed) + "\n" + compared.difference + "\nsmaller:\n" +
         compare(shrink(source, limits), limits).difference;
}

constexpr std::uint64_t shards = 16;
constexpr std::uint64_t programs_of_a_shard = 500;

class blocking_random : public testing::TestWithParam<std::uint64_t> {};

TEST_P(blocking_random, has_exactly_the_outcomes_of_the_machine) {
  const std::uint64_t first = GetParam() * programs_of_a_shard;
  totals sum;
  for (std::uint64_t seed = first; seed < first + programs_of_a_shard; ++seed) {
    const std::string difference = compare_seed(seed, sum);
    ASSERT_TRUE(difference.empty()) << difference;
  }
  std::cout << sum.text() << "\n";
  EXPECT_GE(sum.outcomes, 3 * programs_of_a_shard);
  EXPECT_GE(sum.blocked_outcomes, programs_of_a_shard);
  EXPECT_GE(sum.executions, 500 * programs_of_a_shard);
  EXPECT_EQ(sum.without_meaning + sum.too_large, 0U);
  EXPECT_LE(sum.cut, programs_of_a_shard / 50);
}

INSTANTIATE_TEST_SUITE_P(shard, blocking_random, testing::Range(std::uint64_t{0}, shards));

// ---- by hand

TEST(blocking_soak, goes_on_until_the_time_is_over) {
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
    const std::string difference = compare_seed(seed, sum);
    ASSERT_TRUE(difference.empty()) << difference << "\n" << sum.text();
    if (passed() < next_report) continue;
    std::cout << static_cast<int>(passed()) << " s: " << sum.text() << std::endl;
    next_report += 60;
  }
  std::cout << sum.text() << "\n";
}

TEST(blocking_program, agrees_on_the_one_in_the_environment) {
  const char* text = std::getenv("HEDDLE_BLOCKING_PROGRAM");
  if (text == nullptr) GTEST_SKIP() << "HEDDLE_BLOCKING_PROGRAM is not set";
  const program source = parse(text);
  for (const outcome& o : run_machine(source).outcomes) std::cout << text_of(o) << "\n";
  totals sum;
  for (std::uint64_t schedule = 0; schedule < 20; ++schedule) {
    const comparison_result compared = compare(source, {.schedule = schedule});
    EXPECT_EQ(compared.misuse, "");
    ASSERT_TRUE(compared.difference.empty()) << compared.difference;
    sum.add(compared);
  }
  std::cout << sum.text() << "\n";
}

}  // namespace
}  // namespace heddle::oracle::blocking
