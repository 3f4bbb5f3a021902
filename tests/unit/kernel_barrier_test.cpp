// The smp_ barriers of models/kernel: the shapes of memory-barriers.txt, each with the barriers
// that forbid the weak outcome, and with one too few.
#include "kernel_litmus.hpp"

namespace {

using namespace models::kernel;
using kernel_litmus::cells;
using kernel_litmus::expect_allowed_by_rc11;
using kernel_litmus::expect_allowed_on_x86;
using kernel_litmus::expect_forbidden;

// --- SB: x = 1; r0 = y | y = 1; r1 = x

const auto both_miss = [](const cells& at) { return at.r0 == 0 && at.r1 == 0; };

TEST(KernelStoreBuffering, IsForbiddenByAFullBarrierOnBothSides) {
  expect_forbidden(
      both_miss, [](cells& at) { write_once(at.x, 1), smp_mb(), at.r0 = read_once(at.y); },
      [](cells& at) { write_once(at.y, 1), smp_mb(), at.r1 = read_once(at.x); });
  expect_forbidden(
      both_miss, [](cells& at) { smp_store_mb(at.x, 1), at.r0 = read_once(at.y); },
      [](cells& at) { smp_store_mb(at.y, 1), at.r1 = read_once(at.x); });
}

TEST(KernelStoreBuffering, IsAllowedWithABarrierOnOneSideOnly) {
  expect_allowed_on_x86(
      both_miss, [](cells& at) { write_once(at.x, 1), smp_mb(), at.r0 = read_once(at.y); },
      [](cells& at) { write_once(at.y, 1), at.r1 = read_once(at.x); });
}

TEST(KernelStoreBuffering, IsAllowedByReadAndWriteBarriers) {
  expect_allowed_on_x86(
      both_miss,
      [](cells& at) { write_once(at.x, 1), smp_wmb(), smp_rmb(), at.r0 = read_once(at.y); },
      [](cells& at) { write_once(at.y, 1), smp_wmb(), smp_rmb(), at.r1 = read_once(at.x); });
}

TEST(KernelStoreBuffering, IsAllowedByReleaseAndAcquire) {
  expect_allowed_on_x86(
      both_miss, [](cells& at) { smp_store_release(at.x, 1), at.r0 = smp_load_acquire(at.y); },
      [](cells& at) { smp_store_release(at.y, 1), at.r1 = smp_load_acquire(at.x); });
}

// --- MP: x = 1; y = 1 | r0 = y; r1 = x

const auto flag_without_data = [](const cells& at) { return at.r0 == 1 && at.r1 == 0; };

TEST(KernelMessagePassing, IsOrderedByWriteAndReadBarriers) {
  expect_forbidden(
      flag_without_data, [](cells& at) { write_once(at.x, 1), smp_wmb(), write_once(at.y, 1); },
      [](cells& at) { at.r0 = read_once(at.y), smp_rmb(), at.r1 = read_once(at.x); });
}

TEST(KernelMessagePassing, IsOrderedByStoreReleaseAndLoadAcquire) {
  expect_forbidden(
      flag_without_data, [](cells& at) { write_once(at.x, 1), smp_store_release(at.y, 1); },
      [](cells& at) { at.r0 = smp_load_acquire(at.y), at.r1 = read_once(at.x); });
  expect_forbidden(
      flag_without_data, [](cells& at) { write_once(at.x, 1), atomic_set_release(at.y, 1); },
      [](cells& at) { at.r0 = atomic_read_acquire(at.y), at.r1 = read_once(at.x); });
}

TEST(KernelMessagePassing, NeedsTheWritersBarrier) {
  expect_allowed_by_rc11(
      flag_without_data, [](cells& at) { write_once(at.x, 1), write_once(at.y, 1); },
      [](cells& at) { at.r0 = read_once(at.y), smp_rmb(), at.r1 = read_once(at.x); });
}

TEST(KernelMessagePassing, NeedsTheReadersBarrier) {
  expect_allowed_by_rc11(
      flag_without_data, [](cells& at) { write_once(at.x, 1), smp_wmb(), write_once(at.y, 1); },
      [](cells& at) { at.r0 = read_once(at.y), at.r1 = read_once(at.x); });
}

TEST(KernelMessagePassing, IsNotOrderedByAStoreWithABarrierAfterIt) {
  expect_allowed_by_rc11(
      flag_without_data, [](cells& at) { write_once(at.x, 1), smp_store_mb(at.y, 1); },
      [](cells& at) { at.r0 = read_once(at.y), smp_mb(), at.r1 = read_once(at.x); });
}

// The kernel has the dependent load after the first; C++20 has no such rule.
TEST(KernelMessagePassing, IsNotOrderedByADependencyUnlikeTheKernel) {
  expect_allowed_by_rc11(
      flag_without_data, [](cells& at) { write_once(at.x, 1), smp_wmb(), write_once(at.y, 1); },
      [](cells& at) {
        atomic_t* const which[] = {&at.z, &at.x};
        at.r0 = read_once(at.y), at.r1 = read_once(*which[at.r0]);
      });
}

// --- WRC: x = 1 | r0 = x; y = 1 | r1 = y; r2 = x

const auto cause_is_missed = [](const cells& at) { return at.r0 == 1 && at.r1 == 1 && at.r2 == 0; };

TEST(KernelWriteToReadCausality, IsKeptByReleaseAndAReadBarrier) {
  expect_forbidden(
      cause_is_missed, [](cells& at) { write_once(at.x, 1); },
      [](cells& at) { at.r0 = read_once(at.x), smp_store_release(at.y, 1); },
      [](cells& at) { at.r1 = read_once(at.y), smp_rmb(), at.r2 = read_once(at.x); });
}

TEST(KernelWriteToReadCausality, IsLostIfTheMiddleOneDoesNotRelease) {
  expect_allowed_by_rc11(
      cause_is_missed, [](cells& at) { write_once(at.x, 1); },
      [](cells& at) { at.r0 = read_once(at.x), write_once(at.y, 1); },
      [](cells& at) { at.r1 = read_once(at.y), smp_rmb(), at.r2 = read_once(at.x); });
}

// --- ISA2: x = 1; y = 1 | r0 = y; z = 1 | r1 = z; r2 = x

TEST(KernelIsa2, IsForbiddenByReleasesAndAcquires) {
  expect_forbidden(
      cause_is_missed, [](cells& at) { write_once(at.x, 1), smp_store_release(at.y, 1); },
      [](cells& at) { at.r0 = smp_load_acquire(at.y), smp_store_release(at.z, 1); },
      [](cells& at) { at.r1 = smp_load_acquire(at.z), at.r2 = read_once(at.x); });
}

TEST(KernelIsa2, IsAllowedIfTheFirstDoesNotRelease) {
  expect_allowed_by_rc11(
      cause_is_missed, [](cells& at) { write_once(at.x, 1), write_once(at.y, 1); },
      [](cells& at) { at.r0 = smp_load_acquire(at.y), smp_store_release(at.z, 1); },
      [](cells& at) { at.r1 = smp_load_acquire(at.z), at.r2 = read_once(at.x); });
}

// --- R: x = 1; y = 1 | y = 2; r0 = x

const auto store_wins_and_load_misses = [](const cells& at) {
  return read_once(at.y) == 2 && at.r0 == 0;
};

TEST(KernelR, IsForbiddenByFullBarriers) {
  expect_forbidden(
      store_wins_and_load_misses,
      [](cells& at) { write_once(at.x, 1), smp_mb(), write_once(at.y, 1); },
      [](cells& at) { write_once(at.y, 2), smp_mb(), at.r0 = read_once(at.x); });
}

TEST(KernelR, IsAllowedIfOneBarrierIsAWriteBarrier) {
  expect_allowed_by_rc11(
      store_wins_and_load_misses,
      [](cells& at) { write_once(at.x, 1), smp_wmb(), write_once(at.y, 1); },
      [](cells& at) { write_once(at.y, 2), smp_mb(), at.r0 = read_once(at.x); });
}

TEST(KernelR, IsAllowedOnX86IfTheLoadHasNoBarrier) {
  expect_allowed_on_x86(
      store_wins_and_load_misses,
      [](cells& at) { write_once(at.x, 1), smp_mb(), write_once(at.y, 1); },
      [](cells& at) { write_once(at.y, 2), at.r0 = read_once(at.x); });
}

// --- S: x = 2; y = 1 | r0 = y; x = 1

const auto later_store_loses = [](const cells& at) { return at.r0 == 1 && read_once(at.x) == 2; };

TEST(KernelS, IsForbiddenByAWriteBarrierAndAcquire) {
  expect_forbidden(
      later_store_loses, [](cells& at) { write_once(at.x, 2), smp_wmb(), write_once(at.y, 1); },
      [](cells& at) { at.r0 = smp_load_acquire(at.y), write_once(at.x, 1); });
}

TEST(KernelS, IsAllowedWithoutTheWriteBarrier) {
  expect_allowed_by_rc11(
      later_store_loses, [](cells& at) { write_once(at.x, 2), write_once(at.y, 1); },
      [](cells& at) { at.r0 = smp_load_acquire(at.y), write_once(at.x, 1); });
}

// A control dependency orders the store in the kernel. C++20 has no such rule.
TEST(KernelS, IsAllowedByAControlDependencyUnlikeTheKernel) {
  expect_allowed_by_rc11(
      later_store_loses, [](cells& at) { write_once(at.x, 2), smp_wmb(), write_once(at.y, 1); },
      [](cells& at) {
        at.r0 = read_once(at.y);
        if (at.r0 == 1) write_once(at.x, 1);
      });
}

// --- 2+2W: x = 1; y = 2 | y = 1; x = 2

const auto both_first_stores_win = [](const cells& at) {
  return read_once(at.x) == 1 && read_once(at.y) == 1;
};

TEST(KernelTwoPlusTwoWrites, IsForbiddenByFullBarriers) {
  expect_forbidden(
      both_first_stores_win, [](cells& at) { write_once(at.x, 1), smp_mb(), write_once(at.y, 2); },
      [](cells& at) { write_once(at.y, 1), smp_mb(), write_once(at.x, 2); });
}

// Here nobody reads what a write barrier orders.
TEST(KernelTwoPlusTwoWrites, IsAllowedByWriteBarriers) {
  expect_allowed_by_rc11(
      both_first_stores_win, [](cells& at) { write_once(at.x, 1), smp_wmb(), write_once(at.y, 2); },
      [](cells& at) { write_once(at.y, 1), smp_wmb(), write_once(at.x, 2); });
}

// --- LB: r0 = x; y = 1 | r1 = y; x = 1

const auto both_see_the_future = [](const cells& at) { return at.r0 == 1 && at.r1 == 1; };

// The kernel allows it without dependencies; rc11 has no load buffering, with or without them.
TEST(KernelLoadBuffering, IsNeverSeenUnlikeTheKernel) {
  expect_forbidden(
      both_see_the_future, [](cells& at) { at.r0 = read_once(at.x), write_once(at.y, 1); },
      [](cells& at) { at.r1 = read_once(at.y), write_once(at.x, 1); });
}

TEST(KernelLoadBuffering, IsForbiddenByControlDependencies) {
  expect_forbidden(
      both_see_the_future,
      [](cells& at) {
        at.r0 = read_once(at.x);
        if (at.r0 == 1) write_once(at.y, 1);
      },
      [](cells& at) {
        at.r1 = read_once(at.y);
        if (at.r1 == 1) write_once(at.x, 1);
      });
}

// --- IRIW: x = 1 | y = 1 | r0 = x; r1 = y | r2 = y; r3 = x

const auto readers_disagree = [](const cells& at) {
  return at.r0 == 1 && at.r1 == 0 && at.r2 == 1 && at.r3 == 0;
};

TEST(KernelIndependentReads, AgreeWithFullBarriers) {
  expect_forbidden(
      readers_disagree, [](cells& at) { write_once(at.x, 1); },
      [](cells& at) { write_once(at.y, 1); },
      [](cells& at) { at.r0 = read_once(at.x), smp_mb(), at.r1 = read_once(at.y); },
      [](cells& at) { at.r2 = read_once(at.y), smp_mb(), at.r3 = read_once(at.x); });
}

TEST(KernelIndependentReads, DisagreeWithReadBarriers) {
  expect_allowed_by_rc11(
      readers_disagree, [](cells& at) { write_once(at.x, 1); },
      [](cells& at) { write_once(at.y, 1); },
      [](cells& at) { at.r0 = read_once(at.x), smp_rmb(), at.r1 = read_once(at.y); },
      [](cells& at) { at.r2 = read_once(at.y), smp_rmb(), at.r3 = read_once(at.x); });
}

}  // namespace
