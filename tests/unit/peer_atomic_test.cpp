// The tests of a peer, the Rust library loom: atomic.rs, atomic_int.rs, atomic_relaxed.rs,
// smoke.rs.
//
// Of atomic.rs, body_static_test.cpp has lazy_static_arc_shutdown (IsNotToBeUsedAfterTheBodysEnd),
// lazy_static_arc_race (TwoThreadsUseOneEvenIfItsConstructorYields) and lazy_static_arc_doesnt_leak
// (IsDestroyedAtTheEndOfTheBodyBeforeAnotherOneIsMade). Not anywhere: invalid_unsync_load_relaxed,
// for an atomic object has no access that is not atomic.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>
#include <heddle/scenario.hpp>
#include <limits>
#include <optional>

#include "tests/unit/peer_checks.hpp"

namespace {

using heddle::atomic;
using heddle::check;
using heddle::model;
using heddle::require;
using heddle::result;
using heddle::thread;
using heddle::verdict_kind;
using peer::expect_fails;
using peer::expect_passes;

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

// --- atomic.rs -----------------------------------------------------------------------------------

struct seed_source {
  seed_source() { seed.store(42, relaxed); }
  atomic<int> seed;
};
atomic<int>& lazy_seed() {
  static seed_source made;
  return made.seed;
}
thread_local const int own_seed = lazy_seed().load(relaxed);

// legal_load_after_lazy_static
TEST(PeerAtomic, AThreadLocalMayBeInitialisedFromALazyStatic) {
  // who makes the static
  expect_passes(2, [] {
    thread one([] { require(own_seed == 42, "not initialised"); });
    thread two([] { require(own_seed == 42, "not initialised"); });
    one.join();
    two.join();
  });
}

// compare_and_swap_reads_old_values, which the peer expects to fail and ignores: that both objects
// end as 2. They cannot. An exchange that has read the 0 stands right after it in modification
// order, so the other thread's 1 comes after the 2, and is seen after the join. But both exchanges
// may succeed: the two orders and the two program orders form a cycle, and C++ lets it be as long
// as nothing is sequentially consistent. A store and an exchange in that order are not swapped by
// TSO.
TEST(PeerAtomic, BothExchangesMayReadTheInitialValuesAndNeitherIsTheLast) {
  for (const model m : peer::models) {
    const result r = check({.memory_model = m}, [] {
      atomic<int> a{0};
      atomic<int> b{0};
      bool won_b = false;
      thread other([&] {
        a.store(1, release);
        int expected = 0;
        won_b = b.compare_exchange_strong(expected, 2, std::memory_order_acq_rel, acquire);
      });
      b.store(1, release);
      int expected = 0;
      const bool won_a = a.compare_exchange_strong(expected, 2, std::memory_order_acq_rel, acquire);
      other.join();
      if (won_a && won_b) heddle::reached("both succeed");
      require(a.load(acquire) == 1, "a was overwritten");
      require(b.load(acquire) == 1, "b was overwritten");
    });
    EXPECT_VERIFIED(r);
    EXPECT_EQ(r.executions, m == model::rc11 ? 4u : 3u) << to_string(m);
    EXPECT_EQ(r.reached.size(), m == model::rc11 ? 1u : 0u) << to_string(m);
  }
}

// fetch_add_atomic
TEST(PeerAtomic, RelaxedAdditionsReturnDifferentValues) {
  expect_passes(2, [] {
    atomic<int> x{0};
    int theirs = 0;
    thread other([&] { theirs = x.fetch_add(1, relaxed); });
    const int mine = x.fetch_add(1, relaxed);
    other.join();
    require(mine != theirs, "an addition was lost");
  });
}

// --- atomic_int.rs -------------------------------------------------------------------------------

// What std:: has no member for, as one writes it. All return the old value.
template <class T, class Update>
std::optional<T> fetch_update(atomic<T>& x, Update update) {
  T old = x.load();
  while (const std::optional<T> next = update(old))
    if (x.compare_exchange_weak(old, *next)) return old;
  return std::nullopt;
}
template <class T>
T fetch_max(atomic<T>& x, T by) {
  return *fetch_update(x, [by](T old) { return std::optional{std::max(old, by)}; });
}
template <class T>
T fetch_min(atomic<T>& x, T by) {
  return *fetch_update(x, [by](T old) { return std::optional{std::min(old, by)}; });
}

template <class T>
class PeerAtomicInt : public testing::Test {};
using integers =
    testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                   std::uint32_t, std::int64_t, std::uint64_t, std::intptr_t, std::uintptr_t>;
TYPED_TEST_SUITE(PeerAtomicInt, integers);

// The body of one thread, for each pair of values at the edges.
template <class T, class Body>
void for_edges(Body body) {
  using limits = std::numeric_limits<T>;
  const T edges[] = {limits::min(),        static_cast<T>(limits::min() + 1), T{0},         T{1},
                     static_cast<T>(0x5A), static_cast<T>(limits::max() - 1), limits::max()};
  expect_passes(1, [=] {
    for (const T first : edges)
      for (const T second : edges) body(first, second);
  });
}

// xor
TYPED_TEST(PeerAtomicInt, XorChangesTheBits) {
  for_edges<TypeParam>([](TypeParam a, TypeParam b) {
    atomic<TypeParam> x{a};
    require(x.fetch_xor(b) == a, "the old value");
    require(x.load() == static_cast<TypeParam>(a ^ b), "the new one");
  });
}

// max
TYPED_TEST(PeerAtomicInt, MaxIsALoopOfExchanges) {
  for_edges<TypeParam>([](TypeParam a, TypeParam b) {
    atomic<TypeParam> x{a};
    require(fetch_max(x, b) == a, "the old value");
    require(x.load() == std::max(a, b), "the new one");
  });
}

// min
TYPED_TEST(PeerAtomicInt, MinIsALoopOfExchanges) {
  for_edges<TypeParam>([](TypeParam a, TypeParam b) {
    atomic<TypeParam> x{a};
    require(fetch_min(x, b) == a, "the old value");
    require(x.load() == std::min(a, b), "the new one");
  });
}

// compare_exchange
TYPED_TEST(PeerAtomicInt, CompareExchangeComparesAllBits) {
  for_edges<TypeParam>([](TypeParam a, TypeParam b) {
    atomic<TypeParam> x{a};
    const auto other = static_cast<TypeParam>(~a);
    TypeParam expected = other;
    require(!x.compare_exchange_strong(expected, b), "exchanged what is not there");
    require(expected == a && x.load() == a, "a failure changes only the expectation");
    require(x.compare_exchange_strong(expected, b), "not exchanged");
    require(expected == a && x.load() == b, "a success changes only the object");
  });
}

// compare_exchange_weak, which the peer ignores
TYPED_TEST(PeerAtomicInt, WeakCompareExchangeDoesTheSame) {
  for_edges<TypeParam>([](TypeParam a, TypeParam b) {
    atomic<TypeParam> x{a};
    auto expected = static_cast<TypeParam>(~a);
    require(!x.compare_exchange_weak(expected, b), "exchanged what is not there");
    require(expected == a && x.load() == a, "a failure changes only the expectation");
    while (!x.compare_exchange_weak(expected, b)) {
    }
    require(x.load() == b, "exchanged");
  });
}

// fetch_update
TYPED_TEST(PeerAtomicInt, AnUpdateMayDecline) {
  for_edges<TypeParam>([](TypeParam a, TypeParam b) {
    atomic<TypeParam> x{a};
    require(!fetch_update(x, [](TypeParam) { return std::optional<TypeParam>{}; }), "declined");
    require(x.load() == a, "changed");
    require(fetch_update(x, [b](TypeParam) { return std::optional{b}; }) == a, "the old value");
    require(x.load() == b, "the new one");
  });
}

// --- atomic_relaxed.rs ---------------------------------------------------------------------------

// compare_and_swap
TEST(PeerRelaxed, LoopsOfExchangesLoseNothing) {
  for (const model m : peer::models) {
    const result r = check({.memory_model = m}, [] {
      atomic<int> x{0};
      const auto add_one = [&x] {
        int seen = x.load(relaxed);
        while (!x.compare_exchange_weak(seen, seen + 1, relaxed)) {
        }
      };
      thread one(add_one);
      thread two(add_one);
      one.join();
      two.join();
      require(x.load(relaxed) == 2, "an addition was lost");
    });
    EXPECT_VERIFIED(r);
    // either is the first, and the other's load sees its exchange or does not
    EXPECT_EQ(r.executions, 4u) << to_string(m);
  }
}

auto message_passing(std::memory_order publish, std::memory_order look) {
  return [=] {
    atomic<int> data{0};
    atomic<bool> ready{false};
    thread writer([&] {
      data.store(1, relaxed);
      ready.store(true, publish);
    });
    if (ready.load(look)) require(data.load(relaxed) == 1, "stale");
    writer.join();
  };
}

// check_ordering_valid
TEST(PeerRelaxed, ReleaseAndAcquirePassTheMessage) {
  expect_passes(2, message_passing(release, acquire));
}

void expect_stale_in_rc11_only(std::memory_order publish, std::memory_order look) {
  for (const model m : peer::models) {
    const result r = check({.memory_model = m}, message_passing(publish, look));
    if (m == model::rc11) {
      EXPECT_VIOLATION(r, verdict_kind::assertion);
    } else {
      EXPECT_VERIFIED(r);  // neither swaps two stores, or two loads
    }
  }
}

// check_ordering_invalid_1
TEST(PeerRelaxed, ARelaxedLookAtTheFlagMaySeeStaleData) {
  expect_stale_in_rc11_only(release, relaxed);
}

// check_ordering_invalid_2
TEST(PeerRelaxed, WithoutAnyOrderTheDataMayBeStale) { expect_stale_in_rc11_only(relaxed, relaxed); }

// --- smoke.rs ------------------------------------------------------------------------------------

// checks_fail
TEST(PeerSmoke, ALoadAndAStoreAreNoIncrement) {
  expect_fails(verdict_kind::assertion, [] {
    atomic<int> number{0};
    const auto increment = [&number] {
      const int seen = number.load(acquire);
      number.store(seen + 1, release);
    };
    thread one(increment);
    thread two(increment);
    one.join();
    two.join();
    require(number.load(relaxed) == 2, "an increment was lost");
  });
}

}  // namespace
