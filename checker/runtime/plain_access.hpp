// Data races on plain memory: accesses that are no events, ordered by the views of the events
// around them. shared/design/exploration.md 7.1.
//
// An access of thread t after its first c events precedes what a view V includes exactly if
// V[t] > c: then the event that follows the access is included.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "checker/graph/clock.hpp"
#include "checker/runtime/location.hpp"

namespace heddle::runtime {

class plain_memory {
 public:
  struct access {
    graph::thread_id thread = 0;
    std::uint32_t count = 0;  // events of the thread before it
    bool writes = false;
    location where;
  };

  void start_execution() { ++execution_; }

  // Notes the access; if an earlier one conflicts with it and is not ordered before it, returns
  // that one.
  std::optional<access> note(const void* address, const access& now, const graph::view& past) {
    cell& c = cells_[address];
    if (c.execution != execution_) {
      c.execution = execution_;
      c.written = false;
      c.reads.clear();
    }
    if (c.written && unordered(c.write, now, past)) return c.write;
    if (now.writes) {
      for (const access& read : c.reads)
        if (unordered(read, now, past)) return read;
      c.reads.clear();  // ordered before this write, so whatever races with them races with it
      c.written = true;
      c.write = now;
      return {};
    }
    for (access& read : c.reads) {
      if (read.thread != now.thread) continue;
      read = now;
      return {};
    }
    c.reads.push_back(now);
    return {};
  }

 private:
  struct cell {
    std::uint64_t execution = 0;
    bool written = false;
    access write;
    std::vector<access> reads;  // the last of each thread since the last write
  };

  static bool unordered(const access& earlier, const access& now, const graph::view& past) {
    return earlier.thread != now.thread && past[earlier.thread] <= earlier.count;
  }

  std::uint64_t execution_ = 1;
  std::unordered_map<const void*, cell> cells_;
};

}  // namespace heddle::runtime
