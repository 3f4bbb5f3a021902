// The atomics of models/kernel: what they return, and what they order, by atomic_t.txt.
#include "kernel_litmus.hpp"
#include "models/kernel/refcount.hpp"

namespace {

using namespace models::kernel;
using kernel_litmus::cells;
using kernel_litmus::expect_allowed_by_rc11;
using kernel_litmus::expect_allowed_on_x86;
using kernel_litmus::expect_forbidden;
using kernel_litmus::litmus;
using kernel_litmus::outcome;

TEST(KernelAtomic, ReturnsTheValueBeforeOrAfterAsTheNameSays) {
  atomic64_t v{5};
  atomic_add(3, v);
  atomic_sub(1, v);
  atomic_inc(v);
  atomic_dec(v);
  EXPECT_EQ(atomic_read(v), 7);
  EXPECT_EQ(atomic_fetch_add(2, v), 7);
  EXPECT_EQ(atomic_add_return(2, v), 11);
  EXPECT_EQ(atomic_fetch_sub(1, v), 11);
  EXPECT_EQ(atomic_sub_return(1, v), 9);
  EXPECT_EQ(atomic_fetch_inc(v), 9);
  EXPECT_EQ(atomic_inc_return(v), 11);
  EXPECT_EQ(atomic_fetch_dec(v), 11);
  EXPECT_EQ(atomic_dec_return(v), 9);
  EXPECT_EQ(atomic_fetch_or(6, v), 9);
  EXPECT_EQ(atomic_fetch_and(12, v), 15);
  EXPECT_EQ(atomic_fetch_xor(10, v), 12);
  EXPECT_EQ(atomic_read(v), 6);
  atomic_or(1, v);
  atomic_and(3, v);
  atomic_xor(1, v);
  EXPECT_EQ(atomic_read(v), 2);
  EXPECT_FALSE(atomic_sub_and_test(1, v));
  EXPECT_TRUE(atomic_dec_and_test(v));
  EXPECT_FALSE(atomic_inc_and_test(v));
  EXPECT_FALSE(atomic_add_negative(-1, v));
  EXPECT_TRUE(atomic_add_negative(-1, v));
  EXPECT_TRUE(atomic_inc_and_test(v));
}

TEST(KernelAtomic, ConditionalOnesLeaveTheValueIfTheConditionFails) {
  atomic_t v{0};
  EXPECT_FALSE(atomic_inc_not_zero(v));
  EXPECT_EQ(atomic_dec_if_positive(v), -1);
  EXPECT_EQ(atomic_read(v), 0);
  EXPECT_TRUE(atomic_inc_unless_negative(v));
  EXPECT_TRUE(atomic_inc_not_zero(v));
  EXPECT_EQ(atomic_dec_if_positive(v), 1);
  EXPECT_TRUE(atomic_add_unless(v, 6, 2));
  EXPECT_EQ(atomic_fetch_add_unless(v, 6, 7), 7);
  EXPECT_EQ(atomic_read(v), 7);
  atomic_set(v, -1);
  EXPECT_FALSE(atomic_inc_unless_negative(v));
  EXPECT_EQ(atomic_read(v), -1);
}

TEST(KernelAtomic, CmpxchgReturnsWhatWasThere) {
  atomic_t v{1};
  EXPECT_EQ(cmpxchg(v, 1, 2), 1);
  EXPECT_EQ(cmpxchg(v, 1, 3), 2);
  int old = 0;
  EXPECT_FALSE(try_cmpxchg(v, old, 3));
  EXPECT_EQ(old, 2);
  EXPECT_TRUE(try_cmpxchg(v, old, 3));
  EXPECT_EQ(xchg(v, 4), 3);
  EXPECT_EQ(atomic_read(v), 4);
}

// --- atomicity

// Atomic-RMW-ops-are-atomic-WRT-atomic_set: the 5 comes before the add, which then adds nothing, or
// after it.
TEST(KernelAtomicity, AnAtomicSetIsNotLostInAConditionalAdd) {
  expect_forbidden([](const cells& at) { return atomic_read(at.x) != 5; },
                   [](cells& at) { atomic_add_unless(at.x, 1, 5); },
                   [](cells& at) { atomic_set(at.x, 5); });
}

// The same with an add that is not one operation.
TEST(KernelAtomicity, AnAtomicSetIsLostInALoadAndAStore) {
  for (const auto memory_model : {heddle::model::rc11, heddle::model::tso, heddle::model::sc}) {
    EXPECT_EQ(litmus(
                  memory_model, [](const cells& at) { return atomic_read(at.x) == 1; },
                  [](cells& at) {
                    const int old = atomic_read(at.x);
                    if (old != 5) atomic_set(at.x, old + 1);
                  },
                  [](cells& at) { atomic_set(at.x, 5); }),
              outcome::allowed);
  }
}

TEST(KernelAtomicity, NoIncrementIsLost) {
  const auto inc = [](cells& at) { atomic_inc(at.x), atomic_inc(at.x); };
  expect_forbidden([](const cells& at) { return atomic_read(at.x) != 4; }, inc, inc);
}

// --- SB, with something in place of the barriers: x | y

const auto both_miss = [](const cells& at) { return at.r0 == 0 && at.r1 == 0; };

const auto barrier_side = [](cells& at) { write_once(at.y, 1), smp_mb(), at.r1 = read_once(at.x); };

TEST(KernelOrder, ReadModifyWritesThatReturnAValueAreFullBarriers) {
  const auto with = [](auto operation) {
    expect_forbidden(
        both_miss,
        [=](cells& at) { write_once(at.x, 1), operation(at.z), at.r0 = read_once(at.y); },
        barrier_side);
  };
  with([](atomic_t& z) { xchg(z, 1); });
  with([](atomic_t& z) { atomic_add_return(1, z); });
  with([](atomic_t& z) { atomic_fetch_sub(1, z); });
  with([](atomic_t& z) { atomic_fetch_or(1, z); });
  with([](atomic_t& z) { atomic_inc_and_test(z); });
  with([](atomic_t& z) { cmpxchg(z, 0, 1); });
  with([](atomic_t& z) { atomic_add_unless(z, 1, 9); });
}

TEST(KernelOrder, AnExchangeOrdersItsOwnStore) {
  expect_forbidden(
      both_miss, [](cells& at) { xchg(at.x, 1), at.r0 = read_once(at.y); }, barrier_side);
}

// On x86 any locked instruction is a barrier, so these are rc11's alone.
TEST(KernelOrder, ReadModifyWritesWithoutAValueOrWithASuffixAreNot) {
  const auto with = [](auto operation) {
    expect_allowed_by_rc11(
        both_miss,
        [=](cells& at) { write_once(at.x, 1), operation(at.z), at.r0 = read_once(at.y); },
        barrier_side);
  };
  with([](atomic_t& z) { atomic_add(1, z); });
  with([](atomic_t& z) { atomic_dec(z); });
  with([](atomic_t& z) { atomic_or(1, z); });
  with([](atomic_t& z) { xchg_acquire(z, 1); });
  with([](atomic_t& z) { atomic_add_return_release(1, z); });
  with([](atomic_t& z) { atomic_fetch_inc_relaxed(z); });
  with([](atomic_t& z) { cmpxchg_acquire(z, 0, 1); });
}

TEST(KernelOrder, SmpMbAfterAtomicMakesAVoidAddABarrier) {
  expect_forbidden(
      both_miss,
      [](cells& at) { atomic_add(1, at.x), smp_mb_after_atomic(), at.r0 = read_once(at.y); },
      barrier_side);
  expect_allowed_by_rc11(
      both_miss, [](cells& at) { atomic_add(1, at.x), at.r0 = read_once(at.y); }, barrier_side);
}

TEST(KernelOrder, SmpMbBeforeAtomicOrdersTheStoreBeforeTheReadModifyWrite) {
  const auto misses = [](const cells& at) { return at.r0 == 0 && at.r1 == 0; };
  expect_forbidden(
      misses,
      [](cells& at) {
        write_once(at.x, 1), smp_mb_before_atomic(), at.r0 = atomic_fetch_inc_relaxed(at.y);
      },
      [](cells& at) { write_once(at.y, 5), smp_mb(), at.r1 = read_once(at.x); });
  expect_allowed_by_rc11(
      misses, [](cells& at) { write_once(at.x, 1), at.r0 = atomic_fetch_inc_relaxed(at.y); },
      [](cells& at) { write_once(at.y, 5), smp_mb(), at.r1 = read_once(at.x); });
}

// --- a cmpxchg that fails

TEST(KernelOrder, AFailingCmpxchgOrdersNothing) {
  const auto with = [](auto operation) {
    expect_allowed_on_x86(
        both_miss,
        [=](cells& at) { write_once(at.x, 1), operation(at.z), at.r0 = read_once(at.y); },
        barrier_side);
  };
  with([](atomic_t& z) { cmpxchg(z, 7, 1); });
  with([](atomic_t& z) { cmpxchg_release(z, 7, 1); });
  with([](atomic_t& z) { atomic_inc_not_zero(z); });
  with([](atomic_t& z) {
    int old = 7;
    static_cast<void>(try_cmpxchg(z, old, 1));
  });
}

// tools/memory-model's cmpxchg-fail-ordered and -unordered, as message passing.
TEST(KernelOrder, AFailingCmpxchgDoesNotAcquireUnlessABarrierFollows) {
  const auto seen_without_data = [](const cells& at) {
    return at.r0 == 0 && at.r1 == 1 && at.r2 == 0;
  };
  const auto writer = [](cells& at) { write_once(at.x, 1), at.r0 = cmpxchg(at.y, 0, 1); };
  expect_allowed_by_rc11(seen_without_data, writer,
                         [](cells& at) { at.r1 = cmpxchg(at.y, 0, 1), at.r2 = read_once(at.x); });
  expect_forbidden(seen_without_data, writer, [](cells& at) {
    at.r1 = cmpxchg(at.y, 0, 1), smp_mb_after_atomic(), at.r2 = read_once(at.x);
  });
}

// The fence of a cmpxchg comes after it, so a store before it may pass its own access: R is allowed
// that the kernel forbids.
TEST(KernelOrder, ACmpxchgLetsAnEarlierStorePassItsAccessUnlikeTheKernel) {
  const auto store_wins_and_load_misses = [](const cells& at) {
    return at.r0 == 0 && read_once(at.y) == 2 && at.r1 == 0;
  };
  const auto other = [](cells& at) { write_once(at.y, 2), smp_mb(), at.r1 = read_once(at.x); };
  expect_allowed_by_rc11(
      store_wins_and_load_misses,
      [](cells& at) { write_once(at.x, 1), at.r0 = cmpxchg(at.y, 0, 1); }, other);
  expect_forbidden(
      store_wins_and_load_misses,
      [](cells& at) { write_once(at.x, 1), smp_mb_before_atomic(), at.r0 = cmpxchg(at.y, 0, 1); },
      other);
  expect_forbidden(
      store_wins_and_load_misses, [](cells& at) { write_once(at.x, 1), at.r0 = xchg(at.y, 1); },
      other);
}

// --- acquire and release

// Atomic-RMW+mb__after_atomic-is-stronger-than-acquire: acquire does not order the store half.
TEST(KernelOrder, SmpMbAfterAtomicIsStrongerThanAcquire) {
  const auto flag_without_count = [](const cells& at) { return at.r0 == 1 && at.r1 == 0; };
  const auto reader = [](cells& at) {
    at.r0 = read_once(at.x), smp_rmb(), at.r1 = atomic_read(at.y);
  };
  expect_forbidden(
      flag_without_count,
      [](cells& at) { atomic_inc(at.y), smp_mb_after_atomic(), write_once(at.x, 1); }, reader);
  expect_allowed_by_rc11(
      flag_without_count, [](cells& at) { atomic_fetch_inc_acquire(at.y), write_once(at.x, 1); },
      reader);
}

const auto flag_without_data = [](const cells& at) { return at.r0 == 1 && at.r1 == 0; };

TEST(KernelOrder, AReleaseAndAnAcquireOperationPassAMessage) {
  expect_forbidden(
      flag_without_data, [](cells& at) { write_once(at.x, 1), atomic_add_return_release(1, at.y); },
      [](cells& at) { at.r0 = atomic_fetch_add_acquire(0, at.y), at.r1 = read_once(at.x); });
  expect_forbidden(
      flag_without_data, [](cells& at) { write_once(at.x, 1), cmpxchg_release(at.y, 0, 1); },
      [](cells& at) { at.r0 = xchg_acquire(at.y, 5), at.r1 = read_once(at.x); });
}

TEST(KernelOrder, AMessageIsNotPassedIfEitherSideIsRelaxed) {
  expect_allowed_by_rc11(
      flag_without_data, [](cells& at) { write_once(at.x, 1), atomic_add_return_relaxed(1, at.y); },
      [](cells& at) { at.r0 = atomic_fetch_add_acquire(0, at.y), at.r1 = read_once(at.x); });
  expect_allowed_by_rc11(
      flag_without_data, [](cells& at) { write_once(at.x, 1), atomic_add_return_release(1, at.y); },
      [](cells& at) { at.r0 = atomic_fetch_add_relaxed(0, at.y), at.r1 = read_once(at.x); });
}

// --- refcount_t

template <class Put>
heddle::result two_users(Put put) {
  return heddle::check([=] {
    refcount_t count;
    refcount_inc(count);
    heddle::var<int> object{0};
    heddle::var<int> frees{0};
    const auto user = [&] {
      static_cast<void>(object.get());
      if (!put(count)) return;
      object = -1;
      frees = frees + 1;
    };
    heddle::thread other(user);
    user();
    other.join();
    heddle::require(frees == 1, "not freed once");
    heddle::require(!refcount_inc_not_zero(count), "taken after it was freed");
  });
}

TEST(KernelRefcount, TheLastPutFreesAfterEveryUse) {
  EXPECT_VERIFIED(two_users([](refcount_t& count) { return refcount_dec_and_test(count); }));
}

TEST(KernelRefcount, ARelaxedPutFreesWhatIsStillRead) {
  EXPECT_VIOLATION(
      two_users([](refcount_t& count) { return atomic_dec_return_relaxed(count.refs) == 0; }),
      heddle::verdict_kind::data_race);
}

}  // namespace
