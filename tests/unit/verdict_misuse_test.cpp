// Every misuse of a primitive that the layer knows: its message, the user's line, and the second
// place that belongs to it.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"

namespace {

using heddle::check;
using heddle::result;
using heddle::verdict_kind;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Where a body says that it will stand.
struct lines {
  int first = 0;
  int last = 0;
};

testing::AssertionResult stands_at(const std::string& where, lines expected) {
  for (int line = expected.first; line <= expected.last; ++line)
    if (where.ends_with("unit/verdict_misuse_test.cpp:" + std::to_string(line)))
      return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << '"' << where << "\" is not on the lines " << expected.first << " to " << expected.last;
}

// Runs a body that notes the line of its misuse.
template <class Body>
result expect_misuse(const std::string& message, Body body) {
  lines at;
  const result r = check([&at, body] { body(at); });
  EXPECT_EQ(r.verdict, verdict_kind::misuse) << r.report();
  EXPECT_TRUE(contains(r.message, message)) << r.message;
  EXPECT_TRUE(stands_at(r.where, at)) << message;
  EXPECT_TRUE(contains(r.report(), r.message) && contains(r.report(), r.where)) << r.report();
  return r;
}

// --- threads

TEST(VerdictMisuse, AJoinableThreadIsDestroyed) {
  lines start;
  const result r = expect_misuse("neither joined nor detached", [&start](lines& at) {
    at.first = start.first = __LINE__ + 1;
    heddle::thread t([] {});
    at.last = start.last = __LINE__ + 1;
  });
  EXPECT_TRUE(stands_at(r.other, start)) << "where it was started";
}

TEST(VerdictMisuse, AnExceptionPassesAJoinableThread) {
  int line = 0;
  const result r = check([&line] {
    heddle::thread t([] {});
    line = __LINE__ + 1;
    throw std::runtime_error("lost");
  });
  EXPECT_EQ(r.verdict, verdict_kind::misuse);
  EXPECT_TRUE(contains(r.message, "while an exception leaves the scope that was thrown at"))
      << r.message;
  EXPECT_TRUE(contains(r.message, "verdict_misuse_test.cpp:" + std::to_string(line))) << r.message;
}

TEST(VerdictMisuse, AJoinableThreadIsAssignedTo) {
  expect_misuse("a joinable thread is assigned to", [](lines& at) {
    heddle::thread t([] {});
    at.first = at.last = __LINE__ + 1;
    t = heddle::thread();
  });
}

TEST(VerdictMisuse, JoinAndDetachOfWhatIsNotJoinable) {
  expect_misuse("join of a thread that is not joinable", [](lines& at) {
    heddle::thread t([] {});
    t.join();
    at.first = at.last = __LINE__ + 1;
    t.join();
  });
  expect_misuse("join of a thread that is not joinable", [](lines& at) {
    heddle::thread t([] {});
    t.detach();
    at.first = at.last = __LINE__ + 1;
    t.join();
  });
  expect_misuse("join of a thread that is not joinable", [](lines& at) {
    heddle::thread none;
    at.first = at.last = __LINE__ + 1;
    none.join();
  });
  expect_misuse("detach of a thread that is not joinable", [](lines& at) {
    heddle::thread t([] {});
    heddle::thread moved = std::move(t);
    moved.detach();
    at.first = at.last = __LINE__ + 1;
    t.detach();
  });
}

TEST(VerdictMisuse, AThreadJoinsItself) {
  expect_misuse("a thread joins itself", [](lines& at) {
    heddle::atomic<bool> ready{false};
    heddle::thread t;
    t = heddle::thread([&] {
      heddle::await(ready, [](bool value) { return value; });
      at.first = at.last = __LINE__ + 1;
      t.join();
    });
    ready = true;
    heddle::await(ready, [](bool value) { return !value; });
  });
}

// --- mutexes

TEST(VerdictMisuse, AMutexIsLockedTwice) {
  expect_misuse("locked by the thread that holds it already", [](lines& at) {
    heddle::mutex mutex;
    mutex.lock();
    at.first = at.last = __LINE__ + 1;
    mutex.lock();
  });
  expect_misuse("locked by the thread that holds it already", [](lines& at) {
    heddle::mutex mutex;
    const heddle::lock_guard outer(mutex);
    at.first = at.last = __LINE__ + 1;
    const heddle::lock_guard inner(mutex);
  });
  expect_misuse("try_lock of a mutex by the thread that holds it already", [](lines& at) {
    heddle::mutex mutex;
    const heddle::lock_guard outer(mutex);
    at.first = at.last = __LINE__ + 1;
    (void)mutex.try_lock();
  });
}

TEST(VerdictMisuse, AMutexIsUnlockedByAThreadThatDoesNotHoldIt) {
  expect_misuse("unlocked by a thread that does not hold it", [](lines& at) {
    heddle::mutex mutex;
    at.first = at.last = __LINE__ + 1;
    mutex.unlock();
  });
  expect_misuse("unlocked by a thread that does not hold it", [](lines& at) {
    heddle::mutex mutex;
    mutex.lock();
    heddle::thread t([&] {
      at.first = at.last = __LINE__ + 1;
      mutex.unlock();
    });
    t.join();
    mutex.unlock();
  });
  expect_misuse("unlocked by a thread that does not hold it", [](lines& at) {
    heddle::mutex mutex;
    at.first = __LINE__ + 1;
    const heddle::lock_guard guard(mutex, heddle::adopt_lock);
    at.last = __LINE__ + 1;
  });
}

TEST(VerdictMisuse, AMutexIsDestroyedWhileHeld) {
  expect_misuse("destroyed while a thread holds it", [](lines& at) {
    at.first = __LINE__ + 1;
    heddle::mutex mutex;
    mutex.lock();
    at.last = __LINE__ + 1;
  });
  expect_misuse("destroyed while a thread holds it", [](lines& at) {
    std::optional<heddle::mutex> mutex(std::in_place);
    heddle::thread t([&] { mutex->lock(); });
    t.join();
    at.first = at.last = __LINE__ + 1;
    mutex.reset();
  });
}

TEST(VerdictMisuse, ThroughStdsGuards) {
  const result r = check([] {
    heddle::mutex mutex;
    const std::lock_guard outer(mutex);
    const std::lock_guard inner(mutex);
  });
  EXPECT_EQ(r.verdict, verdict_kind::misuse);
}

// The second place too: where the thread took the lock, or last used it.
template <class Body>
void expect_misuse_at_two(const std::string& message, Body body) {
  lines other;
  const result r = expect_misuse(message, [&other, body](lines& at) { body(at, other); });
  EXPECT_TRUE(stands_at(r.other, other)) << message << ": " << r.other;
}

TEST(VerdictMisuse, ARecursiveMutexIsUnlockedOrDestroyedWrongly) {
  expect_misuse_at_two("a mutex is unlocked by a thread that does not hold it",
                       [](lines& at, lines& other) {
                         heddle::recursive_mutex mutex;
                         mutex.lock();
                         mutex.lock();
                         mutex.unlock();
                         other.first = other.last = __LINE__ + 1;
                         mutex.unlock();
                         at.first = at.last = __LINE__ + 1;
                         mutex.unlock();
                       });
  expect_misuse_at_two("a mutex is destroyed while a thread holds it", [](lines& at, lines& other) {
    std::optional<heddle::recursive_mutex> mutex(std::in_place);
    other.first = other.last = __LINE__ + 1;
    mutex->lock();
    mutex->lock();
    mutex->unlock();
    at.first = at.last = __LINE__ + 1;
    mutex.reset();
  });
}

TEST(VerdictMisuse, ATimedMutexIsTakenTwice) {
  using namespace std::chrono_literals;
  expect_misuse_at_two("a mutex is locked by the thread that holds it already",
                       [](lines& at, lines& other) {
                         heddle::timed_mutex mutex;
                         other.first = other.last = __LINE__ + 1;
                         if (!mutex.try_lock_for(1s)) return;
                         at.first = at.last = __LINE__ + 1;
                         mutex.lock();
                       });
  expect_misuse_at_two("try_lock of a mutex by the thread that holds it already",
                       [](lines& at, lines& other) {
                         heddle::timed_mutex mutex;
                         other.first = other.last = __LINE__ + 1;
                         const heddle::lock_guard guard(mutex);
                         at.first = at.last = __LINE__ + 1;
                         (void)mutex.try_lock_for(1s);
                       });
  expect_misuse_at_two("try_lock of a mutex by the thread that holds it already",
                       [](lines& at, lines& other) {
                         heddle::timed_mutex mutex;
                         other.first = other.last = __LINE__ + 1;
                         const heddle::lock_guard guard(mutex);
                         at.first = at.last = __LINE__ + 1;
                         const heddle::unique_lock again(mutex, heddle::steady_clock::now());
                       });
}

// How a thread has a shared mutex, and what it then does with it again.
template <class Take, class Again>
void expect_misuse_again(const std::string& message, Take take, Again again) {
  expect_misuse_at_two(message, [take, again](lines& at, lines& other) {
    heddle::shared_timed_mutex mutex;
    take(mutex, other);
    again(mutex, at);
  });
}

TEST(VerdictMisuse, ASharedMutexIsTakenTwice) {
  using namespace std::chrono_literals;
  using mutex = heddle::shared_timed_mutex;
  const auto alone = [](mutex& m, lines& at) {
    at.first = at.last = __LINE__ + 1;
    m.lock();
  };
  const auto shared = [](mutex& m, lines& at) {
    at.first = at.last = __LINE__ + 1;
    m.lock_shared();
  };
  const auto try_alone = [](mutex& m, lines& at) {
    at.first = at.last = __LINE__ + 1;
    (void)m.try_lock();
  };
  const auto try_shared = [](mutex& m, lines& at) {
    at.first = at.last = __LINE__ + 1;
    (void)m.try_lock_shared();
  };
  const auto timed_alone = [](mutex& m, lines& at) {
    at.first = at.last = __LINE__ + 1;
    (void)m.try_lock_for(1s);
  };
  const auto timed_shared = [](mutex& m, lines& at) {
    at.first = at.last = __LINE__ + 1;
    const heddle::shared_lock lock(m, 1s);
  };
  const auto twice = [](auto take, const std::string& has, auto... again) {
    int i = 0;
    const char* const calls[] = {"lock", "lock_shared", "try_lock", "try_lock_shared"};
    (expect_misuse_again(
         std::string(calls[i++ % 4]) + " of a shared mutex by a thread that " + has + " it already",
         take, again),
     ...);
  };
  twice(alone, "holds", alone, shared, try_alone, try_shared);
  twice(shared, "shares", alone, shared, try_alone, try_shared);
  expect_misuse_again("try_lock of a shared mutex by a thread that shares it already", shared,
                      timed_alone);
  expect_misuse_again("try_lock_shared of a shared mutex by a thread that holds it already", alone,
                      timed_shared);
}

TEST(VerdictMisuse, ASharedMutexIsUnlockedInTheWrongWay) {
  expect_misuse_at_two("unlock of a shared mutex by a thread that shares it",
                       [](lines& at, lines& other) {
                         heddle::shared_mutex mutex;
                         other.first = other.last = __LINE__ + 1;
                         mutex.lock_shared();
                         at.first = at.last = __LINE__ + 1;
                         mutex.unlock();
                       });
  expect_misuse_at_two("unlock_shared of a shared mutex by a thread that holds it alone",
                       [](lines& at, lines& other) {
                         heddle::shared_mutex mutex;
                         other.first = other.last = __LINE__ + 1;
                         mutex.lock();
                         at.first = at.last = __LINE__ + 1;
                         mutex.unlock_shared();
                       });
  expect_misuse_at_two("unlock_shared of a shared mutex by a thread that does not share it",
                       [](lines& at, lines& other) {
                         heddle::shared_mutex mutex;
                         mutex.lock_shared();
                         other.first = other.last = __LINE__ + 1;
                         mutex.unlock_shared();
                         at.first = at.last = __LINE__ + 1;
                         mutex.unlock_shared();
                       });
  expect_misuse("unlock of a shared mutex by a thread that does not hold it", [](lines& at) {
    heddle::shared_mutex mutex;
    mutex.lock();
    heddle::thread t([&] {
      at.first = at.last = __LINE__ + 1;
      mutex.unlock();
    });
    t.join();
  });
}

TEST(VerdictMisuse, ASharedMutexIsDestroyedWhileSomebodyHasIt) {
  expect_misuse_at_two("a shared mutex is destroyed while a thread holds it",
                       [](lines& at, lines& other) {
                         std::optional<heddle::shared_mutex> mutex(std::in_place);
                         other.first = other.last = __LINE__ + 1;
                         heddle::thread t([&] { mutex->lock(); });
                         t.join();
                         at.first = at.last = __LINE__ + 1;
                         mutex.reset();
                       });
  expect_misuse_at_two("a shared mutex is destroyed while a thread shares it",
                       [](lines& at, lines& other) {
                         std::optional<heddle::shared_mutex> mutex(std::in_place);
                         other.first = other.last = __LINE__ + 1;
                         heddle::thread t([&] { mutex->lock_shared(); });
                         t.join();
                         at.first = at.last = __LINE__ + 1;
                         mutex.reset();
                       });
}

// Turns are counted beside the holder, and are not taken for one.
TEST(VerdictMisuse, ASharedMutexIsStillKnownAfterOthersHeldIt) {
  expect_misuse("lock of a shared mutex by a thread that holds it already", [](lines& at) {
    heddle::shared_mutex mutex;
    for (int i = 0; i < 3; ++i) {
      mutex.lock();
      mutex.unlock();
    }
    mutex.lock();
    at.first = at.last = __LINE__ + 1;
    mutex.lock();
  });
  expect_misuse("unlock of a shared mutex by a thread that does not hold it", [](lines& at) {
    heddle::shared_mutex mutex;
    mutex.lock();
    mutex.unlock();
    at.first = at.last = __LINE__ + 1;
    mutex.unlock();
  });
}

// --- barriers

TEST(VerdictMisuse, ABarrierIsWaitedAtWithATokenThatIsNotItsOwnOrTooOld) {
  lines made;
  const result r = expect_misuse("a phase before the last one", [&made](lines& at) {
    made.first = made.last = __LINE__ + 1;
    heddle::barrier<> meeting(1);
    auto token = meeting.arrive();
    meeting.arrive_and_wait();
    meeting.arrive_and_wait();
    at.first = at.last = __LINE__ + 1;
    meeting.wait(std::move(token));
  });
  EXPECT_TRUE(stands_at(r.other, made)) << "where it was made";
  expect_misuse("a wait with the token of another barrier", [](lines& at) {
    heddle::barrier<> first(1);
    heddle::barrier<> second(1);
    at.first = at.last = __LINE__ + 1;
    second.wait(first.arrive());
  });
}

// --- memory orders

TEST(VerdictMisuse, OrdersThatAnOperationCannotHave) {
  for (const auto order : {std::memory_order_release, std::memory_order_acq_rel}) {
    expect_misuse("an atomic load cannot have the order", [order](lines& at) {
      const heddle::atomic<int> x{0};
      at.first = at.last = __LINE__ + 1;
      (void)x.load(order);
    });
    expect_misuse("an atomic load cannot have the order", [order](lines& at) {
      heddle::atomic<int> x{0};
      at.first = at.last = __LINE__ + 1;
      heddle::await(
          x, [](int value) { return value == 0; }, order);
    });
    expect_misuse("an atomic load cannot have the order", [order](lines& at) {
      const heddle::atomic_flag flag;
      at.first = at.last = __LINE__ + 1;
      (void)flag.test(order);
    });
    expect_misuse("compare_exchange cannot have the failure order", [order](lines& at) {
      heddle::atomic<int> x{0};
      int expected = 0;
      at.first = at.last = __LINE__ + 1;
      x.compare_exchange_strong(expected, 1, std::memory_order_seq_cst, order);
    });
  }
  for (const auto order :
       {std::memory_order_acquire, std::memory_order_consume, std::memory_order_acq_rel}) {
    expect_misuse("an atomic store cannot have the order", [order](lines& at) {
      heddle::atomic<int> x{0};
      at.first = at.last = __LINE__ + 1;
      x.store(1, order);
    });
    expect_misuse("an atomic store cannot have the order", [order](lines& at) {
      heddle::atomic_flag flag;
      at.first = at.last = __LINE__ + 1;
      flag.clear(order);
    });
  }
}

TEST(VerdictMisuse, AChoiceAmongNothing) {
  for (const int count : {0, -1}) {
    expect_misuse("n must be at least 1", [count](lines& at) {
      at.first = at.last = __LINE__ + 1;
      (void)heddle::choose(count);
    });
  }
  expect_misuse("less than 2^32", [](lines& at) {
    at.first = at.last = __LINE__ + 1;
    (void)heddle::choose(1ull << 32);
  });
}

}  // namespace
