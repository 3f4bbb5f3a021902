// Locks of models/kernel: exclusion, trylock, and what an unlock and a lock order for others.
#include "kernel_litmus.hpp"
#include "models/kernel/sleep_until.hpp"
#include "models/kernel/task.hpp"

namespace {

using namespace models::kernel;
using heddle::verdict_kind;
using kernel_litmus::cells;
using kernel_litmus::expect_allowed_by_rc11;
using kernel_litmus::expect_allowed_on_x86;
using kernel_litmus::expect_forbidden;

TEST(KernelLock, ExcludesAndHandsOnWhatWasWritten) {
  EXPECT_VERIFIED(heddle::check([] {
    spinlock_t lock;
    heddle::var<int> count{0};
    const auto add = [&] {
      spin_lock(lock);
      count = count + 1;
      spin_unlock(lock);
    };
    heddle::thread first(add);
    heddle::thread second(add);
    add();
    first.join();
    second.join();
    heddle::require(count == 3, "an addition was lost");
  }));
}

TEST(KernelLock, IsADeadlockIfTakenTwice) {
  EXPECT_VIOLATION(heddle::check([] {
                     spinlock_t lock;
                     spin_lock(lock);
                     spin_lock(lock);
                   }),
                   verdict_kind::deadlock);
}

TEST(KernelLock, MustBeHeldToBeUnlocked) {
  EXPECT_VIOLATION(heddle::check([] {
                     mutex_t lock;
                     mutex_unlock(lock);
                   }),
                   verdict_kind::assertion);
}

TEST(KernelTrylock, FailsOnAHeldLockOnly) {
  EXPECT_VERIFIED(heddle::check([] {
    spinlock_t spin;
    mutex_t mutex;
    heddle::require(spin_trylock(spin) && mutex_trylock(mutex), "a free lock was refused");
    heddle::require(!spin_trylock(spin) && !mutex_trylock(mutex), "a held lock was given");
    spin_unlock(spin);
    mutex_unlock(mutex);
    heddle::require(spin_trylock(spin) && mutex_trylock(mutex), "a free lock was refused");
  }));
}

// A-spurious-trylock: std's may fail for no reason, the kernel's not.
TEST(KernelTrylock, NeverFailsOnAFreeMutexUnlikeStds) {
  const heddle::options spurious{.spurious = heddle::spurious_failures{.try_lock = 1}};
  EXPECT_VERIFIED(heddle::check(spurious, [] {
    mutex_t mutex;
    heddle::require(mutex_trylock(mutex), "a free mutex was refused");
  }));
  EXPECT_VIOLATION(heddle::check(spurious,
                                 [] {
                                   heddle::mutex mutex;
                                   const bool taken = mutex.try_lock();
                                   if (taken) mutex.unlock();
                                   heddle::require(taken, "a free mutex was refused");
                                 }),
                   verdict_kind::assertion);
}

TEST(KernelTrylock, AcquiresWhatTheLastHolderWrote) {
  EXPECT_VERIFIED(heddle::check([] {
    mutex_t mutex;
    heddle::var<int> data{0};
    const auto change = [&] {
      if (!mutex_trylock(mutex)) return;
      data = data + 1;
      mutex_unlock(mutex);
    };
    heddle::thread other(change);
    change();
    other.join();
    heddle::require(data >= 1, "nobody got the mutex");
  }));
}

// A trylock that fails is a failing cmpxchg.
TEST(KernelTrylock, OrdersNothingIfItFails) {
  expect_allowed_on_x86([](const cells& at) { return at.r0 == 0 && at.r1 == 0 && at.r2 == 0; },
                        [](cells& at) { static_cast<void>(spin_trylock(at.lock)); },  // keeps it
                        [](cells& at) {
                          write_once(at.x, 1);
                          at.r2 = spin_trylock(at.lock) ? 1 : 0;
                          at.r0 = read_once(at.y);
                        },
                        [](cells& at) { write_once(at.y, 1), smp_mb(), at.r1 = read_once(at.x); });
}

// --- what an unlock and a lock after it order

const auto flag_without_data = [](const cells& at) { return at.r0 == 1 && at.r1 == 0; };
const auto outside_reader = [](cells& at) {
  at.r0 = read_once(at.y), smp_rmb(), at.r1 = read_once(at.x);
};

TEST(KernelUnlockLock, IsSeenInOrderByHolders) {
  expect_forbidden(
      flag_without_data,
      [](cells& at) {
        spin_lock(at.lock), write_once(at.x, 1), spin_unlock(at.lock);
        spin_lock(at.lock), write_once(at.y, 1), spin_unlock(at.lock);
      },
      [](cells& at) {
        spin_lock(at.lock), at.r0 = read_once(at.y), at.r1 = read_once(at.x);
        spin_unlock(at.lock);
      });
}

// The kernel forbids it: po-unlock-lock-po.
TEST(KernelUnlockLock, OrdersStoresForAnOutsiderOnlyWithABarrierUnlikeTheKernel) {
  expect_allowed_by_rc11(
      flag_without_data,
      [](cells& at) {
        spin_lock(at.lock), write_once(at.x, 1), spin_unlock(at.lock);
        spin_lock(at.lock), write_once(at.y, 1), spin_unlock(at.lock);
      },
      outside_reader);
  expect_forbidden(
      flag_without_data,
      [](cells& at) {
        spin_lock(at.lock), write_once(at.x, 1), spin_unlock(at.lock);
        spin_lock(at.lock), smp_mb_after_unlock_lock(), write_once(at.y, 1);
        spin_unlock(at.lock);
      },
      outside_reader);
}

// The same with the two critical sections on two CPUs.
TEST(KernelUnlockLock, OrdersTwoHoldersForAnOutsiderOnlyWithABarrierUnlikeTheKernel) {
  const auto later_holder_first = [](const cells& at) {
    return at.r2 == 1 && at.r0 == 1 && at.r1 == 0;
  };
  const auto first = [](cells& at) {
    spin_lock(at.lock), write_once(at.x, 1), spin_unlock(at.lock);
  };
  expect_allowed_by_rc11(
      later_holder_first, first,
      [](cells& at) {
        spin_lock(at.lock), at.r2 = read_once(at.x), write_once(at.y, 1);
        spin_unlock(at.lock);
      },
      outside_reader);
  expect_forbidden(
      later_holder_first, first,
      [](cells& at) {
        spin_lock(at.lock), smp_mb_after_unlock_lock();
        at.r2 = read_once(at.x), write_once(at.y, 1), spin_unlock(at.lock);
      },
      outside_reader);
}

const auto both_miss = [](const cells& at) { return at.r0 == 0 && at.r1 == 0; };
const auto barrier_side = [](cells& at) { write_once(at.y, 1), smp_mb(), at.r1 = read_once(at.x); };

// Nor in the kernel.
TEST(KernelUnlockLock, IsNoFullBarrierByItself) {
  expect_allowed_by_rc11(
      both_miss,
      [](cells& at) {
        spin_lock(at.lock), write_once(at.x, 1), spin_unlock(at.lock);
        spin_lock(at.lock), at.r0 = read_once(at.y), spin_unlock(at.lock);
      },
      barrier_side);
  expect_forbidden(
      both_miss,
      [](cells& at) {
        spin_lock(at.lock), write_once(at.x, 1), spin_unlock(at.lock);
        spin_lock(at.lock), smp_mb_after_unlock_lock(), at.r0 = read_once(at.y);
        spin_unlock(at.lock);
      },
      barrier_side);
}

TEST(KernelLock, IsAFullBarrierWithSmpMbAfterSpinlock) {
  expect_allowed_by_rc11(
      both_miss,
      [](cells& at) {
        write_once(at.x, 1), spin_lock(at.lock), at.r0 = read_once(at.y), spin_unlock(at.lock);
      },
      barrier_side);
  expect_forbidden(
      both_miss,
      [](cells& at) {
        write_once(at.x, 1), spin_lock(at.lock), smp_mb_after_spinlock();
        at.r0 = read_once(at.y), spin_unlock(at.lock);
      },
      barrier_side);
}

// --- sleeping and waking: set_current_state; look | condition; wake_up_process

template <sleep_loop Loop>
heddle::result sleeper_and_waker(heddle::model memory_model) {
  return heddle::check({.memory_model = memory_model}, [] {
    task sleeper;
    atomic_t condition{0};
    heddle::thread waker([&] {
      write_once(condition, 1);
      sleeper.wake_up_process();
    });
    sleep_until<Loop>(sleeper, [&] { return read_once(condition) == 1; });
    waker.join();
    heddle::require(atomic_read(condition) == 1, "woken before the condition");
  });
}

TEST(KernelWakeUp, IsNotLostIfTheStateIsSetWithABarrierBeforeTheLook) {
  for (const auto memory_model : {heddle::model::rc11, heddle::model::tso, heddle::model::sc}) {
    EXPECT_VERIFIED(sleeper_and_waker<sleep_loop::set_then_check>(memory_model));
  }
}

TEST(KernelWakeUp, IsLostWithoutTheBarrierExceptUnderSc) {
  constexpr auto loop = sleep_loop::set_without_barrier;
  EXPECT_VIOLATION(sleeper_and_waker<loop>(heddle::model::rc11), verdict_kind::lost_wakeup);
  EXPECT_VIOLATION(sleeper_and_waker<loop>(heddle::model::tso), verdict_kind::lost_wakeup);
  EXPECT_VERIFIED(sleeper_and_waker<loop>(heddle::model::sc));
}

}  // namespace
