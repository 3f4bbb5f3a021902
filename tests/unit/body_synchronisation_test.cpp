// What the blocking primitives order, and what they do not: a thread that only knows by a relaxed
// flag that another was there has no right to its data, whatever the real primitives do besides.
#include <gtest/gtest.h>

#include <chrono>
#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>
#include <memory>
#include <string>
#include <utility>

namespace {

using heddle::atomic;
using heddle::check;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::thread;
using heddle::var;
using heddle::verdict_kind;
using namespace std::chrono_literals;

constexpr model models[] = {model::rc11, model::tso, model::sc};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// One thread writes the data and does `first`; the other knows by a relaxed flag that it has, does
// `second`, and reads. Only `first` and `second` can order the two.
template <class Object, class First, class Second>
result passing(model memory_model, Object make, First first, Second second) {
  return check({.memory_model = memory_model}, [=] {
    auto object = make();
    var<int> data{0};
    atomic<bool> has{false};
    thread t([&] {
      data = 42;
      first(*object);
      has.store(true, std::memory_order_relaxed);
    });
    heddle::await(
        has, [](bool value) { return value; }, std::memory_order_relaxed);
    second(*object);
    require(data == 42, "the data");
    t.join();
  });
}

template <class Object, class First, class Second>
void expect_order(Object make, First first, Second second) {
  for (const model m : models) {
    const result r = passing(m, make, first, second);
    EXPECT_VERIFIED(r);
    EXPECT_EQ(r.executions, 1u) << to_string(m);
    EXPECT_EQ(r.blocked, 0u) << to_string(m);
  }
}

// The second is a try: in rc11 it may fail, as one that has not heard yet of what makes it succeed.
template <class Object, class First, class Second>
void expect_order_if_it_succeeds(Object make, First first, Second second) {
  for (const model m : models) {
    const result r =
        passing(m, make, first, [second](auto& object) { heddle::assume(second(object)); });
    EXPECT_VERIFIED(r);
    EXPECT_EQ(r.executions, 1u) << to_string(m);
    EXPECT_EQ(r.blocked, m == model::rc11 ? 1u : 0u) << to_string(m);
  }
}

// tso and sc order all atomics, so there the flag is enough.
template <class Object, class First, class Second>
void expect_race(Object make, First first, Second second) {
  EXPECT_VIOLATION(passing(model::rc11, make, first, second), verdict_kind::data_race);
}

template <class Object>
auto made() {
  return [] { return std::make_unique<Object>(); };
}
template <class Object>
auto made(int argument) {
  return [argument] { return std::make_unique<Object>(argument); };
}

constexpr auto nothing = [](auto&) {};
constexpr auto alone = [](auto& m) {
  m.lock();
  m.unlock();
};
constexpr auto sharing = [](auto& m) {
  m.lock_shared();
  m.unlock_shared();
};

TEST(BodySynchronisation, AnUnlockWithTheNextLock) {
  expect_order(made<heddle::mutex>(), alone, alone);
  expect_order(made<heddle::recursive_mutex>(), alone, alone);
  expect_order(made<heddle::timed_mutex>(), alone, alone);
  expect_order(made<heddle::recursive_timed_mutex>(), alone, alone);
  expect_order(made<heddle::shared_mutex>(), alone, alone);
  expect_race(made<heddle::mutex>(), nothing, alone);
  expect_race(made<heddle::mutex>(), alone, nothing);
}

TEST(BodySynchronisation, AnInnerUnlockOfARecursiveMutexWithNobody) {
  const auto once_too_few = [](auto& m) {
    m.lock();
    m.lock();
    m.unlock();
  };
  const auto a_try = [](auto& m) { require(!m.try_lock(), "held"); };
  expect_race(made<heddle::recursive_mutex>(), once_too_few, a_try);
}

TEST(BodySynchronisation, ATimedLockAsALock) {
  const auto timed = [](auto& m) { return m.try_lock_for(1s) && (m.unlock(), true); };
  const auto timed_sharing = [](auto& m) {
    return m.try_lock_shared_for(1s) && (m.unlock_shared(), true);
  };
  expect_order_if_it_succeeds(made<heddle::timed_mutex>(), alone, timed);
  expect_order_if_it_succeeds(made<heddle::recursive_timed_mutex>(), timed, timed);
  expect_order_if_it_succeeds(made<heddle::shared_timed_mutex>(), timed, timed_sharing);
  expect_order_if_it_succeeds(made<heddle::shared_timed_mutex>(), timed_sharing, timed);
  expect_order(made<heddle::shared_timed_mutex>(), timed_sharing, alone);
  expect_race(made<heddle::shared_timed_mutex>(), timed_sharing, timed_sharing);
}

TEST(BodySynchronisation, ThoseThatShareWithThoseThatHoldAlone) {
  expect_order(made<heddle::shared_mutex>(), alone, sharing);
  expect_order(made<heddle::shared_mutex>(), sharing, alone);
}

TEST(BodySynchronisation, ThoseThatShareNotWithEachOther) {
  expect_race(made<heddle::shared_mutex>(), sharing, sharing);
  // not either when somebody has held it before
  const auto held_before = [] {
    auto m = std::make_unique<heddle::shared_mutex>();
    alone(*m);
    return m;
  };
  expect_race(held_before, sharing, sharing);
  expect_order(held_before, alone, sharing);
}

// ... nor through a third one.
TEST(BodySynchronisation, WhoSharesKnowsOfHoldersBehindOthersThatShare) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::shared_mutex mutex;
      var<int> data{0};
      atomic<int> stage{0};
      const auto wait_for = [&](int wanted) {
        heddle::await(
            stage, [wanted](int value) { return value == wanted; }, std::memory_order_relaxed);
      };
      thread writer([&] {
        mutex.lock();
        data = 1;
        mutex.unlock();
        mutex.lock();
        data = 2;
        mutex.unlock();
        stage.store(1, std::memory_order_relaxed);
      });
      thread between([&] {
        wait_for(1);
        sharing(mutex);
        stage.store(2, std::memory_order_relaxed);
      });
      wait_for(2);
      mutex.lock_shared();
      require(data == 2, "what the last holder wrote");
      mutex.unlock_shared();
      writer.join();
      between.join();
    });
    EXPECT_VERIFIED(r);
    EXPECT_EQ(r.executions, 1u) << to_string(m);
    EXPECT_EQ(r.blocked, 0u) << to_string(m);
  }
}

