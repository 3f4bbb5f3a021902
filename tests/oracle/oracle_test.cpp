// Is the oracle right? Against the table of known counts, against its own pure mode, and against
// laws that relate models and modes to each other.
#include "tests/oracle/oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "checker/litmus/program.hpp"
#include "tests/oracle/litmus_table.hpp"
#include "tests/oracle/random_program.hpp"

namespace heddle::oracle {
namespace {

constexpr std::array parked_and_assume{await_mode::parked, await_mode::assume};

result explore_text(const std::string& text, dialect in = {},
                    await_mode awaits = await_mode::parked) {
  return explore(litmus::parse(text), {.in = in, .awaits = awaits});
}

result explore_sc(const std::string& text) { return explore_text(text, {model::sc, {}}); }

std::string count_of(const result& found) {
  std::string text = std::to_string(found.complete.size());
  if (!found.blocked.empty()) text += "+" + std::to_string(found.blocked.size()) + "b";
  return text;
}

bool has_duplicates(const std::vector<std::string>& sorted) {
  return std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
}

bool is_subset(const std::vector<std::string>& part, const std::vector<std::string>& whole) {
  return std::includes(whole.begin(), whole.end(), part.begin(), part.end());
}

// ---- the table

// Named rows that brute force is too slow for: none.
const std::vector<std::string> skipped_rows{};

TEST(oracle_table, counts_are_those_of_the_table) {
  std::vector<std::string> skipped;
  int checked = 0;
  for (const litmus_row& row : read_litmus_table()) {
    SCOPED_TRACE(row.name);
    const litmus::program source = litmus::parse(row.text);
    for (std::size_t i = 0; i < table_dialects.size(); ++i) {
      const result found =
          explore(source, {.in = table_dialects[i], .awaits = row.awaits, .max_states = 200'000});
      if (found.too_large) {
        skipped.push_back(row.name);
        break;
      }
      EXPECT_EQ(count_of(found), row.counts[i]) << "column " << i;
      EXPECT_FALSE(has_duplicates(found.complete));
      EXPECT_FALSE(has_duplicates(found.blocked));
      EXPECT_FALSE(found.data_race);
      EXPECT_FALSE(found.assertion_failed);
      if (row.awaits == await_mode::parked) {
        EXPECT_EQ(found.deadlocks, found.blocked.size());
      }
      ++checked;
    }
  }
  EXPECT_EQ(skipped, skipped_rows);
  EXPECT_EQ(checked, 123 * 4);
}

// ---- laws, on random programs

TEST(oracle_random, cutting_finds_what_pure_enumeration_finds) {
  constexpr random_options tiny{
      .max_threads = 3, .max_operations = 3, .max_events = 7, .assertions = true};
  int compared = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const litmus::program source = random_program(seed, tiny);
    SCOPED_TRACE(print(source));
    for (const dialect in : table_dialects) {
      for (const await_mode awaits : parked_and_assume) {
        options how{.in = in, .awaits = awaits, .max_states = 20'000};
        const result cutting = explore(source, how);
        how.pure = true;
        const result pure = explore(source, how);
        if (cutting.too_large || pure.too_large) continue;
        ++compared;
        EXPECT_EQ(cutting.complete, pure.complete);
        EXPECT_EQ(cutting.blocked, pure.blocked);
        EXPECT_EQ(cutting.deadlocks, pure.deadlocks);
        EXPECT_EQ(cutting.outcomes, pure.outcomes);
        EXPECT_EQ(cutting.data_race, pure.data_race);
        EXPECT_EQ(cutting.assertion_failed, pure.assertion_failed);
      }
    }
  }
  EXPECT_GT(compared, 3'900);
}

TEST(oracle_random, stronger_models_have_fewer_executions) {
  for (std::uint64_t seed = 10'000; seed < 10'600; ++seed) {
    const litmus::program source = random_program(seed);
    SCOPED_TRACE(print(source));
    std::vector<result> found;
    for (const dialect in : table_dialects) {
      found.push_back(explore(source, {.in = in, .max_states = 20'000}));
    }
    if (std::any_of(found.begin(), found.end(), [](const result& r) { return r.too_large; })) {
      continue;
    }
    EXPECT_TRUE(is_subset(found[0].complete, found[1].complete)) << "SC, TSO";
    EXPECT_TRUE(is_subset(found[0].blocked, found[1].blocked)) << "SC, TSO";
    EXPECT_TRUE(is_subset(found[1].complete, found[2].complete)) << "TSO, RC11";
    EXPECT_TRUE(is_subset(found[1].blocked, found[2].blocked)) << "TSO, RC11";
    EXPECT_TRUE(is_subset(found[3].complete, found[2].complete)) << "C++11, C++20";
    EXPECT_TRUE(is_subset(found[3].blocked, found[2].blocked)) << "C++11, C++20";
  }
}

// Section 5.8: only blocked executions that are no error tell the two modes apart.
TEST(oracle_random, both_await_modes_agree_on_complete_executions_and_deadlocks) {
  for (std::uint64_t seed = 20'000; seed < 20'600; ++seed) {
    const litmus::program source = random_program(seed);
    SCOPED_TRACE(print(source));
    for (const dialect in : table_dialects) {
      const result parked = explore(source, {.in = in, .max_states = 20'000});
      const result assume =
          explore(source, {.in = in, .awaits = await_mode::assume, .max_states = 20'000});
      if (parked.too_large || assume.too_large) continue;
      EXPECT_EQ(parked.complete, assume.complete);
      EXPECT_EQ(parked.deadlocks, assume.deadlocks);
      EXPECT_EQ(parked.outcomes, assume.outcomes);
      EXPECT_EQ(parked.data_race, assume.data_race);
    }
  }
}

TEST(oracle_random, graphs_of_programs_without_races_have_different_texts) {
  int races = 0;
  int others = 0;
  for (std::uint64_t seed = 30'000; seed < 31'000; ++seed) {
    const litmus::program source = random_program(seed);
    SCOPED_TRACE(print(source));
    for (const dialect in : table_dialects) {
      const result found = explore(source, {.in = in, .max_states = 20'000});
      if (found.too_large) continue;
      ++(found.data_race ? races : others);
      if (found.data_race) continue;
      EXPECT_FALSE(has_duplicates(found.complete));
      EXPECT_FALSE(has_duplicates(found.blocked));
    }
  }
  EXPECT_GT(races, 100);
  EXPECT_GT(others, 3'000);
}

// ---- single programs

TEST(oracle, canonical_text_of_store_buffering) {
  const result found = explore_text("x.rlx=1; r0=y.rlx | y.rlx=1; r0=x.rlx");
  const std::vector<std::string> expected{"W x=1; R y=0@init | W y=1; R x=0@init # x: 0.0; y: 1.0",
                                          "W x=1; R y=0@init | W y=1; R x=1@0.0 # x: 0.0; y: 1.0",
                                          "W x=1; R y=1@1.0 | W y=1; R x=0@init # x: 0.0; y: 1.0",
                                          "W x=1; R y=1@1.0 | W y=1; R x=1@0.0 # x: 0.0; y: 1.0"};
  EXPECT_EQ(found.complete, expected);
}

TEST(oracle, canonical_text_has_fences_choices_and_picks_but_no_plain_accesses) {
  const result found = explore_text(
      "q=5; x=0; d=0 :: d.na=1; x.rlx=1; fence.sc; r0=pick(q).rlx; r1=choice(1) | x.rlx=2");
  const std::vector<std::string> expected{
      "W x=1; F; R q=5@init; C 0; W q=4; C 0 | W x=2 # q: 0.1; x: 0.0 1.0",
      "W x=1; F; R q=5@init; C 0; W q=4; C 0 | W x=2 # q: 0.1; x: 1.0 0.0",
      "W x=1; F; R q=5@init; C 1; W q=1; C 0 | W x=2 # q: 0.1; x: 0.0 1.0",
      "W x=1; F; R q=5@init; C 1; W q=1; C 0 | W x=2 # q: 0.1; x: 1.0 0.0"};
  EXPECT_EQ(found.complete, expected);
}

TEST(oracle, canonical_text_of_nothing) {
  EXPECT_EQ(explore_text("r0=1 | d.na=1").complete, std::vector<std::string>{" |  # "});
}

TEST(oracle, outcomes_are_registers_and_memory) {
  const result found = explore_text("r1=pick(q).rlx; r2=pick(q).rlx; x.rlx=r1+1");
  ASSERT_EQ(found.outcomes.size(), 1U);
  EXPECT_EQ(found.outcomes[0].registers,
            (std::vector<litmus::register_file>{{0, -1, -1, 0, 0, 0, 0, 0}}));
  EXPECT_EQ(found.outcomes[0].memory, (std::vector<std::int64_t>{0, 0}));
}

TEST(oracle, pick_yields_the_index_of_the_bit) {
  const result found = explore_text("q=10 :: r0=pick(q).rlx");
  ASSERT_EQ(found.outcomes.size(), 2U);
  EXPECT_EQ(found.outcomes[0].registers[0][0], 1);
  EXPECT_EQ(found.outcomes[0].memory[0], 8);
  EXPECT_EQ(found.outcomes[1].registers[0][0], 3);
  EXPECT_EQ(found.outcomes[1].memory[0], 2);
}

// Parts of psc that no row of the table needs.
TEST(oracle, sequentially_consistent_accesses_and_fences_work_together) {
  EXPECT_EQ(count_of(explore_text("x.rlx=1; fence.sc; r0=y.sc | y.sc=1; r0=x.sc")), "3");
  EXPECT_EQ(count_of(explore_text("x.sc=1; fence.sc; r0=y.rlx | y.sc=1; r0=x.sc")), "3");
}

TEST(oracle, sequential_consistency_reaches_through_happens_before_elsewhere) {
  const std::string head = "x.sc=1; a.rel=1 | r0=a.acq; r1=y";
  EXPECT_EQ(count_of(explore_text(head + ".sc | y.sc=1; r0=x.sc")), "7");
  EXPECT_EQ(count_of(explore_text(head + ".acq | y.sc=1; r0=x.sc")), "8");
}

// The choice between the two halves is an event as any other: for psc it stands between them like
// an access of another location. (Were it none, RC11 would allow 30.)
TEST(oracle, a_pick_is_split_by_its_choice) {
  const std::string text = "x.sc=1; q.rel=1 | r0=pick(q).sc; r1=q.rlx | q.sc=3; r0=x.sc";
  EXPECT_EQ(count_of(explore_text(text)), "28");
  EXPECT_EQ(count_of(explore_sc(text)), "23");
}

TEST(oracle, updates_yield_the_old_value) {
  const result found = explore_text(
      "x=6 :: r0=add(x,1).rlx; r1=sub(x,2).rlx; r2=or(x,8).rlx; r3=andn(x,12).rlx; "
      "r4=xchg(x,9).rlx; r5=cas(x,9,4).rlx; r6=cas(x,9,5).rlx; r7=awaitdec(x).rlx");
  ASSERT_EQ(found.outcomes.size(), 1U);
  EXPECT_EQ(found.outcomes[0].registers[0], (litmus::register_file{6, 7, 5, 13, 1, 9, 4, 4}));
  EXPECT_EQ(found.outcomes[0].memory[0], 3);
}

TEST(oracle, an_assert_counts_in_any_prefix) {
  EXPECT_TRUE(explore_sc("x.rlx=1 | r0=x.rlx; assert(r0==0); assume(r0==0)").assertion_failed);
  EXPECT_FALSE(explore_sc("x.rlx=1 | r0=x.rlx; assume(r0==0); assert(r0==0)").assertion_failed);
}

TEST(oracle, message_passing_of_plain_data) {
  const std::string tail = " | r0=y.acq; if(r0!=1)skip1; r1=d.na";
  EXPECT_FALSE(explore_text("d.na=1; y.rel=1" + tail).data_race);
  EXPECT_TRUE(explore_text("d.na=1; y.rlx=1" + tail).data_race);
  EXPECT_TRUE(explore_text("d.na=1; y.rlx=1" + tail, {model::tso, {}}).data_race);
  EXPECT_FALSE(explore_sc("d.na=1; y.rlx=1" + tail).data_race);
  EXPECT_TRUE(explore_sc("d.na=1 | r0=d.na").data_race);
  EXPECT_FALSE(explore_sc("r0=d.na | r0=d.na").data_race);
}

TEST(oracle, release_sequences_of_plain_data) {
  const std::string text = "d.na=1; y.rel=1; y.rlx=2 | r0=y.acq; if(r0!=2)skip1; r1=d.na";
  EXPECT_TRUE(explore_text(text).data_race);
  EXPECT_FALSE(explore_text(text, {model::rc11, release_sequence::cpp11}).data_race);
}

TEST(oracle, spawn_and_join_order_plain_data) {
  EXPECT_FALSE(explore_text("d.na=1; spawn1; join1; r0=d.na | d.na=2").data_race);
  EXPECT_TRUE(explore_text("d.na=1; spawn1; r0=d.na | d.na=2").data_race);
  EXPECT_TRUE(explore_text("spawn1; d.na=1; join1 | d.na=2").data_race);
}

TEST(oracle, a_join_of_a_thread_that_waits_for_ever_is_blocked) {
  const result found = explore_text("spawn1; join1; x.rlx=1 | await(x==1).rlx");
  EXPECT_EQ(count_of(found), "0+1b");
  EXPECT_EQ(found.deadlocks, 1U);
}

TEST(oracle, a_thread_whose_spawn_is_skipped_never_runs) {
  EXPECT_EQ(count_of(explore_text("r0=0; if(r0==0)skip1; spawn1 | x.rlx=1")), "1");
  EXPECT_EQ(count_of(explore_text("r0=0; if(r0==0)skip1; spawn1; join1 | x.rlx=1")), "0+1b");
}

TEST(oracle, a_thread_stuck_at_an_assume_is_no_deadlock) {
  const result found = explore_text("r0=1; assume(r0==0); x.rlx=1 | await(x==1).rlx");
  EXPECT_EQ(count_of(found), "0+1b");
  EXPECT_EQ(found.deadlocks, 0U);
}

TEST(oracle, gives_up_beyond_the_limit) {
  const litmus::program source = litmus::parse("x.rlx=1|x.rlx=2|x.rlx=3");
  EXPECT_TRUE(explore(source, {.max_states = 5}).too_large);
  EXPECT_FALSE(explore(source, {.max_states = 500}).too_large);
}

}  // namespace
}  // namespace heddle::oracle
