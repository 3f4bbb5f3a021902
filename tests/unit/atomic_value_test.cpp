// heddle::atomic outside a body: every member does what std::atomic's does, at the edges of each
// type; and the objects have std's size, alignment and constant initialisation.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

#include "heddle/atomic.hpp"

namespace {

enum class colour : std::uint16_t { none = 0, red = 1, last = 0xffff };

struct three {
  std::uint8_t bytes[3];
  friend bool operator==(const three&, const three&) = default;
};

struct sixteen {
  std::uint64_t head;
  std::uint64_t tail;
  friend bool operator==(const sixteen&, const sixteen&) = default;
};

struct twelve {
  std::uint32_t words[3];
  friend bool operator==(const twelve&, const twelve&) = default;
};

template <class T>
std::vector<T> edges() {
  if constexpr (std::is_same_v<T, bool>) {
    return {false, true};
  } else if constexpr (std::is_integral_v<T>) {
    using limits = std::numeric_limits<T>;
    return {T{0}, T{1}, T{2}, static_cast<T>(-1), limits::min(), limits::max(), T{0x55}};
  } else if constexpr (std::is_floating_point_v<T>) {
    using limits = std::numeric_limits<T>;
    return {T{0},
            -T{0},
            T{1},
            T{-1.5},
            limits::max(),
            limits::lowest(),
            limits::min(),
            limits::denorm_min(),
            limits::infinity()};
  } else if constexpr (std::is_same_v<T, colour>) {
    return {colour::none, colour::red, colour::last};
  } else if constexpr (std::is_same_v<T, three>) {
    return {three{{0, 0, 0}}, three{{1, 2, 255}}, three{{1, 2, 254}}};
  } else if constexpr (std::is_same_v<T, twelve>) {
    return {twelve{{0, 0, 0}}, twelve{{0, 0, 1}}, twelve{{0xffffffff, 2, 0xffffffff}}};
  } else {
    return {sixteen{0, 0}, sixteen{0, 1}, sixteen{~std::uint64_t{0}, ~std::uint64_t{0}}};
  }
}

// Equal as values, or as NaNs.
template <class T>
bool same(const T& a, const T& b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a == b ? std::signbit(a) == std::signbit(b) : a != a && b != b;
  } else {
    return a == b;
  }
}

template <class T>
class AtomicValue : public testing::Test {
 protected:
  // Does the same to a heddle::atomic and a std::atomic that hold `initial`; results and values
  // must not differ.
  template <class Operation>
  void expect_same(T initial, Operation operation) {
    heddle::atomic<T> ours(initial);
    std::atomic<T> theirs(initial);
    const T our_result = operation(ours);
    const T their_result = operation(theirs);
    EXPECT_TRUE(same(our_result, their_result));
    EXPECT_TRUE(same(ours.load(), theirs.load()));
  }

  template <class Operation>
  void for_all_pairs(Operation operation) {
    for (const T initial : edges<T>()) {
      for (const T operand : edges<T>()) {
        expect_same(initial, [&](auto& object) { return operation(object, operand); });
      }
    }
  }
};

using all_types = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                                 std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, char,
                                 char8_t, wchar_t, bool, float, double, colour>;
TYPED_TEST_SUITE(AtomicValue, all_types);

TYPED_TEST(AtomicValue, IsLaidOutLikeStds) {
  static_assert(sizeof(heddle::atomic<TypeParam>) == sizeof(std::atomic<TypeParam>));
  static_assert(alignof(heddle::atomic<TypeParam>) == alignof(std::atomic<TypeParam>));
  static_assert(heddle::atomic<TypeParam>::is_always_lock_free ==
                std::atomic<TypeParam>::is_always_lock_free);
  static_assert(std::is_trivially_destructible_v<heddle::atomic<TypeParam>>);
  static_assert(!std::is_copy_constructible_v<heddle::atomic<TypeParam>>);
  static_assert(!std::is_copy_assignable_v<heddle::atomic<TypeParam>>);
  static_assert(std::is_same_v<typename heddle::atomic<TypeParam>::value_type, TypeParam>);
}

TYPED_TEST(AtomicValue, DefaultIsTheValueInitialised) {
  heddle::atomic<TypeParam> object;
  EXPECT_TRUE(same(object.load(), TypeParam()));
}

TYPED_TEST(AtomicValue, LoadsStoresAndExchanges) {
  this->for_all_pairs([](auto& object, TypeParam operand) {
    object.store(operand, std::memory_order_release);
    return object.load(std::memory_order_acquire);
  });
  this->for_all_pairs([](auto& object, TypeParam operand) { return object.exchange(operand); });
  this->for_all_pairs(
      [](auto& object, TypeParam operand) -> TypeParam { return object = operand; });
  this->for_all_pairs([](auto& object, TypeParam) -> TypeParam { return object; });
}