TEST(BodySynchronisation, AReleaseWithTheAcquireThatItServes) {
  using semaphore = heddle::counting_semaphore<2>;
  const auto release = [](auto& s) { s.release(); };
  const auto acquire = [](auto& s) { s.acquire(); };
  const auto try_acquire = [](auto& s) { return s.try_acquire(); };
  const auto timed = [](auto& s) { return s.try_acquire_for(1s); };
  expect_order(made<semaphore>(0), release, acquire);
  expect_order_if_it_succeeds(made<semaphore>(0), release, try_acquire);
  expect_order_if_it_succeeds(made<semaphore>(0), release, timed);
  expect_race(made<semaphore>(0), release, nothing);
  expect_race(made<semaphore>(2), acquire, acquire);
}

TEST(BodySynchronisation, CountingDownWithTheWaits) {
  const auto count_down = [](auto& l) { l.count_down(); };
  const auto wait = [](auto& l) { l.wait(); };
  const auto try_wait = [](auto& l) { return l.try_wait(); };
  expect_order(made<heddle::latch>(1), count_down, wait);
  expect_race(made<heddle::latch>(1), count_down, nothing);
  expect_race(made<heddle::latch>(2), count_down, count_down);
  expect_order_if_it_succeeds(made<heddle::latch>(1), count_down, try_wait);
}

using barrier = heddle::barrier<>;

TEST(BodySynchronisation, ArrivalsWithTheWaits) {
  const auto arrive = [](auto& b) { (void)b.arrive(); };
  const auto meet = [](auto& b) { b.arrive_and_wait(); };
  const auto drop = [](auto& b) { b.arrive_and_drop(); };
  expect_order(made<barrier>(2), arrive, meet);
  expect_order(made<barrier>(2), drop, meet);
  expect_race(made<barrier>(2), nothing, [](auto& b) {
    auto token = b.arrive(2);
    b.wait(std::move(token));
  });
}

TEST(BodySynchronisation, ArrivalsNotWithEachOther) {
  const auto arrive = [](auto& b) { (void)b.arrive(); };
  expect_race(made<barrier>(3), arrive, arrive);
}

TEST(BodySynchronisation, ArrivalsWithTheCompletionAndItWithTheWaits) {
  for (const model m : models) {
    const result r = check({.memory_model = m}, [] {
      var<int> first{0};
      var<int> second{0};
      var<int> sum{0};
      const auto add = [&]() noexcept { sum = first + second; };
      heddle::barrier meeting(2, add);
      thread t([&] {
        first = 1;
        meeting.arrive_and_wait();
        require(sum == 3, "the sum");
      });
      second = 2;
      meeting.arrive_and_wait();
      require(sum == 3, "the sum");
      t.join();
    });
    EXPECT_VERIFIED(r);
    EXPECT_EQ(r.executions, 2u) << to_string(m);  // who is the last
    EXPECT_EQ(r.blocked, 0u) << to_string(m);
  }
}

