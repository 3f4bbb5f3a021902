// In the production build every name that std has is std's.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <type_traits>

#include "heddle/heddle.hpp"

namespace {

template <class A, class B>
constexpr bool same = std::is_same_v<A, B>;

static_assert(same<heddle::atomic<int>, std::atomic<int>>);
static_assert(same<heddle::atomic<int*>, std::atomic<int*>>);
static_assert(same<heddle::atomic_flag, std::atomic_flag>);
static_assert(same<heddle::memory_order, std::memory_order>);
static_assert(heddle::memory_order_acquire == std::memory_order_acquire);
static_assert(same<heddle::atomic_int, std::atomic_int>);
static_assert(same<heddle::atomic_uint64_t, std::atomic_uint64_t>);
static_assert(same<heddle::atomic_size_t, std::atomic_size_t>);
static_assert(same<heddle::atomic_bool, std::atomic_bool>);

static_assert(same<heddle::thread, std::thread>);
static_assert(same<decltype(heddle::daemon_thread([] {})), std::thread>);
static_assert(same<heddle::thread::id, decltype(heddle::this_thread::get_id())>);

static_assert(same<heddle::mutex, std::mutex>);
static_assert(same<heddle::lock_guard<heddle::mutex>, std::lock_guard<std::mutex>>);
static_assert(same<heddle::unique_lock<heddle::mutex>, std::unique_lock<std::mutex>>);
static_assert(same<heddle::scoped_lock<heddle::mutex>, std::scoped_lock<std::mutex>>);
static_assert(same<heddle::recursive_mutex, std::recursive_mutex>);
static_assert(same<heddle::timed_mutex, std::timed_mutex>);
static_assert(same<heddle::recursive_timed_mutex, std::recursive_timed_mutex>);
static_assert(same<heddle::shared_mutex, std::shared_mutex>);
static_assert(same<heddle::shared_timed_mutex, std::shared_timed_mutex>);
static_assert(same<heddle::shared_lock<heddle::shared_mutex>, std::shared_lock<std::shared_mutex>>);
static_assert(same<heddle::adopt_lock_t, std::adopt_lock_t>);
static_assert(same<heddle::defer_lock_t, std::defer_lock_t>);
static_assert(same<heddle::try_to_lock_t, std::try_to_lock_t>);

static_assert(same<heddle::condition_variable, std::condition_variable>);
static_assert(same<heddle::condition_variable_any, std::condition_variable_any>);
static_assert(same<heddle::stop_source, std::stop_source>);
static_assert(same<heddle::stop_token, std::stop_token>);
static_assert(same<heddle::stop_callback<void (*)()>, std::stop_callback<void (*)()>>);
static_assert(same<heddle::nostopstate_t, std::nostopstate_t>);
static_assert(same<heddle::jthread, std::jthread>);
static_assert(same<heddle::cv_status, std::cv_status>);
static_assert(same<heddle::steady_clock, std::chrono::steady_clock>);
static_assert(same<heddle::system_clock, std::chrono::system_clock>);
static_assert(same<heddle::high_resolution_clock, std::chrono::high_resolution_clock>);

static_assert(same<heddle::counting_semaphore<5>, std::counting_semaphore<5>>);
static_assert(same<heddle::binary_semaphore, std::binary_semaphore>);
static_assert(same<heddle::latch, std::latch>);
static_assert(same<heddle::barrier<>, std::barrier<>>);
static_assert(same<heddle::once_flag, std::once_flag>);

// var is transparent.
struct plain {
  int a;
  short b;
};
static_assert(sizeof(heddle::var<plain>) == sizeof(plain));
static_assert(alignof(heddle::var<plain>) == alignof(plain));
static_assert(sizeof(heddle::var<char>) == 1);
static_assert(std::is_trivially_copyable_v<heddle::var<plain>>);
static_assert(std::is_trivially_destructible_v<heddle::var<plain>>);
static_assert(!std::is_trivially_copyable_v<heddle::var<std::string>>);
static_assert([] {
  heddle::var<int> number{3};
  number += 4;
  ++number;
  number = number * 2;
  return number.get() == 16;
}());

TEST(ProductionNames, FunctionsAreStds) {
  heddle::atomic<int> object(1);
  EXPECT_EQ(heddle::atomic_fetch_add(&object, 2), 1);
  heddle::atomic_thread_fence(heddle::memory_order_seq_cst);
  heddle::atomic_wait(&object, 1);
  heddle::atomic_wait_explicit(&object, 1, heddle::memory_order_relaxed);
  heddle::atomic_notify_one(&object);
  heddle::atomic_notify_all(&object);
  heddle::mutex a;
  heddle::mutex b;
  heddle::lock(a, b);
  { heddle::scoped_lock both(heddle::adopt_lock, a, b); }
  EXPECT_EQ(heddle::try_lock(a, b), -1);
  a.unlock();
  b.unlock();
  heddle::name(object, "no code");
}

}  // namespace
