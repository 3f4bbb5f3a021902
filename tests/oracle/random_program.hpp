// Small random litmus programs, for comparing an engine with the oracle. The same seed gives the
// same program everywhere: the generator uses its own random numbers (SplitMix64), not the
// distributions of <random>, which differ between libraries.
//
// A program features three of the rarer kinds of operation, so that each kind gets its share and
// still meets itself in the same program; one program in four is full of sequentially consistent
// accesses. Values are small and locations few, so that most operations race with something.
#pragma once

#include <cstdint>

#include "checker/litmus/program.hpp"

namespace heddle::oracle {

struct random_options {
  int max_threads = 4;     // at least 2
  int max_operations = 4;  // of a thread; a lock with its body and unlock is one
  int max_events = 11;     // reads and writes in all; a lock may go a little beyond
  bool awaits = true;
  bool plain_accesses = true;  // programs that have some often race
  bool assertions = false;
};

[[nodiscard]] litmus::program random_program(std::uint64_t seed, const random_options& how = {});

}  // namespace heddle::oracle
