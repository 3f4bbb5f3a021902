// The tests of a peer, the Rust library loom: arc.rs, with a counted handle in place of Arc.
//
// Not here: detect_mem_leak, for what is not freed at the end of an execution is not reported yet.
#include <gtest/gtest.h>

#include <atomic>
#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>

#include "tests/unit/peer_checks.hpp"
#include "tests/unit/peer_counted.hpp"

namespace {

using heddle::atomic;
using heddle::require;
using heddle::thread;
using heddle::var;
using heddle::verdict_kind;
using peer::counted;
using peer::expect_passes;

struct state {
  ~state() { require(data == 1, "destroyed without the data"); }
  var<int> data{0};
  atomic<int> guard{0};
};

// Another thread writes the data and lets its handle go; then `reader` with the first thread's.
template <class Reader>
auto shared_with_a_writer(std::memory_order drop, Reader reader) {
  return [drop, reader] {
    counted<state> mine{drop};
    thread writer([theirs = mine] {
      theirs->data = 1;
      theirs->guard.store(1, std::memory_order_release);
    });
    writer.detach();
    reader(mine);
  };
}

// basic_usage
TEST(PeerArc, TheDataIsThereWhenTheFlagIsAndAtTheLastDrop) {
  const auto body = shared_with_a_writer(std::memory_order_release, [](counted<state>& mine) {
    while (mine->guard.load(std::memory_order_acquire) != 1) heddle::this_thread::yield();
    require(mine->data == 1, "not published");
  });
  for (const heddle::model m : peer::models) {
    const heddle::result r = heddle::check({.memory_model = m}, body);
    EXPECT_VERIFIED(r);
    // either drop is the last; and a first round of the loop may have failed
    EXPECT_GE(r.executions, 2u) << to_string(m);
    EXPECT_LE(r.executions, 4u) << to_string(m);
  }
}

// sync_in_drop
TEST(PeerArc, TheLastDropHappensAfterAllThatTheOthersDid) {
  expect_passes(2, shared_with_a_writer(std::memory_order_release, [](counted<state>&) {}));
}

// sync_in_drop, with a count that does not release
TEST(PeerArc, TheLastDropRacesIfTheCountIsRelaxed) {
  const auto body = shared_with_a_writer(std::memory_order_relaxed, [](counted<state>&) {});
  const heddle::result r = heddle::check({.memory_model = heddle::model::rc11}, body);
  EXPECT_VIOLATION(r, verdict_kind::data_race);
}

// try_unwrap_succeeds
TEST(PeerArc, TheOnlyOwnerMayTakeTheValue) {
  expect_passes(1, [] {
    counted<int> only{std::memory_order_release, 3};
    require(only.unwrap() == 3, "the only owner");
  });
}

// try_unwrap_fails
TEST(PeerArc, OneOfTwoOwnersMayNotTakeTheValue) {
  expect_passes(1, [] {
    counted<int> one{std::memory_order_release, 3};
    const counted<int> two{one};
    require(!one.unwrap(), "one of two owners");
    require(*one == 3 && *two == 3, "the value is gone");
  });
}

// try_unwrap_multithreaded
TEST(PeerArc, WhoIsJoinedOwnsNothingAnyMore) {
  expect_passes(1, [] {
    counted<int> mine{std::memory_order_release, 3};
    atomic<bool> may_drop{false};
    thread other([theirs = mine, &may_drop]() mutable {
      may_drop.wait(false);
      theirs.reset();
    });
    require(!mine.unwrap(), "the other thread has a handle");
    may_drop.store(true);
    may_drop.notify_one();
    other.join();
    require(mine.unwrap() == 3, "the only owner");
  });
}

}  // namespace
