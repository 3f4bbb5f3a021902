// What std leaves undefined of condition variables is misuse, with both places.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"

namespace {

using heddle::check;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::verdict_kind;
using namespace std::chrono_literals;

constexpr model models[] = {model::rc11, model::tso, model::sc};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A body verified in so many executions under each memory model, none of them blocked.
template <class Body>
void expect_executions(std::uint64_t executions, Body body) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, body);
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, executions) << to_string(m);
    EXPECT_EQ(r.blocked, 0u) << to_string(m);
  }
}

// Where a body says that its misuse and the second place stand.
struct lines {
  int where = 0;
  int other = 0;
};

template <class Body>
void expect_misuse(const std::string& message, Body body) {
  lines at;
  const result r = check([&at, body] { body(at); });
  EXPECT_EQ(r.verdict, verdict_kind::misuse) << r.report();
  EXPECT_TRUE(contains(r.message, message)) << r.message;
  EXPECT_TRUE(r.where.ends_with("body_condition_misuse_test.cpp:" + std::to_string(at.where)))
      << r.where;
  EXPECT_TRUE(r.other.ends_with("body_condition_misuse_test.cpp:" + std::to_string(at.other)))
      << r.other;
}

TEST(BodyConditionMisuse, WaitingWithoutTheMutexIsMisuse) {
  expect_misuse("with a lock that does not own its mutex", [](lines& at) {
    heddle::mutex mutex;
    heddle::condition_variable changed;
    heddle::unique_lock lock(mutex);
    at.other = __LINE__ + 1;
    lock.unlock();
    at.where = __LINE__ + 1;
    changed.wait(lock);
  });
  expect_misuse("with a lock that does not own its mutex", [](lines& at) {
    heddle::mutex mutex;
    heddle::condition_variable changed;
    heddle::unique_lock lock(mutex);
    at.other = __LINE__ + 1;
    lock.unlock();
    at.where = __LINE__ + 1;
    changed.wait_for(lock, 1s);
  });
}

TEST(BodyConditionMisuse, WaitingWithTwoMutexesIsMisuse) {
  expect_misuse("with different mutexes", [](lines& at) {
    heddle::mutex first;
    heddle::mutex second;
    heddle::condition_variable changed;
    heddle::atomic<bool> waits{false};
    heddle::thread t([&] {
      heddle::unique_lock lock(first);
      waits = true;
      at.other = __LINE__ + 1;
      changed.wait(lock);
    });
    heddle::await(waits, [](bool value) { return value; });
    { const heddle::lock_guard guard(first); }
    heddle::unique_lock lock(second);
    at.where = __LINE__ + 1;
    changed.wait(lock);
  });
}

TEST(BodyConditionMisuse, AnotherMutexLaterIsAllowed) {
  expect_executions(1, [] {
    heddle::condition_variable changed;
    for (int i = 0; i < 2; ++i) {
      heddle::mutex mutex;
      heddle::unique_lock lock(mutex);
      changed.wait_for(lock, 1s);
    }
    require(true, "end");
  });
}

TEST(BodyConditionMisuse, DestructionWhileSomebodyWaitsIsMisuse) {
  expect_misuse("a condition variable is destroyed while", [](lines& at) {
    heddle::mutex mutex;
    auto changed = std::make_unique<heddle::condition_variable>();
    heddle::atomic<bool> waits{false};
    heddle::thread t([&] {
      heddle::unique_lock lock(mutex);
      waits = true;
      at.other = __LINE__ + 1;
      changed->wait(lock);
    });
    heddle::await(waits, [](bool value) { return value; });
    { const heddle::lock_guard guard(mutex); }
    at.where = __LINE__ + 1;
    changed.reset();
    t.join();
  });
}

// The thread that notifies has set the flag, and may still be on its way to the notify.
TEST(BodyConditionMisuse, DestructionBeforeTheNotifyIsOverIsMisuse) {
  expect_misuse("the notify that woke it is not over", [](lines& at) {
    heddle::mutex mutex;
    auto changed = std::make_unique<heddle::condition_variable>();
    heddle::var<bool> open{false};
    heddle::thread t([&] {
      {
        const heddle::lock_guard guard(mutex);
        open = true;
      }
      at.other = __LINE__ + 1;
      changed->notify_one();
    });
    {
      heddle::unique_lock lock(mutex);
      changed->wait(lock, [&] { return open.get(); });
    }
    at.where = __LINE__ + 1;
    changed.reset();
    t.join();
  });
}

TEST(BodyConditionMisuse, DestructionAfterAllWereNotifiedIsAllowed) {
  expect_executions(2, [] {
    heddle::mutex mutex;
    heddle::var<bool> open{false};
    auto changed = std::make_unique<heddle::condition_variable>();
    heddle::thread t([&] {
      heddle::unique_lock lock(mutex);
      if (!open) changed->wait(lock);
    });
    {
      const heddle::lock_guard guard(mutex);
      open = true;
      changed->notify_all();
      changed.reset();  // the waiter has still to lock the mutex
    }
    t.join();
    require(open, "open");
  });
}

}  // namespace
