// How to check: the options of `heddle::check` and the environment variables behind them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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

// Failures that std allows without a reason. Each is a free choice, explored both ways, at most so
// often by each thread of an execution; in the trace where it struck.
struct spurious_failures {
  std::uint32_t wakeups = 0;   // a wait on a condition variable returns although nobody notified
  std::uint32_t weak_cas = 0;  // compare_exchange_weak fails although the value is the expected one
  // try_lock of a mutex fails although it is free; try_acquire of a semaphore although its count is
  // above 0, and try_wait of a latch although its count is 0
  std::uint32_t try_lock = 0;

  friend bool operator==(const spurious_failures&, const spurious_failures&) = default;
};

// "no spurious failures", "at most 1 spurious wake-up in each thread".
std::string to_string(const spurious_failures& failures);

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
  // HEDDLE_SPURIOUS = off, a number for all three, or a list like wakeups=1,try_lock=2 (names:
  // wakeups, weak_cas, try_lock); off. Numbers up to 100.
  std::optional<spurious_failures> spurious{};
  // Set to true, from a signal handler say: the search ends as incomplete. Null: nobody does.
  const std::atomic<bool>* interrupted = nullptr;
};

// The options with the environment and the defaults filled in, so that every field with a default
// has a value. Throws usage_error.
options with_environment(const options& given);

}  // namespace heddle
