// The techniques compile unchanged against std::, and a correct one keeps its promise on real
// threads.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <thread>

#include "models/block_reservation.hpp"
#include "models/cil_space.hpp"
#include "models/combining_backlog.hpp"
#include "models/deferred_work.hpp"
#include "models/hotplug_counter.hpp"
#include "models/kernel/atomic.hpp"
#include "models/kernel/barrier.hpp"
#include "models/kernel/cmpxchg.hpp"
#include "models/kernel/list.hpp"
#include "models/kernel/llist.hpp"
#include "models/kernel/lock.hpp"
#include "models/kernel/per_cpu.hpp"
#include "models/kernel/refcount.hpp"
#include "models/kernel/sleep_until.hpp"
#include "models/kernel/stack_waiter.hpp"
#include "models/kernel/task.hpp"
#include "models/kernel/wait_queue.hpp"
#include "models/kernel/wake_queue.hpp"
#include "models/libcxx_semaphore.hpp"
#include "models/log_grant.hpp"
#include "models/log_grant_reference.hpp"
#include "models/log_ticket.hpp"
#include "models/park.hpp"
#include "models/percpu_counter.hpp"
#include "models/proxied_wait.hpp"
#include "models/pthread_once.hpp"
#include "models/quiesce_gate.hpp"
#include "models/shrinker_backlog.hpp"
#include "models/split_counter.hpp"
#include "models/torn_count.hpp"

