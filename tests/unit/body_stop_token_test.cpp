// stop_source, stop_token, stop_callback and jthread inside a body, and waits that a stop ends.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"
#include "heddle/scenario.hpp"

namespace {

using heddle::check;
using heddle::jthread;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::stop_callback;
using heddle::stop_source;
using heddle::stop_token;
using heddle::verdict_kind;
using namespace std::chrono_literals;

constexpr model models[] = {model::rc11, model::tso, model::sc};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A body verified in so many executions under each memory model.
template <class Body>
void expect_executions(std::uint64_t executions, Body body, std::uint64_t blocked = 0) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, body);
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, executions) << to_string(m);
    EXPECT_EQ(r.blocked, blocked) << to_string(m);
  }
}

// --- the request

TEST(BodyStopToken, ARequestIsMadeOnce) {
  expect_executions(1, [] {
    stop_source source;
    const stop_token token = source.get_token();
    require(!source.stop_requested() && !token.stop_requested(), "not yet");
    require(source.request_stop(), "the first");
    require(!source.request_stop(), "the second");
    require(source.stop_requested() && token.stop_requested(), "requested");
  });
}

TEST(BodyStopToken, OneOfTwoRequestsIsTheFirst) {
  // two: either thread is first
  expect_executions(2, [] {
    stop_source source;
    heddle::var<bool> theirs{false};
    heddle::thread t([&] { theirs = source.request_stop(); });
    const bool mine = source.request_stop();
    t.join();
    require(mine != theirs, "exactly one");
  });
}

TEST(BodyStopToken, WhatIsDoneBeforeTheRequestIsSeenAfterIt) {
  // two: requested already, or not
  expect_executions(2, [] {
    stop_source source;
    heddle::var<int> data{0};
    heddle::thread t([&] {
      data = 1;
      source.request_stop();
    });
    if (source.get_token().stop_requested()) require(data == 1, "data");
    t.join();
    require(data == 1, "in the end");
  });
}

TEST(BodyStopToken, WhoHasNoStateIsNeverStopped) {
  expect_executions(1, [] {
    const stop_token none;
    require(!none.stop_requested() && !none.stop_possible(), "no token");
    stop_source source{heddle::nostopstate};
    require(!source.stop_possible() && !source.request_stop() && !source.stop_requested(),
            "no state");
    require(source.get_token() == none, "none");
    bool ran = false;
    {
      const stop_callback callback(none, [&] { ran = true; });
    }
    require(!ran, "never");
  });
}

TEST(BodyStopToken, StoppingIsPossibleWhileThereIsASourceOrAfterARequest) {
  expect_executions(1, [] {
    std::optional<stop_source> source{std::in_place};
    const stop_token token = source->get_token();
    require(token.stop_possible(), "by the source");
    std::optional<stop_source> copy = source;
    require(*copy == *source && copy->get_token() == token, "the same state");
    stop_source moved = std::move(*source);
    source.reset();
    copy = stop_source{};
    require(copy->get_token() != token, "another state");
    require(token.stop_possible(), "by the one that was moved to");
    moved = *copy;
    require(!token.stop_possible(), "by nobody");
    const stop_token other = moved.get_token();
    moved.request_stop();
    moved = stop_source{heddle::nostopstate};
    copy.reset();
    require(other.stop_possible() && other.stop_requested(), "requested");
    swap(moved, moved);
  });
}

TEST(BodyStopToken, CopiesThatThreadsDestroyAreNotOrdered) {
  expect_executions(1, [] {
    stop_source source;
    const stop_token token = source.get_token();
    {
      heddle::thread a([copy = source] { (void)copy; });
      heddle::thread b([copy = source] { (void)copy; });
      a.join();
      b.join();
    }
    require(token.stop_possible(), "one is left");
    source = stop_source{heddle::nostopstate};
    require(!token.stop_possible(), "none is left");
  });
}

// --- callbacks

TEST(BodyStopCallback, RunsAtOnceIfTheStopWasRequested) {
  expect_executions(1, [] {
    stop_source source;
    source.request_stop();
    bool ran = false;
    const stop_callback callback(source.get_token(), [&] { ran = true; });
    require(ran, "at once");
  });
}

TEST(BodyStopCallback, RunInTheRequestTheNewestFirst) {
  expect_executions(1, [] {
    stop_source source;
    int order = 0;
    const stop_callback first(source.get_token(), [&] { order = order * 10 + 1; });
    const stop_callback second(source.get_token(), [&] { order = order * 10 + 2; });
    {
      const stop_callback third(source.get_token(), [&] { order = order * 10 + 3; });
    }
    const stop_callback fourth(source.get_token(), [&] {
      // one that is registered meanwhile
      const stop_callback inner(source.get_token(), [&] { order = order * 10 + 5; });
      order = order * 10 + 4;
    });
    require(order == 0, "not yet");
    source.request_stop();
    require(order == 5421, "once each, but not the one that is gone");
  });
}

