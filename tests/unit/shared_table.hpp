// A table under a reader-writer lock, for the tests of shared mutexes.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heddle/check.hpp"
#include "heddle/heddle.hpp"

namespace tests {

using heddle::model;
using heddle::require;

inline constexpr model models[] = {model::rc11, model::tso, model::sc};

// A body verified in so many executions under each memory model, none of them blocked, and with so
// many outcomes that it names.
template <class Body>
void expect_executions(std::uint64_t executions, std::size_t outcomes, Body body,
                       heddle::spurious_failures spurious = {}) {
  for (const model m : models) {
    const heddle::result r = heddle::check({.memory_model = m, .spurious = spurious}, body);
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, executions) << to_string(m);
    EXPECT_EQ(r.blocked, 0u) << to_string(m);
    EXPECT_EQ(r.reached.size(), outcomes) << to_string(m);
  }
}

// What readers read and writers write; all of it is checked for races.
template <class Mutex>
struct table {
  Mutex mutex;
  heddle::var<int> first{0};
  heddle::var<int> second{0};

  void write() {
    const heddle::lock_guard guard(mutex);
    ++first;
    ++second;
  }
  int read() {
    const heddle::shared_lock guard(mutex);
    require(first == second, "half written");
    return first;
  }
};

// Runs `writers` and `readers` threads of one section each; the body's own thread is the first.
template <class Mutex>
void writers_and_readers(int writers, int readers) {
  table<Mutex> t;
  std::vector<heddle::thread> others;
  for (int i = 0; i < writers + readers - 1; ++i) {
    if (i < readers) {
      others.emplace_back([&] { (void)t.read(); });
    } else {
      others.emplace_back([&] { t.write(); });
    }
  }
  if (writers > 0) {
    t.write();
  } else {
    (void)t.read();
  }
  for (heddle::thread& each : others) each.join();
  require(t.read() == writers, "a write was lost");
}

}  // namespace tests
