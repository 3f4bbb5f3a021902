// heddle::atomic inside a body: the kinds of T, each held against what std::atomic<T> returns, and
// what threads make of them together.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <deque>
#include <limits>
#include <list>
#include <memory>
#include <vector>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"

namespace {

using heddle::check;
using heddle::require;

// --- integers of every width

template <class T>
class BodyIntegers : public testing::Test {};

using integers = testing::Types<char, signed char, unsigned char, short, unsigned short, int,
                                unsigned int, long, unsigned long, long long, unsigned long long,
                                char8_t, char16_t, char32_t, wchar_t>;
TYPED_TEST_SUITE(BodyIntegers, integers);

// Everything an atomic integer returns, and its value after each operation.
template <class T, class Atomic>
std::vector<T> integer_results(Atomic& x) {
  std::vector<T> all;
  const auto note = [&](T result) {
    all.push_back(result);
    all.push_back(x.load());
  };
  constexpr T max = std::numeric_limits<T>::max();
  note(x.fetch_add(3));
  note(x.exchange(max));
  note(x.fetch_add(1));
  note(x.fetch_sub(1));
  note(x.fetch_add(max));
  note(x.fetch_and(static_cast<T>(0x5a)));
  note(x.fetch_or(static_cast<T>(0x21)));
  note(x.fetch_xor(max));
  x.store(static_cast<T>(0));
  note(x.fetch_sub(1));
  note(++x);
  note(x++);
  note(--x);
  note(x--);
  note(x += static_cast<T>(100));
  note(x += static_cast<T>(100));
  note(x -= static_cast<T>(77));
  note(x |= static_cast<T>(0x40));
  note(x &= static_cast<T>(0x7c));
  note(x ^= static_cast<T>(0x11));
  note(x = static_cast<T>(42));
  note(static_cast<T>(x));
  T expected = static_cast<T>(41);
  note(static_cast<T>(x.compare_exchange_strong(expected, static_cast<T>(1))));
  note(expected);
  note(static_cast<T>(x.compare_exchange_weak(expected, static_cast<T>(2))));
  note(expected);
  return all;
}

TYPED_TEST(BodyIntegers, ReturnWhatStdAtomicReturns) {
  const heddle::result r = check([] {
    heddle::atomic<TypeParam> x{static_cast<TypeParam>(5)};
    std::atomic<TypeParam> y{static_cast<TypeParam>(5)};
    require(integer_results<TypeParam>(x) == integer_results<TypeParam>(y), "as std::atomic");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 1u);
}

TYPED_TEST(BodyIntegers, AdditionsOfTwoThreadsWrapAround) {
  using limits = std::numeric_limits<TypeParam>;
  const heddle::result r = check([] {
    heddle::atomic<TypeParam> x{limits::max()};
    heddle::thread t([&] { x.fetch_add(2, std::memory_order_relaxed); });
    x.fetch_sub(1, std::memory_order_relaxed);
    t.join();
    require(x.load() == limits::min(), "max + 2 - 1 is min");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

TYPED_TEST(BodyIntegers, AnAwaitOfAnotherThreadSeesTheValue) {
  const heddle::result r = check([] {
    heddle::atomic<TypeParam> x{};
    heddle::thread t([&] { --x; });
    const TypeParam seen = heddle::await(x, [](TypeParam value) { return value != TypeParam{}; });
    t.join();
    require(seen == static_cast<TypeParam>(-1), "all ones");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 1u);
  EXPECT_EQ(r.blocked, 0u);
}

// --- other kinds

TEST(BodyAtomic, PointersMoveByObjects) {
  struct wide {
    char bytes[24];
  };
  const heddle::result r = check([] {
    std::array<wide, 8> objects;
    heddle::atomic<wide*> p{objects.data() + 2};
    heddle::thread t([&] { p.fetch_add(3, std::memory_order_relaxed); });
    p.fetch_sub(1);
    t.join();
    require(p.load() == objects.data() + 4, "2 + 3 - 1");
    require(++p == objects.data() + 5 && p++ == objects.data() + 5, "increments");
    require(--p == objects.data() + 5 && p-- == objects.data() + 5, "decrements");
    require((p += 2) == objects.data() + 6 && (p -= 5) == objects.data() + 1, "sums");
    wide* expected = nullptr;
    require(!p.compare_exchange_strong(expected, nullptr) && expected == objects.data() + 1,
            "a failed exchange loads");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

TEST(BodyAtomic, ConstructedFromAnotherThreadsPointer) {
  const heddle::result r = check([] {
    heddle::atomic<const int*> p{nullptr};
    heddle::thread t([&] { p.store(new int(7), std::memory_order_release); });
    const int* const seen = p.load(std::memory_order_acquire);
    require(seen == nullptr || *seen == 7, "published");
    t.join();
    delete p.load();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

TEST(BodyAtomic, Bools) {
  const heddle::result r = check([] {
    heddle::atomic<bool> taken{false};
    heddle::atomic<int> winners{0};
    const auto take = [&] {
      if (!taken.exchange(true)) ++winners;
    };
    heddle::thread t(take);
    take();
    t.join();
    require(winners == 1 && taken, "one takes it");
    taken = false;
    bool expected = true;
    require(!taken.compare_exchange_strong(expected, true) && !expected, "a failure loads");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

TEST(BodyAtomic, Enumerations) {
  enum class state : std::uint8_t { idle, busy = 0x80, done = 0xff };
  const heddle::result r = check([] {
    heddle::atomic<state> s{state::idle};
    heddle::thread t([&] {
      state expected = state::idle;
      if (s.compare_exchange_strong(expected, state::busy)) {
        s = state::done;
      } else {
        require(expected == state::done, "nobody else is busy");
      }
    });
    state expected = state::idle;
    if (s.compare_exchange_strong(expected, state::done)) {
      require(s.exchange(state::done) == state::done, "mine");
    } else {
      require(expected == state::busy || expected == state::done, "one of the other's");
    }
    t.join();
    require(s.load() == state::done, "done in the end");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

template <class T>
class BodyFloating : public testing::Test {};
using floating = testing::Types<float, double, long double>;
TYPED_TEST_SUITE(BodyFloating, floating);

TYPED_TEST(BodyFloating, AddAndSubtract) {
  const heddle::result r = check([] {
    heddle::atomic<TypeParam> x{TypeParam(0.5)};
    heddle::thread t([&] { x.fetch_add(TypeParam(2.25), std::memory_order_relaxed); });
    x.fetch_sub(TypeParam(1));
    t.join();
    require(x.load() == TypeParam(1.75), "the sum");
    require((x += TypeParam(1)) == TypeParam(2.75), "the new value");
    require((x -= TypeParam(2)) == TypeParam(0.75), "the new value");
    x = TypeParam(0);
    TypeParam expected = -TypeParam(0);
    require(!x.compare_exchange_strong(expected, TypeParam(1)), "compared by bits");
    require(x.compare_exchange_strong(expected, TypeParam(1)), "expected is the value now");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

struct pair_of_words {
  std::uint64_t first;
  std::uint64_t second;
};

TEST(BodyAtomic, SixteenBytesDoNotTear) {
  const heddle::result r = check([] {
    heddle::atomic<pair_of_words> x{pair_of_words{0, 0}};
    heddle::thread a([&] { x.store({1, 1}, std::memory_order_relaxed); });
    heddle::thread b([&] { x.store({~0ull, ~0ull}, std::memory_order_relaxed); });
    const pair_of_words seen = x.load(std::memory_order_relaxed);
    require(seen.first == seen.second, "torn");
    a.join();
    b.join();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 6u);
}

TEST(BodyAtomic, SixteenBytesAreComparedWhole) {
  const heddle::result r = check([] {
    heddle::atomic<pair_of_words> x{pair_of_words{0, 0}};
    const auto add = [&] {
      pair_of_words old = x.load(std::memory_order_relaxed);
      while (!x.compare_exchange_weak(old, {old.first + 1, old.second + 2})) {
      }
    };
    heddle::thread t(add);
    add();
    t.join();
    const pair_of_words sum = x.load();
    require(sum.first == 2 && sum.second == 4, "both additions");
    pair_of_words expected{2, 5};
    require(!x.compare_exchange_strong(expected, {0, 0}), "the second half differs");
    require(expected.first == 2 && expected.second == 4, "loaded");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyAtomic, StructsOfOddSizes) {
  struct three {
    std::uint8_t bytes[3];
  };
  struct twelve {
    std::uint32_t words[3];
  };
  const heddle::result r = check([] {
    heddle::atomic<three> x{three{{1, 2, 3}}};
    heddle::atomic<twelve> y{twelve{{1, 2, 3}}};
    heddle::thread t([&] {
      x.store({{4, 4, 4}});
      y.store({{5, 5, 5}});
    });
    const twelve later = y.load();
    const three earlier = x.load();
    require(later.words[2] == 3 || earlier.bytes[2] == 4, "in the order of the stores");
    t.join();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 3u);
}

// --- where they stand

constinit heddle::atomic<int> global{7};
constinit heddle::atomic_flag global_flag;

TEST(BodyAtomic, GlobalsStartAfreshInEveryExecution) {
  const heddle::result r = check([] {
    static constinit heddle::atomic<long> local_static{3};
    require(global.load() == 7 && local_static.load() == 3, "as constructed");
    require(!global_flag.test_and_set(), "clear at the start");
    heddle::thread t([] { global.fetch_add(1); });
    local_static.store(heddle::choose(2));
    global.fetch_add(1);
    t.join();
    require(global.load() == 9, "of this execution only");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 4u);
  EXPECT_EQ(global.load(), 7) << "the engine never writes the object";
}

TEST(BodyAtomic, AGlobalStoredOutsideStartsWithThat) {
  global.store(11);
  const heddle::result r = check([] { require(global.exchange(1) == 11, "as left outside"); });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(global.load(), 11);
  global.store(7);
}

TEST(BodyAtomic, AnAddressOnTheStackIsANewObjectEachTime) {
  const heddle::result r = check([] {
    for (int round = 0; round < 3; ++round) {
      heddle::atomic<int> x{round};
      heddle::thread t([&] { x.fetch_add(10, std::memory_order_relaxed); });
      const int seen = x.load(std::memory_order_relaxed);
      require(seen == round || seen == round + 10, "nothing of the last round");
      t.join();
    }
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 8u);
}

TEST(BodyAtomic, InContainersAndOnTheHeap) {
  const heddle::result r = check([] {
    std::vector<heddle::atomic<int>> many(3);
    std::deque<heddle::atomic<int>> deque;
    deque.emplace_back(1);
    std::list<heddle::atomic<short>> list;
    list.emplace_back(static_cast<short>(2));
    std::array<heddle::atomic<char>, 2> array{};
    const auto one = std::make_unique<heddle::atomic<int>>(4);
    heddle::thread t([&] {
      for (auto& x : many) x.fetch_add(1);
      deque.emplace_back(5).store(6);
      list.front() = 3;
      array[1] = 'x';
      one->store(8);
    });
    t.join();
    require(many[0] + many[1] + many[2] == 3, "the vector");
    require(deque[0] == 1 && deque[1] == 6, "the deque");
    require(list.front() == 3 && array[0] == 0 && array[1] == 'x' && *one == 8, "the others");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 1u);
}

TEST(BodyAtomic, MembersOfTwoObjectsAreDistinct) {
  struct counters {
    heddle::atomic<int> a{0};
    heddle::atomic<int> b{0};
  };
  const heddle::result r = check([] {
    const auto p = std::make_shared<counters>();
    heddle::thread t([p] { p->a.store(1, std::memory_order_relaxed); });
    p->b.store(1, std::memory_order_relaxed);
    t.join();
    require(p->a == 1 && p->b == 1, "both");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 1u) << "stores to different objects do not conflict";
}

TEST(BodyAtomic, TheFreeFunctionsDoTheSame) {
  const heddle::result r = check([] {
    heddle::atomic<int> x{1};
    heddle::atomic_store(&x, 2);
    require(heddle::atomic_load_explicit(&x, std::memory_order_acquire) == 2, "load");
    require(heddle::atomic_exchange(&x, 3) == 2, "exchange");
    require(heddle::atomic_fetch_add(&x, 4) == 3, "fetch_add");
    require(heddle::atomic_fetch_xor_explicit(&x, 1, std::memory_order_relaxed) == 7, "fetch_xor");
    int expected = 0;
    require(!heddle::atomic_compare_exchange_strong(&x, &expected, 9) && expected == 6, "failure");
    require(heddle::atomic_compare_exchange_weak(&x, &expected, 9) && x == 9, "success");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyAtomic, TheDefaultConstructedIsZero) {
  const heddle::result r = check([] {
    heddle::atomic<int> x;
    heddle::atomic<int*> p;
    require(x == 0 && p == nullptr, "value-initialised");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

}  // namespace