TYPED_TEST(AtomicValue, ComparesAndExchangesBits) {
  const TypeParam desired = edges<TypeParam>().back();
  this->for_all_pairs([desired](auto& object, TypeParam expected) {
    object.compare_exchange_strong(expected, desired);
    return expected;
  });
  this->for_all_pairs([desired](auto& object, TypeParam expected) {
    object.compare_exchange_strong(expected, desired, std::memory_order_acq_rel);
    return expected;
  });
  this->for_all_pairs([desired](auto& object, TypeParam expected) {
    object.compare_exchange_strong(expected, desired, std::memory_order_release,
                                   std::memory_order_relaxed);
    return expected;
  });
  // std's weak form does not fail spuriously on this machine
  this->for_all_pairs([desired](auto& object, TypeParam expected) {
    return object.compare_exchange_weak(expected, desired) ? desired : expected;
  });
  this->for_all_pairs([desired](auto& object, TypeParam expected) {
    const bool done = object.compare_exchange_weak(expected, desired, std::memory_order_seq_cst,
                                                   std::memory_order_acquire);
    return done ? desired : expected;
  });
}

TYPED_TEST(AtomicValue, AddsAndSubtracts) {
  if constexpr (requires(std::atomic<TypeParam> a, TypeParam v) { a.fetch_add(v); }) {
    this->for_all_pairs([](auto& object, TypeParam operand) { return object.fetch_add(operand); });
    this->for_all_pairs([](auto& object, TypeParam operand) { return object.fetch_sub(operand); });
    this->for_all_pairs(
        [](auto& object, TypeParam operand) -> TypeParam { return object += operand; });
    this->for_all_pairs(
        [](auto& object, TypeParam operand) -> TypeParam { return object -= operand; });
  } else {
    static_assert(!requires(heddle::atomic<TypeParam> a, TypeParam v) { a.fetch_add(v); });
    static_assert(!requires(heddle::atomic<TypeParam> a, TypeParam v) { a += v; });
  }
}

TYPED_TEST(AtomicValue, IncrementsAndDecrements) {
  if constexpr (requires(std::atomic<TypeParam> a) { ++a; }) {
    this->for_all_pairs([](auto& object, TypeParam) -> TypeParam { return ++object; });
    this->for_all_pairs([](auto& object, TypeParam) -> TypeParam { return object++; });
    this->for_all_pairs([](auto& object, TypeParam) -> TypeParam { return --object; });
    this->for_all_pairs([](auto& object, TypeParam) -> TypeParam { return object--; });
  } else {
    static_assert(!requires(heddle::atomic<TypeParam> a) { ++a; });
    static_assert(!requires(heddle::atomic<TypeParam> a) { a--; });
  }
}

TYPED_TEST(AtomicValue, CombinesBits) {
  if constexpr (requires(std::atomic<TypeParam> a, TypeParam v) { a.fetch_and(v); }) {
    this->for_all_pairs([](auto& object, TypeParam operand) { return object.fetch_and(operand); });
    this->for_all_pairs([](auto& object, TypeParam operand) { return object.fetch_or(operand); });
    this->for_all_pairs([](auto& object, TypeParam operand) { return object.fetch_xor(operand); });
    this->for_all_pairs(
        [](auto& object, TypeParam operand) -> TypeParam { return object &= operand; });
    this->for_all_pairs(
        [](auto& object, TypeParam operand) -> TypeParam { return object |= operand; });
    this->for_all_pairs(
        [](auto& object, TypeParam operand) -> TypeParam { return object ^= operand; });
  } else {
    static_assert(!requires(heddle::atomic<TypeParam> a, TypeParam v) { a.fetch_and(v); });
    static_assert(!requires(heddle::atomic<TypeParam> a, TypeParam v) { a |= v; });
  }
}

// Bigger than what std does without a library: against plain values instead.
template <class T>
void expect_plain_semantics() {
  static_assert(sizeof(heddle::atomic<T>) == sizeof(std::atomic<T>));
  static_assert(alignof(heddle::atomic<T>) == alignof(std::atomic<T>));
  for (const T initial : edges<T>()) {
    for (const T other : edges<T>()) {
      heddle::atomic<T> object(initial);
      EXPECT_TRUE(same(object.exchange(other), initial));
      EXPECT_TRUE(same(object.load(), other));
      object.store(initial);
      T expected = other;
      EXPECT_EQ(object.compare_exchange_strong(expected, T{}), same(initial, other));
      EXPECT_TRUE(same(expected, initial));
      EXPECT_TRUE(same(object.load(), same(initial, other) ? T{} : initial));
    }
  }
}

TEST(AtomicStruct, OfThreeBytesHasNoOthers) { expect_plain_semantics<three>(); }
TEST(AtomicStruct, OfSixteenBytesHasAllItsBits) { expect_plain_semantics<sixteen>(); }
TEST(AtomicStruct, OfTwelveBytesHasAllItsBits) { expect_plain_semantics<twelve>(); }

