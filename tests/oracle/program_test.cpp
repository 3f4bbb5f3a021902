// The language of litmus programs: what the parser understands, what it refuses and in which words,
// and that printing is the inverse of parsing.
#include "checker/litmus/program.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "tests/oracle/litmus_table.hpp"
#include "tests/oracle/random_program.hpp"

namespace heddle::litmus {
namespace {

instruction only_instruction(const std::string& text) {
  const program parsed = parse(text);
  EXPECT_EQ(parsed.threads.size(), 1U);
  EXPECT_EQ(parsed.threads.at(0).size(), 1U);
  return parsed.threads.at(0).at(0);
}

operand constant(std::int64_t value) { return {.constant = value}; }
operand in_register(int number, std::int64_t plus = 0) {
  return {.base = number, .constant = plus};
}

TEST(litmus_parse, load) {
  EXPECT_EQ(
      only_instruction("r3=x.acq"),
      (instruction{
          .kind = operation::load, .order = memory_order::acquire, .location = 0, .result = 3}));
  EXPECT_EQ(only_instruction("x.na").result, none);
}

TEST(litmus_parse, store_of_an_expression) {
  const instruction expected{.kind = operation::store,
                             .order = memory_order::release,
                             .location = 0,
                             .left = in_register(0, 1)};
  EXPECT_EQ(only_instruction("x.rel=r0+1"), expected);
  EXPECT_EQ(only_instruction("  x . rel = r0 + 1 ;"), expected);
  EXPECT_EQ(only_instruction("x.rlx=r7-12").left, in_register(7, -12));
  EXPECT_EQ(only_instruction("x.rlx=-3").left, constant(-3));
}

TEST(litmus_parse, updates) {
  const std::vector<std::pair<std::string, operation>> names{{"add", operation::fetch_add},
                                                             {"sub", operation::fetch_sub},
                                                             {"xchg", operation::exchange},
                                                             {"or", operation::fetch_or},
                                                             {"andn", operation::fetch_and_not}};
  for (const auto& [name, kind] : names) {
    EXPECT_EQ(only_instruction("r1=" + name + "(x,r0+2).ar"),
              (instruction{.kind = kind,
                           .order = memory_order::acq_rel,
                           .location = 0,
                           .result = 1,
                           .left = in_register(0, 2)}));
    EXPECT_EQ(only_instruction(name + "(x,1).rlx").result, none);
  }
}

TEST(litmus_parse, compare_exchange_and_its_failure_order) {
  EXPECT_EQ(only_instruction("r0=cas(x,r1,r1+1).ar/rlx"),
            (instruction{.kind = operation::compare_exchange,
                         .order = memory_order::acq_rel,
                         .failure_order = memory_order::relaxed,
                         .location = 0,
                         .result = 0,
                         .left = in_register(1),
                         .right = in_register(1, 1)}));
  const std::vector<std::pair<std::string, memory_order>> omitted{{"rlx", memory_order::relaxed},
                                                                  {"acq", memory_order::acquire},
                                                                  {"rel", memory_order::relaxed},
                                                                  {"ar", memory_order::acquire},
                                                                  {"sc", memory_order::seq_cst}};
  for (const auto& [order, failure_order] : omitted) {
    EXPECT_EQ(only_instruction("r0=cas(x,0,1)." + order).failure_order, failure_order) << order;
  }
}

TEST(litmus_parse, awaits) {
  EXPECT_EQ(only_instruction("r0=await(x>=2).acq"),
            (instruction{.kind = operation::await,
                         .order = memory_order::acquire,
                         .location = 0,
                         .result = 0,
                         .left = constant(2),
                         .relation = comparison::greater_equal}));
  EXPECT_EQ(only_instruction("await(x!=r0).rlx").left, in_register(0));
  EXPECT_EQ(only_instruction("awaitcas(x,0,1).acq"), (instruction{.kind = operation::await_exchange,
                                                                  .order = memory_order::acquire,
                                                                  .location = 0,
                                                                  .left = constant(0),
                                                                  .right = constant(1)}));
  EXPECT_EQ(only_instruction("r2=awaitcas(x,0,1).acq").result, 2);
  EXPECT_EQ(only_instruction("r2=awaitdec(x).rel"), (instruction{.kind = operation::await_decrement,
                                                                 .order = memory_order::release,
                                                                 .location = 0,
                                                                 .result = 2}));
}

TEST(litmus_parse, pick_and_choice) {
  EXPECT_EQ(
      only_instruction("r0=pick(q).rlx"),
      (instruction{
          .kind = operation::pick, .order = memory_order::relaxed, .location = 0, .result = 0}));
  EXPECT_EQ(only_instruction("r1=choice(3)"),
            (instruction{.kind = operation::choice, .result = 1, .count = 3}));
}

TEST(litmus_parse, registers_and_conditions) {
  EXPECT_EQ(only_instruction("r0=r1+1"),
            (instruction{.kind = operation::assign, .result = 0, .left = in_register(1, 1)}));
  EXPECT_EQ(only_instruction("r2=0").left, constant(0));
  EXPECT_EQ(only_instruction("if(r0<=r1-1)skip2"), (instruction{.kind = operation::skip_if,
                                                                .left = in_register(0),
                                                                .right = in_register(1, -1),
                                                                .relation = comparison::less_equal,
                                                                .count = 2}));
  EXPECT_EQ(only_instruction("assume(r0>1)").kind, operation::assume);
  EXPECT_EQ(only_instruction("assert(r0<-1)"), (instruction{.kind = operation::check,
                                                            .left = in_register(0),
                                                            .right = constant(-1),
                                                            .relation = comparison::less}));
}

TEST(litmus_parse, fences) {
  EXPECT_EQ(only_instruction("fence.sc"),
            (instruction{.kind = operation::fence, .order = memory_order::seq_cst}));
}

TEST(litmus_parse, threads_spawns_and_joins) {
  const program parsed = parse("spawn1; join1; spawn2|x.rlx=1|");
  ASSERT_EQ(parsed.threads.size(), 3U);
  EXPECT_EQ(parsed.threads[0][0], (instruction{.kind = operation::spawn, .count = 1}));
  EXPECT_EQ(parsed.threads[0][1], (instruction{.kind = operation::join, .count = 1}));
  EXPECT_TRUE(parsed.threads[2].empty());
}

TEST(litmus_parse, locations_are_numbered_as_they_appear) {
  const program parsed = parse("y=2; a0=-1 :: x.rlx=1; r0=y.rlx | r0=x.rlx; r0=r_2.rlx");
  EXPECT_EQ(parsed.locations, (std::vector<std::string>{"y", "a0", "x", "r_2"}));
  EXPECT_EQ(parsed.initial, (std::vector<std::int64_t>{2, -1, 0, 0}));
}

TEST(litmus_parse, the_empty_text_is_one_empty_thread) {
  EXPECT_EQ(parse("").threads.size(), 1U);
  EXPECT_EQ(parse(" ; | ").threads.size(), 2U);
}

// ---- refusals

struct refusal {
  std::string text;
  std::string message;  // behind "litmus program, column "
};

TEST(litmus_parse_error, says_where_what_and_what_else) {
  const std::string location =
      "expected the name of a location, which is no register and no instruction";
  const std::vector<refusal> refusals{
      {"$",
       "1: found '$'; expected an instruction: a load, a store, a register, a call such as "
       "add(x,1).rlx, fence, if, assume, assert, spawn or join"},
      {"x.rlx=1 y.rlx=2", "9: found 'y'; expected ';', '|' or the end of the text"},
      {"x", "2: found the end of the text; expected '.'"},
      {"x.foo=1", "3: found 'foo'; expected a memory order: na, rlx, acq, rel, sc"},
      {"x.acq=1", "3: found 'acq'; expected a memory order of a store: na, rlx, rel, sc"},
      {"r0=x.rel", "6: found 'rel'; expected a memory order of a load: na, rlx, acq, sc"},
      {"r0=add(x,1).na", "13: found 'na'; expected a memory order: rlx, acq, rel, ar, sc"},
      {"fence.rlx", "7: found 'rlx'; expected a memory order: acq, rel, ar, sc"},
      {"await(x==1).rel", "13: found 'rel'; expected a memory order: rlx, acq, sc"},
      {"r0=cas(x,0,1).ar/rel", "18: found 'rel'; expected a memory order: rlx, acq, sc"},
      {"r8=x.rlx", "1: found 'r8'; expected a register r0 to r7"},
      {"x.rlx=r10", "7: found 'r10'; expected a register r0 to r7"},
      {"x.rlx=y", "7: found 'y'; expected a register or a number"},
      {"x.rlx=", "7: found the end of the text; expected a register or a number of 64 bits"},
      {"x.rlx=r0+-1", "10: found '-'; expected a number"},
      {"x.rlx=r0-", "9: found '-'; expected a number of 64 bits"},
      {"x.rlx=9223372036854775808",
       "7: found a number too large; expected a register or a number of 64 bits"},
      {"r0=x.rlx=1",
       "4: found a store to 'x'; expected a value: a load, a call, a register or a number"},
      {"r0=fence.sc", "4: found 'fence'; " + location},
      {"r0=add(r1,1).rlx", "8: found 'r1'; " + location},
      {"add(cas,1).rlx", "5: found 'cas'; " + location},
      {"spawn=1 :: spawn.rlx=1", "1: found 'spawn'; " + location},
      {"r0=add(x).rlx", "9: found ')'; expected ','"},
      {"r0=cas(x,1).rlx", "11: found ')'; expected ','"},
      {"r0=pick(x,1).rlx", "10: found ','; expected ')'"},
      {"awaitdec x", "10: found 'x'; expected '('"},
      {"await(x=1).acq", "8: found '='; expected a comparison: ==, !=, <, <=, >, >="},
      {"if(x==1)skip1", "4: found 'x'; expected a register or a number"},
      {"if(r0==1)goto1", "10: found 'goto1'; expected 'skip' and the number of instructions"},
      {"if(r0==1)skip",
       "14: found the end of the text; expected the number of instructions to skip"},
      {"if(r0==1)skip-1", "1: found a skip backwards; expected a skip of 0 or more instructions"},
      {"assume(r0)", "10: found ')'; expected a comparison: ==, !=, <, <=, >, >="},
      {"r0=choice(0)", "11: found '0'; expected 1 or more values to choose from"},
      {"r0=choice(x)", "11: found 'x'; expected the number of values to choose from"},
      {"spawn2|", "1: found 'spawn2'; expected the number of another thread, 0 to 1"},
      {"|join1", "2: found 'join1'; expected the number of another thread, 0 to 1"},
      {"spawn1|spawn1|", "8: found 'spawn1'; expected the number of another thread, 0 to 2"},
      {"spawn1; spawn1|", "9: found a second 'spawn1'; expected at most one spawn of a thread"},
      {"spawn99999999999", "1: found 'spawn99999999999'; expected the number of a thread"},
      {"x=1 y=2 :: x.rlx=1", "5: found 'y'; expected ';' or '::'"},
      {"x=1; x=2 :: x.rlx=1", "6: found a second 'x'; expected one initial value a location"},
      {"x :: x.rlx=1", "3: found ':'; expected '='"},
      {"x=y :: x.rlx=1", "3: found 'y'; expected a number of 64 bits"},
      {"x.na=1 | r0=x.rlx",
       "13: found both plain (.na) and atomic accesses of 'x'; expected a location to be used in "
       "one of the two ways only"},
      {"r0=add(x,1).rlx; r0=x.na",
       "21: found both plain (.na) and atomic accesses of 'x'; expected a location to be used in "
       "one of the two ways only"}};
  for (const refusal& expected : refusals) {
    try {
      (void)parse(expected.text);
      ADD_FAILURE() << "accepted: " << expected.text;
    } catch (const parse_error& error) {
      EXPECT_EQ(error.what(), "litmus program, column " + expected.message) << expected.text;
      EXPECT_EQ(error.column(), std::stoul(expected.message)) << expected.text;
    }
  }
}

// ---- printing

void expect_round_trip(const program& source) {
  EXPECT_EQ(parse(print(source)), source) << print(source);
}

TEST(litmus_print, is_the_text_without_blanks_and_defaults) {
  EXPECT_EQ(
      print(parse("r0 = cas(x, r1, r1 + 1).ar/acq;; if (r0 != 1) skip1;x.rel=r0-1| ;fence.ar")),
      "r0=cas(x,r1,r1+1).ar; if(r0!=1)skip1; x.rel=r0-1 | fence.ar");
  EXPECT_EQ(print(parse("r0=cas(x,0,1).ar/rlx; await(x<=2).sc; r1=choice(2); r1=pick(y).rlx")),
            "r0=cas(x,0,1).ar/rlx; await(x<=2).sc; r1=choice(2); r1=pick(y).rlx");
}

TEST(litmus_print, names_initial_values_only_if_there_are_any) {
  EXPECT_EQ(print(parse("x=0, y=0 :: x.rlx=1; y.rlx=1")), "x.rlx=1; y.rlx=1");
  EXPECT_EQ(print(parse("y=2 :: x.rlx=1; y.rlx=1")), "y=2; x=0 :: x.rlx=1; y.rlx=1");
  EXPECT_EQ(print(parse("y=0 :: x.rlx=1")), "y=0; x=0 :: x.rlx=1");
}

TEST(litmus_print, extreme_numbers) {
  const std::string least = std::to_string(std::numeric_limits<std::int64_t>::min());
  const std::string most = std::to_string(std::numeric_limits<std::int64_t>::max());
  for (const std::string& text :
       {"x=" + least + " :: x.rlx=r0" + least, "x=" + most + " :: x.rlx=r0+" + most}) {
    EXPECT_EQ(print(parse(text)), text);
  }
}

TEST(litmus_print, round_trip_of_the_table) {
  const auto rows = oracle::read_litmus_table();
  EXPECT_EQ(rows.size(), 123U);
  for (const oracle::litmus_row& row : rows) expect_round_trip(parse(row.text));
}

TEST(litmus_print, round_trip_of_random_programs) {
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    expect_round_trip(oracle::random_program(seed, {.assertions = true}));
  }
}

// ---- meaning

TEST(litmus_evaluate, sums_wrap_around) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const register_file registers{0, 5, most, 0, 0, 0, 0, 0};
  EXPECT_EQ(evaluate(constant(-7), registers), -7);
  EXPECT_EQ(evaluate(in_register(1, -7), registers), -2);
  EXPECT_EQ(evaluate(in_register(2, 1), registers), least);
}

TEST(litmus_holds, compares_with_sign) {
  EXPECT_TRUE(holds(comparison::equal, 1, 1));
  EXPECT_TRUE(holds(comparison::not_equal, 1, -1));
  EXPECT_TRUE(holds(comparison::less, -1, 0));
  EXPECT_FALSE(holds(comparison::less, 0, 0));
  EXPECT_TRUE(holds(comparison::less_equal, 0, 0));
  EXPECT_TRUE(holds(comparison::greater, 0, -1));
  EXPECT_FALSE(holds(comparison::greater, 0, 0));
  EXPECT_TRUE(holds(comparison::greater_equal, 0, 0));
}

}  // namespace
}  // namespace heddle::litmus
