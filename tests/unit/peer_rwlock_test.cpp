// The tests that a peer has for its reader-writer lock, and two writers that nobody joins.
#include <gtest/gtest.h>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"
#include "heddle/scenario.hpp"
#include "tests/unit/shared_table.hpp"

namespace {

using heddle::require;
using tests::expect_executions;
using tests::table;
using tests::writers_and_readers;

template <class Mutex>
class PeerRwlock : public testing::Test {};
using shared = testing::Types<heddle::shared_mutex, heddle::shared_timed_mutex>;
TYPED_TEST_SUITE(PeerRwlock, shared);

TYPED_TEST(PeerRwlock, RwlockReadOne) {
  expect_executions(1, 0, [] {
    TypeParam lock;
    heddle::var<int> data{1};
    lock.lock_shared();
    heddle::thread second([&] {
      const heddle::shared_lock guard(lock);
      require(data == 1, "read while the first reads");
    });
    second.join();
    lock.unlock_shared();
  });
}

TYPED_TEST(PeerRwlock, RwlockReadTwoWriteOne) {
  expect_executions(14, 0, [] { writers_and_readers<TypeParam>(1, 2); });
}

TYPED_TEST(PeerRwlock, RwlockWriteThree) {
  expect_executions(6, 0, [] { writers_and_readers<TypeParam>(3, 0); });
}

// While this thread has the lock in one way, another one tries it in one way.
template <class Mutex>
bool gets_it(bool holder_shares, bool other_shares) {
  Mutex lock;
  heddle::var<int> data{0};
  if (holder_shares) {
    lock.lock_shared();
  } else {
    lock.lock();
    data = 1;
  }
  bool got = false;
  heddle::thread t([&] {
    got = other_shares ? lock.try_lock_shared() : lock.try_lock();
    if (got && other_shares) lock.unlock_shared();
    if (got && !other_shares) lock.unlock();
  });
  t.join();
  if (holder_shares) {
    lock.unlock_shared();
  } else {
    lock.unlock();
  }
  return got;
}

TYPED_TEST(PeerRwlock, WriteThenTryWrite) {
  expect_executions(1, 0, [] { require(!gets_it<TypeParam>(false, false), "held"); });
}
TYPED_TEST(PeerRwlock, WriteThenTryRead) {
  expect_executions(1, 0, [] { require(!gets_it<TypeParam>(false, true), "held"); });
}
TYPED_TEST(PeerRwlock, ReadThenTryWrite) {
  expect_executions(1, 0, [] { require(!gets_it<TypeParam>(true, false), "shared"); });
}
TYPED_TEST(PeerRwlock, ReadThenTryRead) {
  expect_executions(1, 0, [] { require(gets_it<TypeParam>(true, true), "shared"); });
}

// The writer before, around or after the try: 3.
TYPED_TEST(PeerRwlock, TryRead) {
  expect_executions(3, 2, [] {
    table<TypeParam> t;
    heddle::thread writer([&] { t.write(); });
    if (heddle::shared_lock guard(t.mutex, heddle::try_to_lock); guard) {
      require(t.first == t.second, "half written");
      heddle::reached("read");
    } else {
      heddle::reached("refused");
    }
    writer.join();
    require(t.first == 1, "written");
  });
}

TYPED_TEST(PeerRwlock, TryWrite) {
  expect_executions(3, 2, [] {
    table<TypeParam> t;
    heddle::thread reader([&] { (void)t.read(); });
    if (heddle::unique_lock guard(t.mutex, heddle::try_to_lock); guard) {
      ++t.first;
      ++t.second;
      heddle::reached("written");
    } else {
      heddle::reached("refused");
    }
    reader.join();
  });
}

// Detached: nobody waits for their end, so the lock lives in static storage.
constinit tests::table<heddle::shared_mutex> global_table;

TEST(PeerRwlockGlobal, RwlockTwoWritersDetached) {
  expect_executions(2, 0, [] {
    heddle::thread([] { global_table.write(); }).detach();
    heddle::thread([] { global_table.write(); }).detach();
    require(true, "started");
  });
}

}  // namespace
