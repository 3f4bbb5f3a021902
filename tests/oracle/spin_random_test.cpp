// Random programs whose threads wait for values, once with await and once with plain loops: the
// same outcomes, the same programs that hang, under each model.
#include <gtest/gtest.h>

#include <heddle/check.hpp>
#include <heddle/heddle.hpp>
#include <heddle/scenario.hpp>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace heddle {
namespace {

enum class step_kind {
  store,
  add,
  exchange,
  load,
  fence,
  tries,  // looks a few times, and gives up: no spin loop
  wait_equal,
  wait_at_least,
  wait_free
};

struct step {
  step_kind kind = step_kind::load;
  std::size_t object = 0;
  int value = 0;
  std::memory_order order = std::memory_order_seq_cst;
};

constexpr std::size_t object_count = 2;

struct program {
  std::vector<std::vector<step>> threads;
};

program random_program(std::uint64_t seed) {
  std::mt19937_64 random{seed};
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  program made;
  made.threads.resize(2 + below(2));
  for (auto& thread : made.threads) {
    const std::size_t length = 1 + below(made.threads.size() == 2 ? 4 : 3);
    bool waits = false;
    for (std::size_t i = 0; i < length; ++i) {
      step s;
      s.kind = static_cast<step_kind>(below(waits ? 6 : 9));
      waits = waits || s.kind >= step_kind::wait_equal;
      s.object = below(object_count);
      s.value = 1 + static_cast<int>(below(2));
      s.order = below(2) == 0 ? std::memory_order_relaxed : std::memory_order_seq_cst;
      thread.push_back(s);
    }
  }
  return made;
}

std::string text_of(const program& p) {
  constexpr const char* names[] = {"store", "add",    "exchange", "load", "fence",
                                   "tries", "wait==", "wait>=",   "lock"};
  std::ostringstream text;
  for (const auto& thread : p.threads) {
    for (const step& s : thread)
      text << names[static_cast<int>(s.kind)] << ' ' << static_cast<char>('x' + s.object) << ' '
           << s.value << (s.order == std::memory_order_relaxed ? " rlx; " : " sc; ");
    text << "| ";
  }
  return text.str();
}

// How often x was not v yet, at most 4 times; in a loop that counts in a register or in memory, or
// without one.
int tries(atomic<int>& x, const step& s, bool plainly) {
  if (plainly && s.value == 1) {
    int tried = 0;
    while (tried < 4 && x.load(s.order) != s.value) ++tried;
    return tried;
  }
  if (plainly) {
    volatile int tried = 0;
    while (tried < 4 && x.load(s.order) != s.value) tried = tried + 1;
    return tried;
  }
  if (x.load(s.order) == s.value) return 0;
  if (x.load(s.order) == s.value) return 1;
  if (x.load(s.order) == s.value) return 2;
  if (x.load(s.order) == s.value) return 3;
  return 4;
}

// Each form of waiting, plainly or as an await. Returns the value seen.
int wait(atomic<int>& x, const step& s, bool plainly) {
  const int v = s.value;
  const auto order = s.order;
  switch (s.kind) {
    case step_kind::wait_equal:
      if (!plainly)
        return await(
            x, [v](int now) { return now == v; }, order);
      while (x.load(order) != v) {
      }
      return v;
    case step_kind::wait_at_least:
      if (plainly) {
        for (;;)
          if (const int now = x.load(order); now >= v) return now;
      }
      return await(
          x, [v](int now) { return now >= v; }, order);
    default:  // take a lock that is free at 0; other values than 1 are written over
      if (!plainly) {
        while (x.exchange(1, order) != 0)
          await(
              x, [](int now) { return now != 1; }, std::memory_order_relaxed);
        return 0;
      }
      while (x.exchange(1, order) != 0) {
      }
      return 0;
  }
}

int run_step(std::array<atomic<int>, object_count>& objects, const step& s, bool plainly) {
  atomic<int>& x = objects[s.object];
  switch (s.kind) {
    case step_kind::store:
      x.store(s.value - 1, s.order);  // 0 frees a lock
      return 0;
    case step_kind::add:
      return x.fetch_add(s.value, s.order);
    case step_kind::exchange:
      return x.exchange(s.value - 1, s.order);
    case step_kind::load:
      return x.load(s.order);
    case step_kind::fence:
      heddle::atomic_thread_fence(std::memory_order_seq_cst);
      return 0;
    case step_kind::tries:
      return tries(x, s, plainly);
    default:
      return wait(x, s, plainly);
  }
}

result run(const program& p, model memory_model, bool plainly) {
  return check({.memory_model = memory_model, .max_steps = 200}, [&p, plainly] {
    std::array<atomic<int>, object_count> objects{};
    std::array<std::array<int, 4>, 3> seen{};
    std::vector<thread> threads;
    for (std::size_t t = 0; t < p.threads.size(); ++t)
      threads.emplace_back([&, t] {
        for (std::size_t i = 0; i < p.threads[t].size(); ++i)
          seen[t][i] = run_step(objects, p.threads[t][i], plainly);
      });
    for (thread& t : threads) t.join();
    std::string outcome;
    for (const auto& mine : seen)
      for (const int value : mine) outcome += std::to_string(value);
    for (const auto& x : objects) outcome += ' ' + std::to_string(x.load());
    reached(outcome);
    require(true, "vacuous otherwise");
  });
}

std::set<std::string> outcomes(const result& r) { return {r.reached.begin(), r.reached.end()}; }

class spin_random : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(shard, spin_random, testing::Range(0, 4));

TEST_P(spin_random, plain_loops_have_the_outcomes_of_awaits) {
  constexpr std::uint64_t programs = 1500;
  std::size_t verified = 0;
  std::size_t hang = 0;
  for (std::uint64_t k = 0; k < programs; ++k) {
    const program p = random_program(static_cast<std::uint64_t>(GetParam()) * programs + k);
    for (const model m : {model::sc, model::tso, model::rc11}) {
      const result plain = run(p, m, true);
      const result awaited = run(p, m, false);
      ASSERT_NE(plain.verdict, verdict_kind::incomplete) << text_of(p) << plain.report();
      if (awaited.is_verified()) {
        ++verified;
        ASSERT_TRUE(plain.is_verified()) << text_of(p) << plain.report();
        ASSERT_EQ(outcomes(plain), outcomes(awaited)) << text_of(p) << to_string(m);
      } else {
        ++hang;
        ASSERT_EQ(awaited.verdict, verdict_kind::deadlock) << text_of(p) << awaited.report();
        ASSERT_EQ(plain.verdict, verdict_kind::livelock) << text_of(p) << plain.report();
      }
    }
  }
  EXPECT_GT(verified, 100u);
  EXPECT_GT(hang, 100u);
  RecordProperty("verified", static_cast<int>(verified));
  RecordProperty("hang", static_cast<int>(hang));
}

}  // namespace
}  // namespace heddle
