// The instrumented layer outside a body: constructing and destroying always work, what cannot block
// acts on the object, and everything else is the error.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <system_error>
#include <utility>

#include "heddle/heddle.hpp"

namespace {

constinit heddle::mutex global_mutex;
constinit heddle::var<int> global_var{4};

TEST(OutsideABody, AMutexIsTriedAndUnlockedButNotLocked) {
  ASSERT_TRUE(global_mutex.try_lock());
  EXPECT_FALSE(global_mutex.try_lock());
  global_mutex.unlock();
  EXPECT_THROW(global_mutex.lock(), heddle::usage_error);
  EXPECT_THROW(heddle::lock_guard guard(global_mutex), heddle::usage_error);
  EXPECT_THROW(heddle::unique_lock guard(global_mutex), heddle::usage_error);
  EXPECT_THROW(heddle::scoped_lock guard(global_mutex), heddle::usage_error);
  ASSERT_TRUE(global_mutex.try_lock());
  global_mutex.unlock();
}

TEST(OutsideABody, AMutexLockedByTryIsDestroyed) {
  const auto mutex = std::make_unique<heddle::mutex>();
  EXPECT_TRUE(mutex->try_lock());
}

TEST(OutsideABody, GuardsTakeWhatIsLocked) {
  heddle::mutex a;
  heddle::mutex b;
  ASSERT_EQ(heddle::try_lock(a, b), -1);
  { heddle::scoped_lock both(heddle::adopt_lock, a, b); }
  {
    heddle::unique_lock first(a, heddle::try_to_lock);
    EXPECT_TRUE(first.owns_lock());
    heddle::unique_lock<heddle::mutex> second(a, heddle::try_to_lock);
    EXPECT_FALSE(second);
    EXPECT_THROW(second.unlock(), std::system_error);
    EXPECT_THROW((void)first.try_lock(), std::system_error);
    second = std::move(first);
    EXPECT_TRUE(second.owns_lock());
    EXPECT_EQ(second.mutex(), &a);
    EXPECT_EQ(heddle::try_lock(b, a), 1);
    EXPECT_EQ(first.mutex(), nullptr);
    EXPECT_THROW((void)first.try_lock(), std::system_error);
  }
  EXPECT_EQ(heddle::try_lock(a, b), -1);
  heddle::lock_guard guard(a, heddle::adopt_lock);
  heddle::unique_lock rest(b, heddle::adopt_lock);
  EXPECT_EQ(rest.release(), &b);
}

TEST(OutsideABody, StdsGuardsWorkToo) {
  heddle::mutex a;
  const std::unique_lock guard(a, std::try_to_lock);
  EXPECT_TRUE(guard.owns_lock());
}

TEST(OutsideABody, AThreadIsMadeAndMovedButNotStarted) {
  heddle::thread none;
  heddle::thread other = std::move(none);
  none = std::move(other);
  swap(none, other);
  EXPECT_FALSE(other.joinable());
  EXPECT_EQ(other.get_id(), heddle::thread::id());
  EXPECT_EQ(heddle::this_thread::get_id(), heddle::thread::id());
  EXPECT_EQ(std::hash<heddle::thread::id>{}(none.get_id()),
            std::hash<heddle::thread::id>{}(heddle::thread::id()));
  EXPECT_THROW(heddle::thread([] {}), heddle::usage_error);
  EXPECT_THROW((void)heddle::daemon_thread([] {}), heddle::usage_error);
  EXPECT_THROW(none.join(), heddle::usage_error);
  EXPECT_THROW(none.detach(), heddle::usage_error);
  heddle::this_thread::yield();
  EXPECT_THROW(heddle::this_thread::sleep_for(std::chrono::seconds(1)), heddle::usage_error);
}

TEST(OutsideABody, VerdictsAreTheError) {
  EXPECT_THROW(heddle::require(true, "holds"), heddle::usage_error);
  EXPECT_THROW(heddle::assume(true), heddle::usage_error);
  EXPECT_THROW((void)heddle::choose(2), heddle::usage_error);
  heddle::atomic<int> object(1);
  heddle::name(object, "object");
  EXPECT_THROW(heddle::await(object, [](int value) { return value == 1; }), heddle::usage_error);
  heddle::atomic_flag flag;
  EXPECT_THROW(heddle::await(flag, [](bool set) { return !set; }), heddle::usage_error);
  EXPECT_THROW(heddle::await([] { return true; }), heddle::usage_error);
}

TEST(OutsideABody, TheErrorNamesTheOperation) {
  try {
    global_mutex.lock();
    FAIL();
  } catch (const heddle::usage_error& error) {
    EXPECT_NE(std::string(error.what()).find("mutex"), std::string::npos) << error.what();
  }
}

TEST(OutsideABody, AVarIsItsValue) {
  static_assert(sizeof(heddle::var<char>) == 1);
  EXPECT_EQ(global_var, 4);
  heddle::var<int> number;
  EXPECT_EQ(number.get(), 0);
  number = 7;
  number += 2;
  number -= 1;
  EXPECT_EQ(number++, 8);
  EXPECT_EQ(--number, 8);
  EXPECT_EQ(number--, 8);
  EXPECT_EQ(++number, 8);
  number.set(number | 1);
  number ^= 3;
  number &= 14;
  number |= 64;
  EXPECT_EQ(number, 74);
  const heddle::var<int> copy = number;
  EXPECT_EQ(copy, number);

  heddle::var<std::uint8_t> narrow{255};
  narrow += 2;
  EXPECT_EQ(narrow, 1);

  heddle::var<std::string> text{"some"};
  text.write([](std::string& value) { value += " text"; });
  EXPECT_EQ(text.read([](const std::string& value) { return value.size(); }), 9u);
  const heddle::var<std::string> moved = std::move(text);
  EXPECT_EQ(moved.get(), "some text");

  std::pair<int, int> pair{1, 2};
  heddle::var<std::pair<int, int>*> pointer{&pair};
  EXPECT_EQ(pointer->second, 2);
  EXPECT_EQ((*pointer).first, 1);
}

}  // namespace
