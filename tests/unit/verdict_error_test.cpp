// What is neither verified nor a violation: a search that a bound cut, and the errors of a body
// that does not repeat itself or misuses the checker; and options without meaning.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include "heddle/check.hpp"
#include "heddle/error.hpp"
#include "heddle/heddle.hpp"

namespace {

using heddle::check;
using heddle::options;
using heddle::require;
using heddle::result;
using heddle::verdict_kind;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string line_of(int line) { return "unit/verdict_error_test.cpp:" + std::to_string(line); }

// --- incomplete

// 90 executions.
void six_additions() {
  heddle::atomic<int> x{0};
  std::vector<heddle::thread> all;
  for (int i = 0; i < 3; ++i)
    all.emplace_back([&x] {
      x.fetch_add(1);
      x.fetch_add(1);
    });
  for (heddle::thread& each : all) each.join();
  require(x == 6, "all");
}

void expect_cut(const result& r, const std::string& bound) {
  EXPECT_EQ(r.verdict, verdict_kind::incomplete) << r.report();
  EXPECT_TRUE(contains(r.bound, bound)) << r.bound;
  EXPECT_FALSE(r.is_verified());
  EXPECT_TRUE(contains(r.report(), "incomplete")) << r.report();
  EXPECT_TRUE(contains(r.report(), bound)) << r.report();
  EXPECT_FALSE(contains(r.report(), "verified")) << r.report();
  EXPECT_FALSE(contains(r.summary(), "verified")) << r.summary();
}

TEST(VerdictIncomplete, MaxExecutions) {
  EXPECT_EQ(check(six_additions).executions, 90u);
  const result r = check({.max_executions = 50}, six_additions);
  expect_cut(r, "max_executions = 50");
  EXPECT_EQ(r.executions, 50u);
  const result last = check({.max_executions = 89}, six_additions);
  expect_cut(last, "max_executions = 89");
}

TEST(VerdictIncomplete, ABoundThatIsJustReachedCutsNothing) {
  const result r = check({.max_executions = 90}, six_additions);
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.bound, "");
}

TEST(VerdictIncomplete, TimeLimit) {
  const auto long_one = [] {
    heddle::atomic<int> x{0};
    std::vector<heddle::thread> all;
    for (int i = 0; i < 8; ++i)
      all.emplace_back([&x] {
        for (int k = 0; k < 4; ++k) x.fetch_add(1);
      });
    for (heddle::thread& each : all) each.join();
    require(x == 32, "all");
  };
  const result r = check({.time_limit = 0.05}, long_one);
  expect_cut(r, "time_limit = 0.05 s");
  EXPECT_GT(r.executions, 0u);
}

TEST(VerdictIncomplete, MaxMemory) {
  const result r = check({.max_memory = 1}, six_additions);
  expect_cut(r, "max_memory = 1");
}

TEST(VerdictIncomplete, AnInterrupt) {
  std::atomic<bool> interrupted{false};
  int runs = 0;
  const result r = check({.interrupted = &interrupted}, [&] {
    if (++runs == 10) interrupted = true;
    six_additions();
  });
  expect_cut(r, "interrupted");
  EXPECT_EQ(r.executions, 10u);
}

TEST(VerdictIncomplete, MaxStepsNamesThePlace) {
  int line = 0;
  // The loop ends when the other thread gets its turn, so nothing loops for ever; and as it counts
  // its rounds none of them is as if it had not been.
  const result r = check({.max_steps = 20}, [&line] {
    static constinit heddle::atomic<bool> stop{false};
    heddle::thread([] { stop.store(true); }).detach();
    int rounds = 0;
    line = __LINE__ + 1;
    for (; !stop.load(); ++rounds) heddle::this_thread::yield();
    require(rounds != 1'000'000, "rounds that count");
  });
  expect_cut(r, "max_steps");
  EXPECT_TRUE(contains(r.bound, line_of(line))) << r.bound;
  EXPECT_GT(r.executions, 1u);
}

