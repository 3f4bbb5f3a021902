// heddle::var<T>: which accesses race, and what orders them.
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"

namespace {

using heddle::check;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::verdict_kind;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

// Every way to read a var, and every way to write one.
struct access {
  const char* name;
  bool writes;
  void (*make)(heddle::var<int>&);
};

constexpr access accesses[] = {
    {"get", false, [](heddle::var<int>& v) { (void)v.get(); }},
    {"conversion", false, [](heddle::var<int>& v) { require(v >= -100, "a number"); }},
    {"read", false, [](heddle::var<int>& v) { (void)v.read([](const int& i) { return i; }); }},
    {"copied from", false, [](heddle::var<int>& v) { heddle::var<int> copy(v); }},
    {"assigned from", false,
     [](heddle::var<int>& v) {
       heddle::var<int> other{0};
       other = v;
     }},
    {"set", true, [](heddle::var<int>& v) { v.set(1); }},
    {"assignment", true, [](heddle::var<int>& v) { v = 2; }},
    {"write", true, [](heddle::var<int>& v) { v.write([](int& i) { i = 3; }); }},
    {"++", true, [](heddle::var<int>& v) { ++v; }},
    {"post ++", true, [](heddle::var<int>& v) { v++; }},
    {"--", true, [](heddle::var<int>& v) { --v; }},
    {"post --", true, [](heddle::var<int>& v) { v--; }},
    {"+=", true, [](heddle::var<int>& v) { v += 2; }},
    {"-=", true, [](heddle::var<int>& v) { v -= 2; }},
    {"&=", true, [](heddle::var<int>& v) { v &= 2; }},
    {"|=", true, [](heddle::var<int>& v) { v |= 2; }},
    {"^=", true, [](heddle::var<int>& v) { v ^= 2; }},
    {"copied to", true,
     [](heddle::var<int>& v) {
       const heddle::var<int> other{4};
       v = other;
     }},
    {"moved from", true, [](heddle::var<int>& v) { heddle::var<int> other(std::move(v)); }},
};

TEST(BodyVar, EveryPairWithAWriteRaces) {
  for (const access& mine : accesses)
    for (const access& other : accesses) {
      const result r = check([&mine, &other] {
        heddle::var<int> v{0};
        heddle::thread t([&] { other.make(v); });
        mine.make(v);
        t.join();
      });
      const auto expected =
          mine.writes || other.writes ? verdict_kind::data_race : verdict_kind::verified;
      EXPECT_EQ(r.verdict, expected) << mine.name << " and " << other.name << ": " << r.report();
    }
}

TEST(BodyVar, EveryPairIsOrderedByAMutexAndByJoin) {
  for (const access& mine : accesses)
    for (const access& other : accesses) {
      const result r = check([&mine, &other] {
        heddle::var<int> v{0};
        heddle::mutex mutex;
        heddle::thread t([&] {
          const heddle::lock_guard guard(mutex);
          other.make(v);
        });
        {
          const heddle::lock_guard guard(mutex);
          mine.make(v);
        }
        t.join();
        mine.make(v);
      });
      EXPECT_TRUE(r.is_verified()) << mine.name << " and " << other.name << ": " << r.report();
      EXPECT_EQ(r.executions, 2u);
    }
}

// --- what orders

result flag_passing(model memory_model, std::memory_order store, std::memory_order load) {
  return check({.memory_model = memory_model}, [=] {
    heddle::var<int> data{0};
    heddle::atomic<bool> ready{false};
    heddle::thread t([&] {
      data = 1;
      ready.store(true, store);
    });
    if (ready.load(load)) require(data == 1, "stale");
    t.join();
    data = 2;
  });
}

TEST(BodyVar, ReleaseAndAcquireOrder) {
  for (model m : {model::rc11, model::tso, model::sc}) {
    const result r = flag_passing(m, memory_order_release, memory_order_acquire);
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 2u);
  }
}

TEST(BodyVar, RelaxedOnEitherSideDoesNot) {
  for (auto [store, load] : {std::pair{memory_order_relaxed, memory_order_acquire},
                             std::pair{memory_order_release, memory_order_relaxed},
                             std::pair{memory_order_relaxed, memory_order_relaxed}}) {
    EXPECT_EQ(flag_passing(model::rc11, store, load).verdict, verdict_kind::data_race);
    EXPECT_TRUE(flag_passing(model::sc, store, load).is_verified());
  }
}