TEST(AtomicPointer, MovesByObjects) {
  sixteen array[4] = {};
  heddle::atomic<sixteen*> object(array);
  EXPECT_EQ(object.fetch_add(3), array);
  EXPECT_EQ(object.load(), array + 3);
  EXPECT_EQ(object.fetch_sub(1), array + 3);
  EXPECT_EQ(++object, array + 3);
  EXPECT_EQ(object--, array + 3);
  EXPECT_EQ(object += -2, array);
  EXPECT_EQ(object -= -1, array + 1);
  EXPECT_EQ(object++, array + 1);
  EXPECT_EQ(--object, array + 1);
  sixteen* expected = array;
  EXPECT_FALSE(object.compare_exchange_strong(expected, nullptr));
  EXPECT_EQ(expected, array + 1);
  EXPECT_TRUE(object.compare_exchange_weak(expected, nullptr));
  EXPECT_EQ(object.load(), nullptr);
  static_assert(std::is_same_v<heddle::atomic<sixteen*>::difference_type, std::ptrdiff_t>);
}

template <class Atomic>
concept can_increment = requires(Atomic& object) {
  object.fetch_add(1);
  ++object;
};

TEST(AtomicPointer, ToNoObjectHasNoArithmetic) {
  static_assert(!can_increment<heddle::atomic<void*>>);
  static_assert(!can_increment<heddle::atomic<void (*)()>>);
  static_assert(can_increment<heddle::atomic<const void**>>);
  heddle::atomic<void*> object;
  EXPECT_EQ(object.load(), nullptr);
}

TEST(AtomicFloating, ComparesBitsNotValues) {
  heddle::atomic<double> zero(0.0);
  double expected = -0.0;
  EXPECT_FALSE(zero.compare_exchange_strong(expected, 1.0));
  EXPECT_FALSE(std::signbit(expected));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  heddle::atomic<double> object(nan);
  expected = nan;
  EXPECT_TRUE(object.compare_exchange_strong(expected, 1.0));
  EXPECT_EQ(object.load(), 1.0);
}

TEST(AtomicFloating, LongDoubleHasNoPaddingInItsBits) {
  expect_plain_semantics<long double>();
  heddle::atomic<long double> object(1.5L);
  EXPECT_EQ(object.fetch_add(0.25L), 1.5L);
  EXPECT_EQ(object -= 1.0L, 0.75L);
}

TEST(AtomicFlag, IsSetAndCleared) {
  static_assert(sizeof(heddle::atomic_flag) == sizeof(std::atomic_flag));
  heddle::atomic_flag flag;
  EXPECT_FALSE(flag.test());
  EXPECT_FALSE(flag.test_and_set(std::memory_order_acquire));
  EXPECT_TRUE(flag.test_and_set());
  EXPECT_TRUE(flag.test(std::memory_order_relaxed));
  flag.clear(std::memory_order_release);
  EXPECT_FALSE(flag.test());
}

constinit heddle::atomic<int> global_number{5};
constinit heddle::atomic<sixteen> global_pair{sixteen{1, 2}};
constinit heddle::atomic<int*> global_pointer{nullptr};
constinit heddle::atomic<double> global_default;
constinit heddle::atomic_flag global_flag = ATOMIC_FLAG_INIT;
constinit heddle::atomic<colour> global_array[2] = {colour::red, colour::last};

TEST(AtomicGlobal, IsInitialisedBeforeAnyCode) {
  EXPECT_EQ(global_number.load(), 5);
  EXPECT_EQ(global_pair.load(), (sixteen{1, 2}));
  EXPECT_EQ(global_pointer.load(), nullptr);
  EXPECT_EQ(global_default.load(), 0.0);
  EXPECT_FALSE(global_flag.test());
  EXPECT_EQ(global_array[1].load(), colour::last);
}

TEST(AtomicFunctions, CallTheMembers) {
  heddle::atomic<int> object(1);
  EXPECT_EQ(atomic_load(&object), 1);
  atomic_store(&object, 2);
  EXPECT_EQ(atomic_exchange_explicit(&object, 3, std::memory_order_acq_rel), 2);
  EXPECT_EQ(atomic_fetch_add(&object, 4), 3);
  EXPECT_EQ(atomic_fetch_sub_explicit(&object, 1, std::memory_order_relaxed), 7);
  EXPECT_EQ(atomic_fetch_and(&object, 4), 6);
  EXPECT_EQ(atomic_fetch_or(&object, 1), 4);
  EXPECT_EQ(atomic_fetch_xor(&object, 7), 5);
  int expected = 0;
  EXPECT_FALSE(atomic_compare_exchange_strong(&object, &expected, 9));
  EXPECT_EQ(expected, 2);
  EXPECT_TRUE(atomic_compare_exchange_weak_explicit(
      &object, &expected, 9, std::memory_order_release, std::memory_order_relaxed));
  EXPECT_EQ(atomic_load_explicit(&object, std::memory_order_acquire), 9);
}

TEST(AtomicFence, OutsideABodyDoesNothing) {
  heddle::atomic_thread_fence(heddle::memory_order_seq_cst);
  heddle::atomic_signal_fence(heddle::memory_order_seq_cst);
}

}  // namespace