namespace {

TEST(ModelsInProduction, ABacklogDrainedByExchangeLosesNothingOnRealThreads) {
  for (int round = 0; round < 1000; ++round) {
    models::shrinker_backlog<models::drain::exchange> backlog{5};
    int first = 0;
    int second = 0;
    std::thread other([&] { first = backlog.shrink(4); });
    second = backlog.shrink(2);
    other.join();
    ASSERT_EQ(first + second + backlog.deferred(), 5 + 4 + 2);
  }
}

TEST(ModelsInProduction, TwoWakersWakeATaskThatWaitsForBothOnRealThreads) {
  for (int round = 0; round < 1000; ++round) {
    models::kernel::task sleeper;
    std::atomic<int> marks{0};
    const auto wake = [&] {
      models::kernel::wake_queue collected;
      marks.fetch_add(1);
      collected.add(sleeper);
      collected.wake_up_all();
    };
    std::thread first(wake);
    std::thread second(wake);
    models::kernel::sleep_until(sleeper, [&] { return marks.load() == 2; });
    first.join();
    second.join();
    ASSERT_EQ(sleeper.references(), 1);
  }
}

TEST(ModelsInProduction, AReceiverIsToldAndFreedOnceOnRealThreads) {
  for (int round = 0; round < 1000; ++round) {
    models::kernel::task receiver;
    models::kernel::stack_waiter record{receiver};
    std::thread sender([&] {
      models::kernel::wake_queue collected;
      record.finish(collected);
      collected.wake_up_all();
    });
    record.wait();
    receiver.put();
    sender.join();
    ASSERT_TRUE(receiver.is_freed());
  }
}

TEST(ModelsInProduction, AWakerThatAsksFirstWakesWhoeverWaitsOnRealThreads) {
  for (int round = 0; round < 1000; ++round) {
    models::kernel::wait_queue queue;
    models::kernel::task waiting;
    models::kernel::wait_queue_entry entry{waiting};
    std::atomic<bool> condition{false};
    std::thread waker([&] {
      condition.store(true);
      std::atomic_thread_fence(std::memory_order_seq_cst);
      if (queue.is_active()) queue.wake_up();
    });
    queue.wait_until(entry, [&] { return condition.load(); });
    waker.join();
    ASSERT_FALSE(queue.is_active());
  }
}

TEST(ModelsInProduction, TheReferenceGrantHeadServesEverybodyOnRealThreads) {
  for (int round = 0; round < 1000; ++round) {
    models::log_grant_reference grant{0};
    models::log_ticket one{1, 0};
    models::log_ticket two{1, 1};
    std::optional<int> one_left;
    std::thread first([&] { one_left = grant.reserve(one); });
    std::thread freer([&] { grant.release(1); });
    grant.release(1);
    const std::optional<int> two_left = grant.reserve(two);
    first.join();
    freer.join();
    ASSERT_TRUE(one_left >= 0 && two_left >= 0);
  }
}

TEST(ModelsInProduction, AGrantHeadThatLooksAgainServesItsWaiterOnRealThreads) {
  for (int round = 0; round < 1000; ++round) {
    models::log_grant_head grant{0, {.recheck_when_queued = true, .fences = true}};
    models::log_ticket ticket{1};
    std::thread freer([&] { grant.release(1); });
    const std::optional<int> left = grant.reserve(ticket);
    freer.join();
    ASSERT_EQ(left, 0);
  }
}

TEST(ModelsInProduction, ASemaphoreWakesWhoeverWaitsOnRealThreads) {
  for (int round = 0; round < 1000; ++round) {
    models::libcxx_semaphore semaphore{1};
    int used = 0;
    const auto use = [&] {
      semaphore.acquire();
      ++used;
      semaphore.release();
    };
    std::thread first(use);
    std::thread second(use);
    use();
    first.join();
    second.join();
    ASSERT_EQ(used, 3);
  }
}

template <class Proxy>
void expect_to_be_woken() {
  for (int round = 0; round < 1000; ++round) {
    Proxy proxy;
    std::atomic<bool> flag{false};
    int data = 0;
    std::thread notifier([&] {
      data = 1;
      flag.store(true, std::memory_order_release);
      proxy.notify_all();
    });
    proxy.wait(flag, false);
    ASSERT_EQ(data, 1);
    notifier.join();
  }
}

TEST(ModelsInProduction, AWaitByAProxyEndsOnRealThreads) {
  expect_to_be_woken<models::futex_proxy<>>();
  expect_to_be_woken<models::condition_proxy<>>();
}

TEST(ModelsInProduction, InitialisationHappensOnceOnRealThreads) {
  for (int round = 0; round < 1000; ++round) {
    models::pthread_once<> once;
    int calls = 0;
    const auto call = [&] {
      once.call([&] { ++calls; });
      ASSERT_EQ(calls, 1);
    };
    std::thread first(call);
    std::thread second(call);
    call();
    first.join();
    second.join();
  }
}

TEST(ModelsInProduction, AParkSeesWhatEachUnparkPublishesOnRealThreads) {
  for (int round = 0; round < 1000; ++round) {
    models::parker<> sleeper;
    std::atomic<int> flags{0};
    const auto set = [&](int flag) {
      flags.fetch_or(flag, std::memory_order_relaxed);
      sleeper.unpark();
    };
    std::thread first(set, 1);
    std::thread second(set, 2);
    while (flags.load(std::memory_order_relaxed) != 3) sleeper.park();
    first.join();
    second.join();
    ASSERT_EQ(flags.load(), 3);
  }
}

namespace kernel = models::kernel;

TEST(ModelsInProduction, KernelAtomicsLoseNothingOnRealThreads) {
  kernel::atomic64_t count{0};
  kernel::per_cpu<long, 2> slots;
  kernel::refcount_t references;
  const auto work = [&](std::size_t cpu) {
    for (int round = 0; round < 10000; ++round) {
      kernel::atomic_add(1, count);
      kernel::atomic_sub_return(1, count);
      kernel::atomic_add_unless(count, 1, -1);
      kernel::this_cpu_inc(slots, cpu);
      kernel::refcount_inc(references);
      ASSERT_FALSE(kernel::refcount_dec_and_test(references));
    }
  };
  std::thread other(work, 0);
  work(1);
  other.join();
  EXPECT_EQ(kernel::atomic_read(count), 20000);
  EXPECT_EQ(kernel::per_cpu_read(slots, 0) + kernel::per_cpu_read(slots, 1), 20000);
  EXPECT_TRUE(kernel::refcount_dec_and_test(references));
}

TEST(ModelsInProduction, StoresAreNotBufferedPastAFullKernelBarrierOnRealThreads) {
  for (int round = 0; round < 1000; ++round) {
    kernel::atomic_t x{0};
    kernel::atomic_t y{0};
    int seen_x = 0;
    std::thread other([&] {
      kernel::smp_store_mb(y, 1);
      seen_x = kernel::read_once(x);
    });
    kernel::xchg(x, 1);
    const int seen_y = kernel::read_once(y);
    other.join();
    ASSERT_TRUE(seen_x == 1 || seen_y == 1);
  }
}

TEST(ModelsInProduction, AKernelListUnderItsLockLosesNoEntryOnRealThreads) {
  struct entry : kernel::list_head {
    int number = 0;
  };
  for (int round = 0; round < 1000; ++round) {
    kernel::spinlock_t lock;
    kernel::list_head head;
    std::array<entry, 4> entries;
    const auto add = [&](std::size_t first) {
      for (std::size_t i = first; i < first + 2; ++i) {
        kernel::spin_lock(lock);
        entries[i].number = 1 << i;
        kernel::list_add_tail(entries[i], head);
        kernel::spin_unlock(lock);
      }
    };
    std::thread other(add, 0);
    add(2);
    other.join();
    int all = 0;
    kernel::list_for_each_entry_safe<entry>(head, [&](entry& each) {
      all += each.number;
      kernel::list_del_init_careful(each);
    });
    ASSERT_EQ(all, 15);
    ASSERT_TRUE(kernel::list_empty_careful(head));
  }
}

TEST(ModelsInProduction, AKernelLlistGivesAllThatWasAddedOnRealThreads) {
  struct letter : kernel::llist_node {
    int text = 0;
  };
  for (int round = 0; round < 1000; ++round) {
    kernel::llist_head box;
    std::array<letter, 2> letters;
    int read = 0;
    const auto read_all = [&] {
      kernel::llist_for_each_entry_safe<letter>(kernel::llist_del_all(box),
                                                [&](letter& each) { read += each.text; });
    };
    std::thread other([&] {
      for (letter& each : letters) {
        each.text = 1;
        kernel::llist_add(each, box);
      }
    });
    read_all();
    other.join();
    read_all();
    ASSERT_EQ(read, 2);
  }
}

}  // namespace
