// Small random programs over blocking primitives; the same seed gives the same program everywhere.
//
// A program features two kinds of primitives, which so meet each other and themselves, beside plain
// atomic accesses. Nearly all have a meaning: the machine finds the few that have none.
#pragma once

#include <cstdint>
#include <vector>

#include "tests/oracle/blocking_program.hpp"

namespace heddle::oracle::blocking {

enum class feature : std::uint8_t {
  mutex,
  await,
  condition,
  timed_wait,  // on a condition variable
  atomic_wait,
  semaphore,
  shared_mutex,
  latch,
};

struct random_options {
  std::vector<feature> features;
  int max_threads = 4;
  int max_instructions = 10;  // in all; a wait on a condition variable counts as three
};

[[nodiscard]] program random_program(std::uint64_t seed, const random_options& how);

}  // namespace heddle::oracle::blocking