TEST(BodyStopCallback, RunsInOneThreadOrTheOtherOrNotAtAll) {
  // three: requested before the registration, while it is registered, after it
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      stop_source source;
      heddle::var<int> ran_in{-1};
      heddle::thread t([&] { source.request_stop(); });
      const auto me = heddle::this_thread::get_id();
      {
        const stop_callback callback(source.get_token(),
                                     [&] { ran_in = heddle::this_thread::get_id() == me ? 0 : 1; });
      }
      const int where = ran_in;  // ordered: the callback has returned
      t.join();
      require(ran_in == where, "not later");
      heddle::reached(where < 0 ? "not at all" : where == 0 ? "here" : "there");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 3u) << to_string(m);
    EXPECT_EQ(r.blocked, 0u);
    EXPECT_EQ(r.reached.size(), 3u);
  }
}

TEST(BodyStopCallback, MayDestroyItself) {
  expect_executions(1, [] {
    struct bomb {
      std::unique_ptr<stop_callback<bomb>>* owner;
      int* count;
      void operator()() const {
        ++*count;
        owner->reset();
      }
    };
    stop_source source;
    int count = 0;
    std::unique_ptr<stop_callback<bomb>> callback;
    callback = std::make_unique<stop_callback<bomb>>(source.get_token(), bomb{&callback, &count});
    require(source.request_stop() && count == 1 && callback == nullptr, "gone");
  });
}

TEST(BodyStopCallback, OneOfTwoIsRemovedWhileTheRequestRunsThem) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      stop_source source;
      heddle::var<int> older{0};
      heddle::var<int> newer{0};
      auto first = std::make_unique<stop_callback<std::function<void()>>>(source.get_token(),
                                                                          [&] { ++older; });
      const stop_callback second(source.get_token(), [&] { ++newer; });
      heddle::thread t([&] { require(source.request_stop(), "first"); });
      first.reset();
      const int ran = older;
      t.join();
      require(newer == 1 && older == ran, "the second always, the first only before");
      heddle::reached(ran == 0 ? "removed" : "run");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.blocked, 0u);
    EXPECT_EQ(r.reached.size(), 2u);
    // removed before the request, between its two callbacks, or after both
    EXPECT_EQ(r.executions, 3u) << to_string(m);
  }
}

TEST(BodyStopCallback, ACallbackThatWaitsForItsDestroyerIsADeadlock) {
  const result r = check([] {
    stop_source source;
    heddle::mutex mutex;
    heddle::thread t([&] { source.request_stop(); });
    {
      const heddle::lock_guard guard(mutex);
      const stop_callback callback(source.get_token(), [&] {
        if (heddle::this_thread::get_id() == heddle::thread::id{}) return;
        if (heddle::this_thread::get_id() != t.get_id()) return;
        mutex.lock();
        mutex.unlock();
      });
    }
    t.join();
  });
  EXPECT_EQ(r.verdict, verdict_kind::deadlock) << r.report();
}

TEST(BodyStopToken, WorksOutsideABody) {
  stop_source source;
  const stop_token token = source.get_token();
  int ran = 0;
  {
    const stop_callback callback(token, [&] { ++ran; });
    const stop_callback other(token, [&] { ++ran; });
    {
      const stop_callback gone(token, [&] { ++ran; });
    }
    EXPECT_TRUE(token.stop_possible());
    EXPECT_TRUE(source.request_stop());
    EXPECT_FALSE(source.request_stop());
  }
  EXPECT_EQ(ran, 2);
  EXPECT_TRUE(token.stop_requested());
  const stop_callback late(token, [&] { ++ran; });
  EXPECT_EQ(ran, 3);
  stop_token never = stop_source{}.get_token();
  EXPECT_FALSE(never.stop_possible());
}

// --- jthread

TEST(BodyJthread, IsStoppedAndJoinedWhenDestroyed) {
  // blocked: the await that looks before the request
  expect_executions(
      1,
      [] {
        heddle::var<int> done{0};
        {
          const jthread t(
              [&](stop_token token, int by) {
                heddle::await([&] { return token.stop_requested(); });
                done += by;
              },
              2);
          require(t.joinable(), "runs");
        }
        require(done == 2, "joined");
      },
      1);
}

TEST(BodyJthread, NeedsNoToken) {
  expect_executions(1, [] {
    heddle::var<int> done{0};
    jthread t([&](int by) { done += by; }, 3);
    t.join();
    require(!t.joinable() && done == 3, "joined");
    require(!jthread{}.request_stop(), "no state");
    jthread u([] {});
    const auto id = u.get_id();
    t = std::move(u);
    require(t.get_id() == id && !u.joinable(), "moved");
    require(t.get_stop_source() == t.get_stop_source(), "one state");
    require(t.request_stop() && t.get_stop_token().stop_requested(), "requested");
    jthread v;
    swap(t, v);
    v.detach();
    require(!v.joinable() && !t.joinable(), "detached");
  });
}

