// The end of a semaphore, a latch or a barrier: std lets all their member functions run at the same
// time, but for the destructor.
#include <gtest/gtest.h>

#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "tests/counting/counting_checks.hpp"

namespace {

using counting::contains;
using counting::expect_executions;
using counting::expect_failure;
using counting::is_line;
using heddle::atomic;
using heddle::check;
using heddle::model;
using heddle::result;
using heddle::thread;
using heddle::verdict_kind;

void wait_for(const atomic<bool>& flag, std::memory_order order) {
  heddle::await(
      flag, [](bool value) { return value; }, order);
}

// The line of the use, noted before it.
struct used_at {
  int line = 0;
};

constexpr auto wait = [](auto& object, used_at& at) {
  using object_type = std::remove_reference_t<decltype(object)>;
  if constexpr (std::is_same_v<object_type, heddle::latch>) {
    at.line = __LINE__ + 1;
    object.wait();
  } else if constexpr (std::is_same_v<object_type, heddle::barrier<>>) {
    at.line = __LINE__ + 1;
    object.arrive_and_wait();
  } else {
    at.line = __LINE__ + 1;
    object.acquire();
  }
};

constexpr auto use = [](auto& object, used_at& at) {
  using object_type = std::remove_reference_t<decltype(object)>;
  if constexpr (std::is_same_v<object_type, heddle::latch>) {
    at.line = __LINE__ + 1;
    object.count_down();
  } else if constexpr (std::is_same_v<object_type, heddle::barrier<>>) {
    at.line = __LINE__ + 1;
    (void)object.arrive();
  } else {
    at.line = __LINE__ + 1;
    object.release();
  }
};

template <class Object>
class Lifetime : public testing::Test {
 public:
  // With a count that lets nobody go on.
  static constexpr int count = std::is_same_v<Object, heddle::latch>       ? 1
                               : std::is_same_v<Object, heddle::barrier<>> ? 2
                                                                           : 0;
  static inline const std::string name = std::is_same_v<Object, heddle::latch> ? "a latch"
                                         : std::is_same_v<Object, heddle::barrier<>>
                                             ? "a barrier"
                                             : "a semaphore";
};

using objects = testing::Types<heddle::counting_semaphore<2>, heddle::latch, heddle::barrier<>>;
TYPED_TEST_SUITE(Lifetime, objects, );

TYPED_TEST(Lifetime, IsNotOverWhileAThreadWaits) {
  used_at at;
  const result r = expect_failure(verdict_kind::misuse,
                                  this->name + " is destroyed while thread 1 waits for it", [&] {
                                    atomic<bool> comes{false};
                                    std::optional<thread> t;
                                    {
                                      TypeParam object(this->count);
                                      t.emplace([&] {
                                        comes.store(true);
                                        wait(object, at);
                                      });
                                      wait_for(comes, std::memory_order_acquire);
                                    }
                                    t->join();
                                  });
  EXPECT_TRUE(contains(r.where, "lifetime_test.cpp")) << r.where;
  EXPECT_TRUE(is_line(r.other, __FILE__, at.line));
}

// Here threads stand at every operation, until it is their turn.
TYPED_TEST(Lifetime, IsNotOverForTheUnreducedSearchEither) {
  for (const bool waits : {false, true}) {
    used_at at;
    const result r =
        check({.memory_model = model::sc, .search = heddle::strategy::interleavings}, [&] {
          std::optional<thread> t;
          {
            TypeParam object(this->count);
            t.emplace([&] { waits ? wait(object, at) : use(object, at); });
          }
          t->join();
        });
    EXPECT_VIOLATION(r, verdict_kind::misuse);
    EXPECT_TRUE(contains(r.message, this->name)) << r.message;
    EXPECT_TRUE(is_line(r.where, __FILE__, at.line) || is_line(r.other, __FILE__, at.line))
        << r.report();
  }
}

// tso and sc order all atomics, so there the flag is enough.
TYPED_TEST(Lifetime, IsNotOverWhileAThreadMayStillBeInAFunction) {
  used_at at;
  const result r = check({.memory_model = model::rc11}, [&] {
    atomic<bool> has{false};
    std::optional<thread> t;
    {
      TypeParam object(this->count);
      t.emplace([&] {
        use(object, at);
        has.store(true, std::memory_order_relaxed);
      });
      wait_for(has, std::memory_order_relaxed);
    }
    t->join();
  });
  EXPECT_VIOLATION(r, verdict_kind::misuse);
  EXPECT_TRUE(contains(r.message, this->name + " is destroyed while thread 1 may still use it"))
      << r.message;
  EXPECT_TRUE(contains(r.where, "lifetime_test.cpp")) << r.where;
  EXPECT_TRUE(is_line(r.other, __FILE__, at.line));
}

TYPED_TEST(Lifetime, IsOverAfterTheDestructor) {
  for (const bool waits : {false, true}) {
    used_at at;
    const result r =
        expect_failure(verdict_kind::misuse, this->name + " is used after it was destroyed", [&] {
          atomic<bool> is_over{false};
          std::optional<thread> t;
          {
            TypeParam object(this->count);
            t.emplace([&] {
              wait_for(is_over, std::memory_order_acquire);
              waits ? wait(object, at) : use(object, at);
            });
          }
          is_over.store(true, std::memory_order_release);
          t->join();
        });
    EXPECT_TRUE(is_line(r.where, __FILE__, at.line));
    EXPECT_TRUE(contains(r.other, "lifetime_test.cpp")) << r.other;
  }
}

TYPED_TEST(Lifetime, MayEndOnceTheUsesHaveHappened) {
  const bool two_arrive = std::is_same_v<TypeParam, heddle::barrier<>>;
  expect_executions(two_arrive ? 2 : 1, [&] {
    std::optional<thread> t;
    {
      used_at at;
      TypeParam object(this->count);
      t.emplace([&object] {
        used_at mine;
        use(object, mine);
      });
      wait(object, at);
    }
    t->join();
  });
}

// A place is used again: what was there does not count.
TYPED_TEST(Lifetime, AnotherBeginsAtTheSamePlace) {
  expect_executions(1, [&] {
    std::optional<TypeParam> object;
    for (int round = 0; round < 2; ++round) {
      used_at at;
      object.emplace(1);
      use(*object, at);
      wait(*object, at);
    }
    object.reset();
    object.emplace(1);
  });
}

TEST(LifetimeOfALatch, IsNotOverForTheOtherWaiterWhenOneGoesOn) {
  // in std too: the other may not have returned from wait()
  expect_failure(verdict_kind::misuse, "a latch is ", [] {
    std::optional<heddle::latch> ready(std::in_place, 1);
    thread other([&] { ready->wait(); });
    ready->count_down();
    ready->wait();
    ready.reset();
    other.join();
  });
}

}  // namespace
