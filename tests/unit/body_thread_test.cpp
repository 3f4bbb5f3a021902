// heddle::thread inside a body: what it takes, when it ends, and what it orders.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <sstream>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"

namespace {

using heddle::check;
using heddle::require;
using heddle::verdict_kind;

TEST(BodyThread, ArgumentsAreCopiedAndPassedAsRvalues) {
  const heddle::result r = check([] {
    int sum = 0;
    std::string text = "a string too long to stand within the object itself";
    heddle::thread t([](int number, std::string copy, std::unique_ptr<int> owned,
                        int& result) { result = number + static_cast<int>(copy.size()) + *owned; },
                     1, text, std::make_unique<int>(2), std::ref(sum));
    text.clear();  // the thread has a copy
    t.join();
    require(sum == 3 + 51, "the arguments");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyThread, MoveOnlyFunctionsAndMemberFunctions) {
  struct worker {
    heddle::atomic<int> done{0};
    void run(int by) { done.fetch_add(by); }
  };
  const heddle::result r = check([] {
    worker w;
    auto owned = std::make_unique<int>(5);
    heddle::thread a([&w, p = std::move(owned)] { w.run(*p); });
    heddle::thread b(&worker::run, &w, 2);
    heddle::thread c(std::bind(&worker::run, &w, std::placeholders::_1), 1);
    a.join();
    b.join();
    c.join();
    require(w.done == 8, "all");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 6u);
}

TEST(BodyThread, TheFunctionIsDestroyedBeforeTheThreadEnds) {
  struct counted {
    heddle::atomic<int>* alive;
    explicit counted(heddle::atomic<int>* count) : alive(count) { alive->fetch_add(1); }
    counted(const counted& other) : counted(other.alive) {}
    counted(counted&& other) noexcept : alive(std::exchange(other.alive, nullptr)) {}
    counted& operator=(counted&&) = delete;
    ~counted() {
      if (alive != nullptr) alive->fetch_sub(1);
    }
    void operator()() const { require(alive->load() >= 1, "alive while it runs"); }
  };
  const heddle::result r = check([] {
    heddle::atomic<int> alive{0};
    {
      heddle::thread t{counted{&alive}};
      t.join();
    }
    require(alive == 0, "gone when joined");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyThread, MovingSwappingAndVectors) {
  const heddle::result r = check([] {
    heddle::atomic<int> count{0};
    heddle::thread none;
    require(!none.joinable() && none.get_id() == heddle::thread::id{}, "no thread");
    heddle::thread a([&] { ++count; });
    heddle::thread b = std::move(a);
    require(!a.joinable() && b.joinable(), "moved");
    a.swap(b);
    require(a.joinable() && !b.joinable(), "swapped");
    swap(a, b);
    a = heddle::thread([&] { ++count; });
    std::vector<heddle::thread> all;
    for (int i = 0; i < 2; ++i) all.emplace_back([&] { ++count; });
    all.push_back(std::move(a));
    all.push_back(std::move(b));
    for (heddle::thread& each : all) each.join();
    require(count == 4, "all");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 24u);
}

TEST(BodyThread, IdsAreDistinctAndTheSameOnBothSides) {
  const heddle::result r = check([] {
    const auto main = heddle::this_thread::get_id();
    heddle::thread::id seen;
    heddle::thread t([&] { seen = heddle::this_thread::get_id(); });
    const auto told = t.get_id();
    t.join();
    require(seen == told && seen != main && seen != heddle::thread::id{}, "ids");
    require(t.get_id() == heddle::thread::id{}, "no id when joined");
    require(std::unordered_set{main, told}.size() == 2, "hashes");
    std::ostringstream out;
    out << main << ' ' << told << ' ' << t.get_id();
    require(out.str() == "0 1 no thread", "printed");
    require(heddle::thread::hardware_concurrency() == 2, "the same on every machine");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyThread, AThreadStartsThreads) {
  const heddle::result r = check([] {
    heddle::var<int> data{1};
    heddle::atomic<int> count{0};
    heddle::thread t([&] {
      require(data == 1, "what was done before the start");
      data = 2;
      heddle::thread inner([&] {
        require(data == 2, "of the starter");
        data = 3;
        ++count;
      });
      ++count;
      inner.join();
      require(data == 3, "what the joined one did");
      data = 4;
    });
    ++count;
    t.join();
    require(data == 4 && count == 3, "in the end");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 6u);
}

TEST(BodyThread, TwoThreadsThatStartThreadsHaveTheirOwn) {
  const heddle::result r = check([] {
    heddle::atomic<int> count{0};
    const auto start_one = [&] {
      heddle::thread inner([&] { count.fetch_add(1, std::memory_order_relaxed); });
      inner.join();
    };
    heddle::thread a(start_one);
    heddle::thread b(start_one);
    a.join();
    b.join();
    require(count == 2, "both");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

TEST(BodyThread, OnlyTheOrderOfConflictsCounts) {
  const heddle::result r = check([] {
    heddle::atomic<int> x{0};
    heddle::atomic<int> y{0};
    heddle::thread a([&] { x = 1; });
    heddle::thread b([&] { y = 1; });
    a.join();
    b.join();
    require(x == 1 && y == 1, "both");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 1u);
}

TEST(BodyThread, AnExecutionGoesOnUntilTheDetachedHaveEnded) {
  const heddle::result r = check([] {
    const auto x = std::make_shared<heddle::atomic<int>>(0);
    heddle::thread([x] {
      x->store(1);
      require(x->load() == 2, "after the end of the first thread");
    }).detach();
  });
  EXPECT_EQ(r.verdict, verdict_kind::assertion) << r.report();
}

TEST(BodyThread, ADetachedOneIsNotJoinable) {
  const heddle::result r = check([] {
    static constinit heddle::atomic<int> x{0};
    heddle::thread t([] { ++x; });
    t.detach();
    require(!t.joinable(), "detached");
    ++x;
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

TEST(BodyThread, ADaemonMaySleepForEver) {
  const auto sleeper = [](bool daemon) {
    return check([daemon] {
      static constinit heddle::atomic<int> work{0};
      static constinit heddle::atomic<int> done{0};
      const auto serve = [] {
        for (int next = 1;; ++next) {
          heddle::await(work, [next](int posted) { return posted >= next; });
          done.fetch_add(1);
        }
      };
      if (daemon) {
        heddle::daemon_thread(serve).detach();
      } else {
        heddle::thread(serve).detach();
      }
      ++work;
      ++work;
      heddle::await(done, [](int count) { return count == 2; });
    });
  };
  const heddle::result r = sleeper(true);
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.blocked, 0u);
  EXPECT_EQ(sleeper(false).verdict, verdict_kind::deadlock);
}

TEST(BodyThread, WhatADaemonDoesCounts) {
  const heddle::result r =
      check([] { heddle::daemon_thread([] { require(false, "by a daemon"); }).detach(); });
  EXPECT_EQ(r.verdict, verdict_kind::assertion);
}

TEST(BodyThread, WaitingForADaemonIsADeadlock) {
  const heddle::result r = check([] {
    static constinit heddle::atomic<int> never{0};
    heddle::thread t =
        heddle::daemon_thread([] { heddle::await(never, [](int v) { return v == 1; }); });
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::deadlock) << r.report();
  EXPECT_NE(r.message.find("thread 0 waits for thread 1 to end"), std::string::npos) << r.message;
}

TEST(BodyThread, YieldingAndSleepingChangeNothing) {
  const auto store_buffering = [](bool yields) {
    return check([yields] {
      heddle::atomic<int> x{0};
      heddle::atomic<int> y{0};
      const auto maybe = [&] {
        if (!yields) return;
        heddle::this_thread::yield();
        heddle::this_thread::sleep_for(std::chrono::hours(1));
      };
      heddle::thread t([&] {
        maybe();
        x.store(1, std::memory_order_relaxed);
        maybe();
        (void)y.load(std::memory_order_relaxed);
      });
      y.store(1, std::memory_order_relaxed);
      maybe();
      (void)x.load(std::memory_order_relaxed);
      t.join();
      maybe();
    });
  };
  EXPECT_EQ(store_buffering(false).executions, 4u);
  EXPECT_EQ(store_buffering(true).executions, 4u);
}

TEST(BodyThread, SixtyFourThreadsAreAllowed) {
  const heddle::result r = check({.max_threads = 64}, [] {
    heddle::var<int> sum{0};
    for (int i = 0; i < 63; ++i) heddle::thread([&] { ++sum; }).join();
    require(sum == 63, "one after the other");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 1u);
}

TEST(BodyThread, TheBodyIsAFreshCopyInEveryExecution) {
  int count = 0;
  const heddle::result r = check([count]() mutable {
    require(++count == 1, "a copy");
    (void)heddle::choose(3);
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 3u);
}

}  // namespace