TEST(VerdictIncomplete, AThreadThatHasLeftItsLoopAtTheBoundDoesNotLoopForEver) {
  const result r = check({.max_steps = 20}, [] {
    heddle::atomic<bool> stop{false};
    heddle::thread t([&] { stop.store(true); });
    int rounds = 0;
    for (; !stop.load(); ++rounds) heddle::this_thread::yield();
    t.join();
    require(rounds != 1'000'000, "rounds that count");
  });
  expect_cut(r, "max_steps");
}

TEST(VerdictIncomplete, ALongLoopThatGetsOnDoesNotLoopForEver) {
  const result r = check({.max_steps = 20}, [] {
    heddle::atomic<int> x{0};
    for (int i = 0; i < 100; ++i) x.fetch_add(1);
    require(x == 100, "all");
  });
  expect_cut(r, "max_steps");
}

TEST(VerdictIncomplete, TheBoundCountsAlsoBesideAnAssumptionThatDoesNotHold) {
  const result r = check({.max_steps = 20}, [] {
    heddle::atomic<int> x{0};
    const bool is_long = heddle::choose(2) == 1;
    heddle::thread t([&] {
      heddle::assume(!is_long);
      x.fetch_add(1);
    });
    for (int i = 0; is_long && i < 100; ++i) x.fetch_add(1);
    t.join();
    require(x == 1, "the short way");
  });
  expect_cut(r, "max_steps");
  EXPECT_EQ(r.executions, 1u);
  EXPECT_EQ(r.blocked, 1u);
}

TEST(VerdictIncomplete, EachBoundIsNamedAndOnlyMaxStepsHasAPlace) {
  const result r = check({.max_steps = 20, .max_executions = 3}, [] {
    heddle::atomic<int> x{0};
    heddle::thread t([&] {
      for (int i = 0; i < 100; ++i) x.fetch_add(1);
    });
    x.fetch_add(1);
    t.join();
  });
  expect_cut(r, "max_steps at tests/unit/verdict_error_test.cpp:");
  EXPECT_TRUE(r.bound.ends_with(" and max_executions = 3")) << r.bound;
}

