// A 64-bit count on a 32-bit machine, read without its lock: two halves that are not read at once.
//
// fbc->count is an s64; percpu_counter_read on 32 bits loads its halves one after the other. Where
// the count crosses a border of the lower half a reader may have one half from before and one from
// after.
#pragma once

#include <cstdint>
#include <heddle/atomic.hpp>
#include <heddle/name.hpp>

namespace models {

class torn_count {
 public:
  explicit torn_count(std::int64_t value) : low_{low_of(value)}, high_{high_of(value)} {
    heddle::name(low_, "low");
    heddle::name(high_, "high");
  }

  void store(std::int64_t value) {
    low_.store(low_of(value), std::memory_order_relaxed);
    high_.store(high_of(value), std::memory_order_relaxed);
  }

  std::int64_t load() const {
    const std::uint64_t low = low_.load(std::memory_order_relaxed);
    const std::uint64_t high = high_.load(std::memory_order_relaxed);
    return static_cast<std::int64_t>(high << 32 | low);
  }

 private:
  static std::uint32_t low_of(std::int64_t value) { return static_cast<std::uint32_t>(value); }
  static std::uint32_t high_of(std::int64_t value) {
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(value) >> 32);
  }

  heddle::atomic<std::uint32_t> low_;
  heddle::atomic<std::uint32_t> high_;
};

}  // namespace models