TEST(BodyJthread, AssignmentStopsAndJoinsTheOldOne) {
  expect_executions(
      1,
      [] {
        heddle::var<bool> stopped{false};
        jthread t([&](stop_token token) {
          heddle::await([&] { return token.stop_requested(); });
          stopped = true;
        });
        t = jthread{};
        require(stopped, "joined");
      },
      1);
}

// --- condition_variable_any

TEST(BodyConditionAny, WaitsWithAnyLock) {
  // two: notified, or open already
  expect_executions(2, [] {
    heddle::mutex mutex;
    heddle::condition_variable_any changed;
    heddle::var<bool> open{false};
    heddle::thread t([&] {
      const heddle::lock_guard guard(mutex);
      open = true;
      changed.notify_all();
    });
    mutex.lock();
    changed.wait(mutex, [&] { return open.get(); });
    mutex.unlock();
    t.join();
    require(open, "open");
  });
}

TEST(BodyConditionAny, TwoThreadsMayWaitWithDifferentLocks) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::mutex first;
      heddle::mutex second;
      heddle::condition_variable_any changed;
      heddle::var<int> open{0};
      heddle::thread t([&] {
        heddle::unique_lock lock(first);
        changed.wait(lock, [&] { return open != 0; });
      });
      heddle::thread u([&] {
        heddle::unique_lock lock(second);
        changed.wait(lock, [&] { return open != 0; });
      });
      {
        heddle::scoped_lock both(first, second);
        open = 1;
        changed.notify_all();
      }
      t.join();
      u.join();
      require(open == 1, "both");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.blocked, 0u);
  }
}

TEST(BodyConditionAny, TimesOut) {
  expect_executions(1, [] {
    heddle::mutex mutex;
    heddle::condition_variable_any changed;
    heddle::unique_lock lock(mutex);
    require(changed.wait_for(lock, 1s) == heddle::cv_status::timeout, "for");
    require(!changed.wait_for(lock, 1s, [] { return false; }), "for, pred");
    const auto end = heddle::steady_clock::now() + 1s;
    require(changed.wait_until(lock, end) == heddle::cv_status::timeout, "until");
    require(!changed.wait_until(lock, end + 1s, [] { return false; }), "until, pred");
    require(heddle::steady_clock::now() == end + 1s, "time has passed");
    stop_source source;
    require(!changed.wait_for(lock, source.get_token(), 1s, [] { return false; }), "stoppable");
    require(!changed.wait_until(lock, source.get_token(), end + 3s, [] { return false; }),
            "stoppable, until");
    require(heddle::steady_clock::now() == end + 3s, "time has passed again");
  });
}

TEST(BodyConditionAny, AStopEndsAWait) {
  // Six: the request comes before the wait looks at it; before it registers its callback; before it
  // enters the set of waiting threads; and when it is one of them, where it is woken, or sees the
  // request itself and leaves, before or after the callback takes it out.
  expect_executions(6, [] {
    heddle::mutex mutex;
    heddle::condition_variable_any changed;
    {
      const jthread t([&](stop_token token) {
        heddle::unique_lock lock(mutex);
        require(!changed.wait(lock, token, [] { return false; }), "stopped");
        require(lock.owns_lock() && token.stop_requested(), "and knows why");
      });
    }
    require(true, "joined");
  });
}

TEST(BodyConditionAny, AStoppableWaitReturnsThePredicate) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::mutex mutex;
      heddle::condition_variable_any changed;
      heddle::var<bool> open{false};
      heddle::var<bool> came{false};
      {
        const jthread t([&](stop_token token) {
          heddle::unique_lock lock(mutex);
          came = changed.wait_for(lock, token, 1s, [&] { return open.get(); });
          require(came == open, "as it is now");
        });
        const heddle::lock_guard guard(mutex);
        open = true;
        changed.notify_one();
      }
      heddle::reached(came ? "open" : "not");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.blocked, 0u);
    EXPECT_EQ(r.reached.size(), 2u);
  }
}

TEST(BodyConditionAny, ALoopOnTheTokenAloneSleepsForEver) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::mutex mutex;
      heddle::condition_variable_any changed;
      const jthread t([&](stop_token token) {
        heddle::unique_lock lock(mutex);
        while (!token.stop_requested()) changed.wait(lock);  // whom does a stop notify?
      });
    });
    EXPECT_TRUE(r.verdict == verdict_kind::deadlock || r.verdict == verdict_kind::lost_wakeup)
        << r.report();
    EXPECT_TRUE(contains(r.report(), "request_stop ")) << r.report();
    EXPECT_TRUE(contains(r.report(), "-> false")) << r.report();
  }
}

}  // namespace
