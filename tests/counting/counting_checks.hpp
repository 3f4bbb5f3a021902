// What a test of a counting object says about a body, under each memory model.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>
#include <string>
#include <vector>

namespace counting {

inline constexpr heddle::model models[] = {heddle::model::rc11, heddle::model::tso,
                                           heddle::model::sc};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Does a place end with "folder/file.cpp:line"?
inline testing::AssertionResult is_line(const std::string& place, const char* file, int line) {
  const std::string path = file;
  const std::string wanted = path.substr(path.find_last_of('/') + 1) + ":" + std::to_string(line);
  if (line != 0 && place.ends_with(wanted)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << '"' << place << "\" is not " << wanted;
}

// Verified in so many executions, none of them blocked.
template <class Body>
void expect_executions(std::uint64_t executions, Body body,
                       heddle::spurious_failures spurious = {}) {
  for (const heddle::model m : models) {
    const heddle::result r = heddle::check({.memory_model = m, .spurious = spurious}, body);
    EXPECT_VERIFIED(r);
    EXPECT_EQ(r.executions, executions) << to_string(m);
    EXPECT_EQ(r.blocked, 0u) << to_string(m);
  }
}

// Fails in this way. Returns the last result, for more questions.
template <class Body>
heddle::result expect_failure(heddle::verdict_kind kind, const std::string& message, Body body) {
  heddle::result last;
  for (const heddle::model m : models) {
    last = heddle::check({.memory_model = m}, body);
    EXPECT_VIOLATION(last, kind);
    EXPECT_TRUE(contains(last.message, message)) << last.message;
  }
  return last;
}

// Runs work(0), ..., work(count - 1) on a thread each, and joins them.
template <class Work>
void on_threads(int count, Work work) {
  std::vector<heddle::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&work, t] { work(t); });
  for (heddle::thread& t : threads) t.join();
}

}  // namespace counting
