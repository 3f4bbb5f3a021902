// What a peer's test says, under each memory model.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>

namespace peer {

inline constexpr heddle::model models[] = {heddle::model::sc, heddle::model::tso,
                                           heddle::model::rc11};

// "pass": complete, in so many executions, and none of them blocked.
template <class Body>
void expect_passes(std::uint64_t executions, Body body) {
  for (const heddle::model m : models) {
    const heddle::result r = heddle::check({.memory_model = m}, body);
    EXPECT_VERIFIED(r);
    EXPECT_EQ(r.executions, executions) << to_string(m);
    EXPECT_EQ(r.blocked, 0u) << to_string(m);
  }
}

// "FAIL", of this kind.
template <class Body>
void expect_fails(heddle::verdict_kind kind, Body body) {
  for (const heddle::model m : models) {
    const heddle::result r = heddle::check({.memory_model = m}, body);
    EXPECT_VIOLATION(r, kind) << to_string(m);
  }
}

}  // namespace peer