TEST(BodyVar, AnAcquireThatReadsSomethingElseDoesNot) {
  const result r = check([] {
    heddle::var<int> data{0};
    heddle::atomic<int> ready{0};
    heddle::thread t([&] {
      data = 1;
      ready.store(1, memory_order_release);
    });
    (void)ready.load(memory_order_acquire);
    data = 2;
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::data_race);
}

TEST(BodyVar, FencesOrder) {
  const result r = check([] {
    heddle::var<int> data{0};
    heddle::atomic<int> ready{0};
    heddle::thread t([&] {
      data = 1;
      heddle::atomic_thread_fence(memory_order_release);
      ready.store(1, memory_order_relaxed);
    });
    if (ready.load(memory_order_relaxed) == 1) {
      heddle::atomic_thread_fence(memory_order_acquire);
      require(data == 1, "stale");
    }
    t.join();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyVar, AwaitsOrderIfTheyAcquire) {
  const auto awaiting = [](std::memory_order order) {
    return check([order] {
      heddle::var<int> data{0};
      heddle::atomic<int> ready{0};
      heddle::thread t([&] {
        data = 1;
        ready.store(1, memory_order_release);
      });
      heddle::await(
          ready, [](int value) { return value == 1; }, order);
      require(data == 1, "stale");
      t.join();
    });
  };
  EXPECT_TRUE(awaiting(memory_order_acquire).is_verified());
  EXPECT_EQ(awaiting(memory_order_acquire).executions, 1u);
  EXPECT_EQ(awaiting(memory_order_relaxed).verdict, verdict_kind::data_race);
}

TEST(BodyVar, AReadModifyWriteGoesOnTheReleaseSequence) {
  const result r = check([] {
    heddle::var<int> data{0};
    heddle::atomic<int> x{0};
    heddle::thread a([&] {
      data = 1;
      x.store(1, memory_order_release);
    });
    heddle::thread b([&] { x.fetch_add(10, memory_order_relaxed); });
    const int seen = x.load(memory_order_acquire);
    if (seen == 11) require(data == 1, "stale");
    a.join();
    b.join();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyVar, StartingAndJoiningOrder) {
  const result r = check([] {
    heddle::var<int> data{1};
    heddle::thread t([&] {
      require(data == 1, "of the starter");
      data = 2;
    });
    t.join();
    require(data == 2, "of the joined");
    data = 3;
    heddle::thread u([&] { require(data == 3, "of the starter"); });
    u.join();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 1u);
}

TEST(BodyVar, WhatComesAfterTheStartIsNotOrderedByIt) {
  const result r = check([] {
    heddle::var<int> data{1};
    heddle::thread t([&] { (void)data.get(); });
    data = 2;
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::data_race);
}

TEST(BodyVar, DetachingOrdersNothing) {
  const result r = check([] {
    static heddle::var<int> data;
    data = 1;
    heddle::thread([] { data = 2; }).detach();
    data = 3;
  });
  EXPECT_EQ(r.verdict, verdict_kind::data_race);
}

TEST(BodyVar, ARaceInOneExecutionOfManyIsFound) {
  const result r = check([] {
    heddle::var<int> data{0};
    heddle::atomic<int> x{0};
    heddle::atomic<int> y{0};
    heddle::thread t([&] {
      x.store(1, memory_order_relaxed);
      if (y.load(memory_order_relaxed) == 0) ++data;
    });
    y.store(1, memory_order_relaxed);
    if (x.load(memory_order_relaxed) == 0) ++data;
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::data_race) << "store buffering lets both in";
}

// --- what is one object

TEST(BodyVar, NeighboursDoNotRace) {
  struct both {
    heddle::var<char> a{'a'};
    heddle::var<char> b{'b'};
  };
  const result r = check([] {
    both pair;
    std::vector<heddle::var<char>> many(2);
    heddle::thread t([&] {
      pair.a = 'x';
      many[0] = 'x';
    });
    pair.b = 'y';
    many[1] = 'y';
    t.join();
    require(pair.a == 'x' && pair.b == 'y', "both");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyVar, AnAddressOnTheStackIsANewObjectEachTime) {
  const result r = check([] {
    const auto own = [] {
      for (int i = 0; i < 3; ++i) {
        heddle::var<int> v{i};
        ++v;
        require(v == i + 1, "its own");
      }
    };
    heddle::thread t(own);
    own();
    t.join();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyVar, FreedMemoryOfOneThreadDoesNotRaceWithAnothersNext) {
  const result r = check([] {
    heddle::atomic<heddle::var<int>*> mailbox{nullptr};
    heddle::thread t([&] {
      heddle::var<int>* const got = mailbox.exchange(nullptr, memory_order_acquire);
      if (got != nullptr) {
        require(*got == 1, "published");
        delete got;
      }
    });
    mailbox.store(new heddle::var<int>(1), memory_order_release);
    const auto next = std::make_unique<heddle::var<int>>(2);
    require(*next == 2, "its own");
    t.join();
    delete mailbox.load();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyVar, HoldsBigAndMoveOnlyTypes) {
  const result r = check([] {
    heddle::var<std::string> text{std::string(100, 'a')};
    heddle::var<std::unique_ptr<int>> owned{std::make_unique<int>(3)};
    heddle::thread t([&] {
      text.write([](std::string& s) { s += 'b'; });
      owned = std::make_unique<int>(4);
    });
    t.join();
    require(text.read([](const std::string& s) { return s.size(); }) == 101, "appended");
    require(*owned.read([](const std::unique_ptr<int>& p) { return p.get(); }) == 4, "replaced");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyVar, BothPlacesOfARaceAreNamed) {
  int write = 0;
  int read = 0;
  const result r = check([&] {
    heddle::var<int> v{0};
    heddle::name(v, "total");
    heddle::thread t([&] {
      write = __LINE__ + 1;
      v = 1;
    });
    read = __LINE__ + 1;
    (void)v.get();
    t.join();
  });
  ASSERT_EQ(r.verdict, verdict_kind::data_race);
  EXPECT_NE(r.message.find("total"), std::string::npos) << r.message;
  const std::string place = "body_var_test.cpp:";
  const std::string first = place + std::to_string(write);
  const std::string second = place + std::to_string(read);
  EXPECT_TRUE((r.where.ends_with(first) && r.other.ends_with(second)) ||
              (r.where.ends_with(second) && r.other.ends_with(first)))
      << r.where << " and " << r.other;
  EXPECT_NE(r.report().find(first), std::string::npos) << r.report();
  EXPECT_NE(r.report().find(second), std::string::npos) << r.report();
}

}  // namespace