TEST(VerdictIncomplete, AViolationCountsMoreThanTheBound) {
  const result r = check({.max_steps = 20}, [] {
    heddle::atomic<int> stop{0};
    heddle::thread t([&] { stop.store(1); });
    int rounds = 0;
    while (stop.load() == 0) ++rounds;
    require(rounds != 3, "three rounds");
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::assertion) << r.report();
}

// --- errors

void expect_not_repeated(const result& r, const std::string& part) {
  EXPECT_EQ(r.verdict, verdict_kind::error) << r.report();
  EXPECT_TRUE(contains(r.message, "the body does not repeat itself")) << r.message;
  EXPECT_TRUE(contains(r.message, part)) << r.message;
  EXPECT_TRUE(contains(r.where, "unit/verdict_error_test.cpp:")) << r.where;
  EXPECT_TRUE(contains(r.report(), r.message)) << r.report();
  EXPECT_TRUE(contains(r.report(), r.where)) << r.report();
  EXPECT_FALSE(contains(r.report(), "verified")) << r.report();
}

TEST(VerdictError, AThreadWhoseHeapIsFull) {
  const result r = check([] {
    heddle::atomic<int> x{0};
    heddle::thread t([&] { x.store(1); });
    char* volatile block = new char[(std::size_t{1} << 30) + 1];  // not to be elided
    delete[] block;
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::error) << r.report();
  EXPECT_TRUE(contains(r.message, "allocated more than 1024 MiB")) << r.message;
}

TEST(VerdictError, ABodyThatStoresAnotherValue) {
  int executions = 0;
  int line = 0;
  const result r = check([&] {
    heddle::atomic<int> x{0};
    line = __LINE__ + 1;
    x.store(++executions);
    (void)heddle::choose(2);
  });
  expect_not_repeated(r, "of another value");
  EXPECT_TRUE(r.where.ends_with(line_of(line))) << r.where;
}

TEST(VerdictError, ABodyThatUsesAnotherObject) {
  int executions = 0;
  expect_not_repeated(check([&] {
                        heddle::atomic<int> x[2]{};
                        x[++executions % 2].store(1);
                        (void)heddle::choose(2);
                      }),
                      "of another object");
}

TEST(VerdictError, ABodyThatDoesSomethingElse) {
  int executions = 0;
  expect_not_repeated(check([&] {
                        heddle::atomic<int> x{0};
                        if (++executions == 1) {
                          x.store(1);
                        } else {
                          (void)x.load();
                        }
                        (void)heddle::choose(2);
                      }),
                      "was a write, now it is a load");
}

TEST(VerdictError, ABodyThatEndsEarlier) {
  int executions = 0;
  expect_not_repeated(check([&] {
                        heddle::atomic<int> x{0};
                        x = 1;
                        if (++executions == 2) return;
                        (void)heddle::choose(2);
                      }),
                      "the end of the thread");
}

TEST(VerdictError, ABodyThatStartsFewerThreads) {
  int executions = 0;
  const result r = check([&] {
    heddle::atomic<int> x{0};
    const bool first = ++executions == 1;
    heddle::thread t([&x] { x.store(1); });
    if (first) {
      heddle::thread u([&x] { x.store(2); });
      u.join();
    }
    (void)x.load();
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::error) << r.report();
  EXPECT_TRUE(contains(r.message, "the body does not repeat itself")) << r.message;
}

TEST(VerdictError, ABodyThatAssumesEarlier) {
  int executions = 0;
  expect_not_repeated(check([&] {
                        heddle::atomic<int> x{0};
                        x = 1;
                        heddle::assume(++executions == 1);
                        (void)heddle::choose(2);
                      }),
                      "");
}

TEST(VerdictError, MoreThreadsThanAllowedNamesTheOption) {
  int line = 0;
  const result r = check({.max_threads = 3}, [&line] {
    std::vector<heddle::thread> all;
    for (int i = 0; i < 3; ++i) {
      line = __LINE__ + 1;
      all.emplace_back([] {});
    }
    for (heddle::thread& each : all) each.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::error) << r.report();
  EXPECT_TRUE(contains(r.message, "more than 3 threads: raise max_threads (HEDDLE_MAX_THREADS)"))
      << r.message;
  EXPECT_TRUE(r.where.ends_with(line_of(line))) << r.where;
}

TEST(VerdictError, ACheckInsideABody) {
  int line = 0;
  const result r = check([&line] {
    heddle::atomic<int> x{0};
    x = 1;
    line = __LINE__ + 1;
    (void)check([] { require(true, "never run"); });
  });
  EXPECT_EQ(r.verdict, verdict_kind::error);
  EXPECT_TRUE(contains(r.message, "heddle::check inside a body")) << r.message;
  EXPECT_TRUE(r.where.ends_with(line_of(line))) << r.where;
}

template <class Use>
void expect_outside(const std::string& what, int line, Use use) {
  try {
    use();
    ADD_FAILURE() << what << ": nothing was thrown";
  } catch (const heddle::usage_error& e) {
    EXPECT_TRUE(contains(e.what(), what)) << e.what();
    EXPECT_TRUE(contains(e.what(), "outside of heddle::check")) << e.what();
    EXPECT_TRUE(contains(e.what(), line_of(line))) << e.what();
  }
}

TEST(VerdictError, TheCheckerOutsideACheck) {
  static constinit heddle::atomic<int> x{0};
  static constinit heddle::mutex mutex;
  expect_outside("require", __LINE__, [] { require(true, "holds"); });
  expect_outside("assume", __LINE__, [] { heddle::assume(true); });
  expect_outside("choose", __LINE__, [] { (void)heddle::choose(2); });
  expect_outside("await", __LINE__, [] { heddle::await(x, [](int v) { return v == 0; }); });
  expect_outside("await", __LINE__, [] { heddle::await([] { return true; }); });
  expect_outside("starting a thread", __LINE__, [] { heddle::thread t([] {}); });
  expect_outside("locking a mutex", __LINE__, [] { mutex.lock(); });
  expect_outside("locking a mutex", __LINE__, [] { heddle::lock_guard guard(mutex); });
}

// --- options

// An environment variable within a scope.
class variable {
 public:
  variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~variable() { unsetenv(name_); }
  variable(const variable&) = delete;
  variable& operator=(const variable&) = delete;

 private:
  const char* name_;
};

void expect_invalid(const options& with, const std::string& part) {
  try {
    (void)check(with, [] {});
    ADD_FAILURE() << part << ": nothing was thrown";
  } catch (const heddle::usage_error& e) {
    const std::string text = e.what();
    EXPECT_TRUE(contains(text, part)) << text;
    EXPECT_FALSE(contains(text, "\n")) << text;
  }
}

TEST(VerdictOptions, MalformedVariablesNameTheValidValues) {
  struct row {
    const char* name;
    std::vector<const char*> bad;
    const char* valid;
  };
  const row rows[] = {
      {"HEDDLE_MEMORY_MODEL", {"arm", "RC11", " sc"}, "rc11, tso, sc"},
      {"HEDDLE_SEARCH", {"random", "all"}, "exhaustive, interleavings"},
      {"HEDDLE_MAX_STEPS", {"0", "-1", "x", "10k", "1.5", "2000000", " 5"}, "1 to 1000000"},
      {"HEDDLE_MAX_THREADS", {"0", "65", "-1", "many"}, "1 to 64"},
      {"HEDDLE_MAX_EXECUTIONS", {"0", "-5", "1e3", "18446744073709551616"}, "from 1"},
      {"HEDDLE_TIME_LIMIT", {"-1", "soon", "nan", "inf", "1s"}, "seconds from 0"},
      {"HEDDLE_MAX_MEMORY", {"0", "1GB"}, "bytes"},
      {"HEDDLE_STACK_SIZE", {"0", "1024", "1000000000", "256k"}, "16384 to 67108864"},
  };
  for (const row& each : rows)
    for (const char* bad : each.bad) {
      const variable set(each.name, bad);
      expect_invalid({}, std::string{each.name} + "=" + bad + ": valid values are ");
      expect_invalid({}, each.valid);
    }
}

TEST(VerdictOptions, InvalidFieldsNameTheValidValues) {
  expect_invalid({.max_steps = 0}, "HEDDLE_MAX_STEPS=0: valid values are 1 to 1000000");
  expect_invalid({.max_threads = 65}, "HEDDLE_MAX_THREADS=65: valid values are 1 to 64");
  expect_invalid({.max_executions = 0}, "HEDDLE_MAX_EXECUTIONS=0");
  expect_invalid({.time_limit = -1.0}, "HEDDLE_TIME_LIMIT=-1");
  expect_invalid({.max_memory = 0}, "HEDDLE_MAX_MEMORY=0");
  expect_invalid({.stack_size = 1}, "HEDDLE_STACK_SIZE=1");
  expect_invalid({.memory_model = heddle::model::tso, .search = heddle::strategy::interleavings},
                 "sc");
}

TEST(VerdictOptions, VariablesAreTakenWhereNoFieldIsSet) {
  const auto store_buffering = [] {
    heddle::atomic<int> x{0};
    heddle::atomic<int> y{0};
    heddle::thread t([&] {
      x.store(1, std::memory_order_relaxed);
      (void)y.load(std::memory_order_relaxed);
    });
    y.store(1, std::memory_order_relaxed);
    (void)x.load(std::memory_order_relaxed);
    t.join();
  };
  const variable model("HEDDLE_MEMORY_MODEL", "sc");
  EXPECT_EQ(check(store_buffering).executions, 3u);
  EXPECT_EQ(check({.memory_model = heddle::model::tso}, store_buffering).executions, 4u);
  const variable search("HEDDLE_SEARCH", "interleavings");
  EXPECT_EQ(check(store_buffering).executions, 6u);
  const variable bound("HEDDLE_MAX_EXECUTIONS", "2");
  const result r = check(store_buffering);
  EXPECT_EQ(r.verdict, verdict_kind::incomplete);
  EXPECT_EQ(r.executions, 2u);
  const variable empty("HEDDLE_MAX_EXECUTIONS", "");
  EXPECT_TRUE(check(store_buffering).is_verified()) << "an empty one is none";
}

}  // namespace
