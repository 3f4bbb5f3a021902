// The techniques compile unchanged against std::, and a correct one keeps its promise on real
// threads.
#include <gtest/gtest.h>

#include <thread>

#include "models/block_reservation.hpp"
#include "models/cil_space.hpp"
#include "models/combining_backlog.hpp"
#include "models/deferred_work.hpp"
#include "models/kernel/task.hpp"
#include "models/kernel/wake_queue.hpp"
#include "models/log_grant.hpp"
#include "models/percpu_counter.hpp"
#include "models/quiesce_gate.hpp"
#include "models/shrinker_backlog.hpp"
#include "models/split_counter.hpp"

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

}  // namespace