TEST(BodySynchronisation, TheOneThatRanWithAllThatCallOnce) {
  const auto call = [](heddle::once_flag& flag) { heddle::call_once(flag, [] {}); };
  expect_order(made<heddle::once_flag>(), call, call);
  expect_race(made<heddle::once_flag>(), call, nothing);
}

// --- what goes wrong without them

template <class Enter, class Leave>
result sum_of_two(Enter enter, Leave leave) {
  return check([=] {
    var<int> sum{0};
    const auto add = [&] {
      enter();
      sum += 1;
      leave();
    };
    thread t(add);
    add();
    t.join();
    require(sum == 2, "an addition was lost");
  });
}

TEST(BodySynchronisation, WithoutAPrimitiveTheSameProgramRaces) {
  const auto none = [] {};
  EXPECT_VIOLATION(sum_of_two(none, none), verdict_kind::data_race);
}

TEST(BodySynchronisation, AnUninitialisedSingletonRaces) {
  const result r = check([] {
    var<int> value{0};
    const auto initialise = [&] {
      if (value == 0) value = 42;
    };
    thread t(initialise);
    initialise();
    t.join();
  });
  EXPECT_VIOLATION(r, verdict_kind::data_race);
}

// --- how it reads

TEST(BodySynchronisation, ValuesOfPrimitivesReadAsWhatTheyMean) {
  const result stale = check([] {
    heddle::shared_timed_mutex table;
    heddle::name(table, "table");
    atomic<bool> left{false};
    thread t([&] {
      sharing(table);
      left.store(true, std::memory_order_relaxed);
    });
    heddle::await(
        left, [](bool value) { return value; }, std::memory_order_relaxed);
    require(table.try_lock_for(1s), "it has left");
    table.unlock();
    t.join();
  });
  EXPECT_TRUE(contains(stale.report(), "reads table = shared by thread 1, written by #2"))
      << stale.report();
  EXPECT_TRUE(contains(stale.report(), "which wrote free")) << stale.report();

  const result few = check([] {
    heddle::barrier<> meeting(2);
    heddle::name(meeting, "meeting");
    meeting.arrive_and_wait();
  });
  EXPECT_EQ(few.message, "thread 0 waits at the barrier meeting, where 1 of 2 have not arrived");

  const result stuck = check([] {
    heddle::once_flag flag;
    heddle::latch never(1);
    heddle::name(flag, "setup");
    heddle::name(never, "never");
    thread t([&] { heddle::call_once(flag, [&] { never.wait(); }); });
    heddle::call_once(flag, [] {});
    t.join();
  });
  EXPECT_EQ(stuck.message,
            "thread 0 waits for setup, whose function thread 1 runs; "
            "thread 1 waits at the latch never, whose count is 1");
}

TEST(BodySynchronisation, ABarrierReadsWellInATrace) {
  const result r = check([] {
    heddle::barrier<> meeting(2);
    heddle::name(meeting, "meeting");
    thread t([&] { meeting.arrive_and_drop(); });
    meeting.arrive_and_wait();
    t.join();
    require(false, "to see the trace");
  });
  const std::string text = r.report();
  for (const char* phrase : {"arrive meeting, phase 0", "arrive_and_drop meeting, phase 0",
                             "1 to come", "0 to come", "all have arrived at meeting, phase 0",
                             "complete meeting, phase 0", "go on from meeting, into phase 1"})
    EXPECT_TRUE(contains(text, phrase)) << phrase << '\n' << text;
}

TEST(BodySynchronisation, ASharedMutexShowsOnlyWhatIsAskedOfIt) {
  const result r = check([] {
    heddle::shared_mutex table;
    heddle::name(table, "table");
    alone(table);
    table.lock_shared();
    require(false, "to see the trace");
  });
  EXPECT_TRUE(contains(r.report(), " 1  lock table")) << r.report();
  EXPECT_TRUE(contains(r.report(), " 2  unlock table")) << r.report();
  EXPECT_TRUE(contains(r.report(), " 3  lock_shared table")) << r.report();
  EXPECT_FALSE(contains(r.report(), " 4  ")) << r.report();
}

}  // namespace
