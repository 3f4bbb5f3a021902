// Vector clocks in a pool: clock[u] = how many events of thread u are included.
//
// Clocks are never changed once other events may share them, and go away with the end of the pool,
// so a clock is a number and a graph's clocks are copied as one block. Clock 0 is all zeros.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "checker/graph/event.hpp"

namespace heddle::graph {

// What an event includes: a clock of the pool, and of its own thread `own_count` events.
struct view {
  const std::uint32_t* clock;
  thread_id own;
  std::uint32_t own_count;

  std::uint32_t operator[](thread_id thread) const {
    return thread == own ? own_count : clock[thread];
  }
  bool contains(event_id e) const { return e.is_initial() || e.index() < (*this)[e.thread()]; }
};

class clock_pool {
 public:
  clock_pool() { clear(); }

  void clear() {
    words_.assign(width_, 0);
    count_ = 1;
  }
  // No clocks, of this width.
  void clear(std::uint32_t width) {
    width_ = width;
    clear();
  }
  // Keeps the first `count` clocks.
  void truncate(clock_handle count) { count_ = count; }
  clock_handle count() const { return count_; }
  // Components in a clock: a multiple of 4 (one vector register), at least the number of threads.
  std::uint32_t width() const { return width_; }

  const std::uint32_t* operator[](clock_handle handle) const {
    return words_.data() + std::size_t{handle} * width_;
  }
  std::uint32_t* writable(clock_handle handle) {
    return words_.data() + std::size_t{handle} * width_;
  }

  // A new clock, a copy of `source`. The caller may write it until it adds another.
  clock_handle copy_of(clock_handle source) {
    const clock_handle made = reserve();
    std::copy_n((*this)[source], width_, writable(made));
    return made;
  }
  // A new clock, a copy of a clock of another pool of the same width.
  clock_handle copy_of(const std::uint32_t* source) {
    const clock_handle made = reserve();
    std::copy_n(source, width_, writable(made));
    return made;
  }

  // Gives every clock room for `threads` threads.
  void widen(std::uint32_t threads) {
    if (threads <= width_) return;
    const std::uint32_t wider = (threads + 3) / 4 * 4;
    std::vector<std::uint32_t> words(std::size_t{count_} * wider, 0);
    for (clock_handle clock = 0; clock < count_; ++clock)
      std::copy_n((*this)[clock], width_, words.begin() + std::ptrdiff_t{clock} * wider);
    words_ = std::move(words);
    width_ = wider;
  }

  // Is every component of `clock` at most the view's?
  bool includes(const view& of, clock_handle clock) const {
    const std::uint32_t* other = (*this)[clock];
    for (std::uint32_t u = 0; u < width_; ++u)
      if (other[u] > of.clock[u] && other[u] > of[u]) return false;
    return true;
  }

  void join(clock_handle into, const std::uint32_t* other) {
    std::uint32_t* target = writable(into);
    for (std::uint32_t u = 0; u < width_; ++u) target[u] = std::max(target[u], other[u]);
  }

 private:
  clock_handle reserve() {
    const std::size_t needed = (std::size_t{count_} + 1) * width_;
    if (words_.size() < needed) words_.resize(std::max(needed, words_.size() * 2));
    return count_++;
  }

  std::uint32_t width_ = 4;
  clock_handle count_ = 0;
  std::vector<std::uint32_t> words_;
};

}  // namespace heddle::graph
