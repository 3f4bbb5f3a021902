// Per-CPU variables of models/kernel, against an interrupt, a reader and another CPU.
#include "kernel_litmus.hpp"
#include "models/kernel/per_cpu.hpp"

namespace {

using namespace models::kernel;
using heddle::check;
using heddle::require;
using heddle::verdict_kind;

TEST(KernelPerCpu, ReturnsAndLeavesWhatTheNameSays) {
  per_cpu<int, 2> v;
  this_cpu_write(v, 1, 4);
  this_cpu_add(v, 1, 3);
  this_cpu_sub(v, 1, 1);
  this_cpu_inc(v, 1);
  this_cpu_dec(v, 1);
  EXPECT_EQ(this_cpu_add_return(v, 1, 2), 8);
  EXPECT_EQ(this_cpu_xchg(v, 1, 5), 8);
  EXPECT_EQ(this_cpu_cmpxchg(v, 1, 4, 9), 5);
  EXPECT_EQ(this_cpu_cmpxchg(v, 1, 5, 9), 5);
  this_cpu_add_unprotected(v, 1, 3);
  this_cpu_sub_unprotected(v, 1, 2);
  EXPECT_EQ(this_cpu_read(v, 1), 10);
  EXPECT_EQ(per_cpu_read(v, 0), 0);
}

// A task and an interrupt of one CPU each add 1, and the interrupt does so with one instruction.
template <class Add>
heddle::result against_an_interrupt(Add add) {
  return check([=] {
    per_cpu<int, 1> count;
    heddle::thread interrupt([&] { this_cpu_inc(count, 0); });
    add(count);
    interrupt.join();
    require(this_cpu_read(count, 0) == 2, "an addition was lost");
  });
}

TEST(KernelPerCpu, AnInterruptDoesNotDivideThisCpuAdd) {
  EXPECT_VERIFIED(against_an_interrupt([](auto& count) { this_cpu_add(count, 0, 1); }));
}

TEST(KernelPerCpu, AnInterruptDividesAnUnprotectedAdd) {
  EXPECT_VIOLATION(against_an_interrupt([](auto& count) { this_cpu_add_unprotected(count, 0, 1); }),
                   verdict_kind::assertion);
}

// Without interrupts an unprotected add is enough, also against those who sum.
TEST(KernelPerCpu, ASumOfSlotsThatOnlyGrowIsBetweenBeforeAndAfter) {
  EXPECT_VERIFIED(check([] {
    per_cpu<int, 2> count;
    const auto add = [&](std::size_t cpu) { this_cpu_add_unprotected(count, cpu, 1); };
    heddle::thread first(add, 0);
    heddle::thread second(add, 1);
    const int during = per_cpu_read(count, 0) + per_cpu_read(count, 1);
    first.join();
    second.join();
    require(during >= 0 && during <= 2, "the sum was never there");
    require(per_cpu_read(count, 0) + per_cpu_read(count, 1) == 2, "an addition was lost");
  }));
}

// The kernel's could: it is not atomic for other CPUs.
TEST(KernelPerCpu, AnAddFromAnotherCpuLosesNothingUnlikeTheKernel) {
  EXPECT_VERIFIED(check([] {
    per_cpu<int, 2> count;
    heddle::thread other_cpu([&] { this_cpu_add(count, 0, 1); });
    this_cpu_add(count, 0, 1);
    other_cpu.join();
    require(per_cpu_read(count, 0) == 2, "an addition was lost");
  }));
}

TEST(KernelPerCpu, ThisCpuAddOrdersNothing) {
  using kernel_litmus::cells;
  kernel_litmus::expect_allowed_by_rc11(
      [](const cells& at) { return at.r0 == 1 && at.r1 == 0; },
      [](cells& at) {
        per_cpu<int, 1> count;
        write_once(at.x, 1), this_cpu_inc(count, 0), write_once(at.y, 1);
      },
      [](cells& at) { at.r0 = read_once(at.y), smp_rmb(), at.r1 = read_once(at.x); });
}

}  // namespace
