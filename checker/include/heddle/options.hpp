// How to check: the options of `heddle::check` and the environment variables behind them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace heddle {

enum class model {
  rc11,  // C++20's, without out-of-thin-air values
  tso,   // total store order, as x86 has it
  sc,    // sequential consistency
};

enum class strategy {
  exhaustive,     // every consistent execution graph exactly once
  interleavings,  // every interleaving, unreduced; model::sc only
};

std::string_view to_string(model memory_model);
std::string_view to_string(strategy search);

// A field that is not set takes the environment variable's value, and else the default. An unknown
// or malformed value of a variable is a usage_error that names the valid ones.
struct options {
  // HEDDLE_MEMORY_MODEL = rc11, tso, sc; rc11
  std::optional<model> memory_model{};
  // HEDDLE_SEARCH = exhaustive, interleavings; exhaustive
  std::optional<strategy> search{};
  // HEDDLE_MAX_STEPS: events of one thread, 1 to 1,000,000; 10,000. A thread that comes there stops
  // and the others go on: a livelock if nobody can end the loop, else the search is incomplete.
  std::optional<std::uint32_t> max_steps{};
  // HEDDLE_MAX_THREADS: 1 to 64, the first included; 32.
  std::optional<std::uint32_t> max_threads{};
  // HEDDLE_MAX_EXECUTIONS; none. Hitting it is incomplete.
  std::optional<std::uint64_t> max_executions{};
  // HEDDLE_TIME_LIMIT: seconds; none. Hitting it is incomplete.
  std::optional<double> time_limit{};
  // HEDDLE_MAX_MEMORY: bytes of the process; none. Hitting it is incomplete.
  std::optional<std::uint64_t> max_memory{};
  // HEDDLE_STACK_SIZE: bytes of a thread's stack, 16 KiB to 64 MiB; 256 KiB.
  std::optional<std::size_t> stack_size{};
  // Set to true, from a signal handler say: the search ends as incomplete. Null: nobody does.
  const std::atomic<bool>* interrupted = nullptr;
};

// The options with the environment and the defaults filled in, so that every field with a default
// has a value. Throws usage_error.
options with_environment(const options& given);

}  // namespace heddle
