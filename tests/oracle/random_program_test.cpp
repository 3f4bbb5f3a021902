#include "tests/oracle/random_program.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "tests/oracle/oracle.hpp"

namespace heddle::oracle {
namespace {

using litmus::instruction;
using litmus::memory_order;
using litmus::operation;

int reads_and_writes(const litmus::program& source) {
  int count = 0;
  for (const auto& thread : source.threads) {
    for (const instruction& what : thread) {
      if (what.location == litmus::none) continue;
      const bool is_single = what.kind == operation::load || what.kind == operation::store ||
                             what.kind == operation::await;
      count += is_single ? 1 : 2;
    }
  }
  return count;
}

std::set<std::string> kinds_in(const litmus::program& source) {
  const std::map<operation, std::string> names{{operation::load, "load"},
                                               {operation::store, "store"},
                                               {operation::fetch_add, "add"},
                                               {operation::fetch_sub, "sub"},
                                               {operation::exchange, "xchg"},
                                               {operation::fetch_or, "or"},
                                               {operation::fetch_and_not, "andn"},
                                               {operation::compare_exchange, "cas"},
                                               {operation::fence, "fence"},
                                               {operation::assign, "assign"},
                                               {operation::skip_if, "if"},
                                               {operation::assume, "assume"},
                                               {operation::check, "assert"},
                                               {operation::await, "await"},
                                               {operation::await_exchange, "awaitcas"},
                                               {operation::await_decrement, "awaitdec"},
                                               {operation::pick, "pick"},
                                               {operation::choice, "choice"},
                                               {operation::spawn, "spawn"},
                                               {operation::join, "join"}};
  std::set<std::string> kinds;
  for (const auto& thread : source.threads) {
    for (const instruction& what : thread) {
      if (what.order == memory_order::plain) kinds.insert("plain");
      const bool is_lock = what.kind == operation::await_exchange &&
                           source.locations[static_cast<std::size_t>(what.location)] == "l";
      kinds.insert(is_lock ? "lock" : names.at(what.kind));
    }
  }
  return kinds;
}

TEST(random_program, no_kind_of_operation_is_in_under_a_tenth_of_the_programs) {
  constexpr int programs = 5'000;
  std::map<std::string, int> count;
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    for (const std::string& kind : kinds_in(random_program(seed, {.assertions = true}))) {
      ++count[kind];
    }
  }
  EXPECT_EQ(count.size(), 22U);
  for (const auto& [kind, times] : count) EXPECT_GE(times, programs / 10) << kind;
}

TEST(random_program, stays_within_its_options) {
  std::map<std::size_t, int> threads;
  for (std::uint64_t seed = 0; seed < 5'000; ++seed) {
    const litmus::program source = random_program(seed);
    ++threads[source.threads.size()];
    EXPECT_LE(reads_and_writes(source), 17) << print(source);
    EXPECT_FALSE(kinds_in(source).contains("assert")) << print(source);

    const std::set<std::string> kinds =
        kinds_in(random_program(seed, {.awaits = false, .plain_accesses = false}));
    for (const char* kind : {"plain", "await", "awaitcas", "awaitdec", "lock"}) {
      EXPECT_FALSE(kinds.contains(kind)) << kind;
    }
  }
  EXPECT_EQ(threads.size(), 3U);
  for (const std::size_t size : {2U, 3U, 4U}) EXPECT_GT(threads[size], 1'000) << size;
}

TEST(random_program, is_one_in_four_times_full_of_sequential_consistency) {
  int count = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    int sequential = 0;
    int all = 0;
    for (const auto& thread : random_program(seed, {.plain_accesses = false}).threads) {
      for (const instruction& what : thread) {
        if (what.location == litmus::none) continue;
        ++all;
        if (what.order == memory_order::seq_cst) ++sequential;
      }
    }
    if (all >= 3 && sequential * 3 >= all * 2) ++count;
  }
  EXPECT_GT(count, 150);
}

// The same on every machine: comparisons of different builds rely on it.
TEST(random_program, is_determined_by_its_seed) {
  EXPECT_EQ(print(random_program(0)),
            "d=0; x=1 :: r0=d.na; x.rel=1; r1=x.rlx | fence.ar; x.rlx=1; awaitdec(x).rel | "
            "awaitcas(x,1,0).sc");
  EXPECT_EQ(print(random_program(1)),
            "r0=x.acq; if(r0!=1)skip1; r1=d.na | d.na=1; awaitcas(l,0,1).acq; d.na=2; l.rel=0 | "
            "r0=x.rlx");
  EXPECT_EQ(
      print(random_program(123456789)),
      "y=0; x=2; l=0 :: r0=y.sc; spawn1; r1=xchg(x,2).sc; join1; awaitcas(l,0,1).acq; x.sc=0; "
      "l.rel=0; spawn2; join2 | r0=y.acq; fence.rel; awaitcas(l,0,1).acq; l.rel=0 | r0=x.rlx");
}

TEST(random_program, is_small_enough_for_brute_force) {
  constexpr int programs = 1'000;
  int too_large = 0;
  std::size_t states = 0;
  for (std::uint64_t seed = 0; seed < programs; ++seed) {
    const result found = explore(random_program(seed), {.max_states = 20'000});
    if (found.too_large) ++too_large;
    states += found.states;
  }
  EXPECT_LE(too_large, programs / 100);
  EXPECT_LE(states / programs, 400U);
}

}  // namespace
}  // namespace heddle::oracle
