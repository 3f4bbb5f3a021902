// heddle::call_once: it runs once, for all, in N executions.
#include <gtest/gtest.h>

#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/counting/counting_checks.hpp"

namespace {

using counting::contains;
using counting::expect_executions;
using counting::expect_failure;
using counting::is_line;
using heddle::require;
using heddle::result;
using heddle::thread;
using heddle::var;
using heddle::verdict_kind;

TEST(Once, RunsOnceOutsideABody) {
  heddle::once_flag flag;
  int runs = 0;
  EXPECT_THROW(heddle::call_once(flag, [] { throw std::runtime_error("first"); }),
               std::runtime_error);
  heddle::call_once(
      flag, [&](int by) { runs += by; }, 2);
  heddle::call_once(
      flag, [&](int by) { runs += by; }, 2);
  EXPECT_EQ(runs, 2);
}

TEST(Once, WithinItselfOutsideABodyIsTheErrorInsteadOfWaitingForEver) {
  heddle::once_flag flag;
  bool has_run = false;
  EXPECT_THROW(heddle::call_once(flag, [&] { heddle::call_once(flag, [&] { has_run = true; }); }),
               heddle::usage_error);
  EXPECT_FALSE(has_run);
  heddle::call_once(flag, [&] { has_run = true; });
  EXPECT_TRUE(has_run) << "an exception has left the first call";
}

TEST(Once, AnyThreadMayBeTheFirstAndItPublishesToAll) {
  // N: which call runs the function; the others only read, and nobody is blocked while it runs
  for (int threads = 1; threads <= 5; ++threads) {
    expect_executions(static_cast<std::uint64_t>(threads), [threads] {
      heddle::once_flag init;
      var<int> data{0};
      const auto use = [&] {
        heddle::call_once(init, [&] { ++data; });
        require(data == 1, "initialised once");
      };
      std::vector<thread> others;
      for (int i = 1; i < threads; ++i) others.emplace_back(use);
      use();
      for (thread& each : others) each.join();
    });
  }
}

constinit heddle::once_flag global_flag;

TEST(Once, AGlobalOneStartsEachExecutionAfresh) {
  int runs = 0;
  expect_executions(2, [&] {
    thread t([&] { heddle::call_once(global_flag, [&] { ++runs; }); });
    heddle::call_once(global_flag, [&] { ++runs; });
    t.join();
  });
  EXPECT_GE(runs, 6);  // in each of two executions under three models
}

struct target {
  var<int> value{0};
  void set(int a, const int& b) { value = a + b; }
};

TEST(Once, PassesArgumentsAsInvokeDoes) {
  expect_executions(1, [] {
    heddle::once_flag init;
    target t;
    const int b = 2;
    heddle::call_once(init, &target::set, t, 1, b);
    heddle::call_once(init, &target::set, t, 5, b);
    require(t.value == 3, "the first call's arguments");
  });
}

TEST(Once, WhatTheFirstDoesAfterItsCallRaces) {
  expect_failure(verdict_kind::data_race, "data race", [] {
    heddle::once_flag init;
    var<int> data{0};
    const auto use = [&] {
      heddle::call_once(init, [] {});
      ++data;
    };
    thread t(use);
    use();
    t.join();
  });
}

TEST(Once, WhatComesBeforeAPassiveCallIsNotPublished) {
  expect_failure(verdict_kind::data_race, "data race", [] {
    heddle::once_flag init;
    var<int> data{0};
    thread t([&] {
      data = 1;
      heddle::call_once(init, [] {});
    });
    heddle::call_once(init, [] {});
    (void)data.get();
    t.join();
  });
}

TEST(Once, AnExceptionLeavesItToTheNextCall) {
  // two: either thread is the first, whose function throws; what it did happens before the other's
  expect_executions(2, [] {
    heddle::once_flag init;
    var<int> tries{0};
    const auto use = [&] {
      try {
        heddle::call_once(init, [&] {
          if (++tries == 1) throw std::runtime_error("the first");
        });
        return 0;
      } catch (const std::runtime_error&) {
        return 1;
      }
    };
    int other = 0;
    thread t([&] { other = use(); });
    const int mine = use();
    t.join();
    require(tries == 2 && mine + other == 1, "the exception goes to who ran it");
  });
}

// --- how it fails

TEST(Once, ACallInsideItsOwnFunctionIsMisuse) {
  int outer = 0;
  int inner = 0;
  const result r = expect_failure(verdict_kind::misuse,
                                  "call_once is called by the function that it calls", [&] {
                                    heddle::once_flag init;
                                    const auto again = [&] {
                                      inner = __LINE__ + 1;
                                      heddle::call_once(init, [] {});
                                    };
                                    outer = __LINE__ + 1;
                                    heddle::call_once(init, again);
                                  });
  EXPECT_TRUE(is_line(r.where, __FILE__, inner));
  EXPECT_TRUE(is_line(r.other, __FILE__, outer));
}

TEST(Once, TwoFlagsInsideOneAnotherInBothOrdersDeadlock) {
  const result r = expect_failure(verdict_kind::deadlock, ", whose function thread ", [] {
    heddle::once_flag a;
    heddle::once_flag b;
    heddle::name(a, "a");
    heddle::name(b, "b");
    thread t([&] { heddle::call_once(b, [&] { heddle::call_once(a, [] {}); }); });
    heddle::call_once(a, [&] { heddle::call_once(b, [] {}); });
    t.join();
  });
  EXPECT_EQ(r.message,
            "thread 0 waits for b, whose function thread 1 runs; "
            "thread 1 waits for a, whose function thread 0 runs");
}

TEST(Once, ReadsWellInATrace) {
  const result r = expect_failure(verdict_kind::assertion, "to see the trace", [] {
    heddle::once_flag flag;
    heddle::name(flag, "setup");
    thread t([&] { heddle::call_once(flag, [] {}); });
    t.join();
    heddle::call_once(flag, [] {});
    require(false, "to see the trace");
  });
  for (const char* phrase :
       {"call_once setup", "call_once setup is done", "call_once setup: done already"})
    EXPECT_TRUE(contains(r.report(), phrase)) << phrase << '\n' << r.report();
}

struct counted {
  heddle::atomic<int> users;
  counted() { users.store(0); }  // no constant initialiser
};

TEST(Once, AStaticIsNamedInTheReportToo) {
  const result r = expect_failure(verdict_kind::assertion, "two users", [] {
    const auto use = [] {
      static counted it;
      return it.users.fetch_add(1);
    };
    thread t([&] { use(); });
    use();
    t.join();
    require(use() < 2, "two users");
  });
  EXPECT_TRUE(contains(r.report(), "initialise static")) << r.report();
  EXPECT_TRUE(contains(r.report(), ": done already")) << r.report();
}

struct waits_for_ever {
  explicit waits_for_ever(heddle::latch& never) { never.wait(); }
};

TEST(Once, WhoWaitsForAStaticKnowsWhoInitialisesIt) {
  const result r = expect_failure(verdict_kind::deadlock, ", which thread ", [] {
    heddle::latch never(1);
    heddle::name(never, "never");
    const auto use = [&] { static const waits_for_ever it(never); };
    thread t(use);
    use();
    t.join();
  });
  EXPECT_TRUE(contains(r.message, "waits at the latch never, whose count is 1")) << r.message;
  EXPECT_TRUE(contains(r.message, " initialises")) << r.message;
}

}  // namespace
