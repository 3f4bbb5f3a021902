// What happens once, by whoever comes first (exploration.md 9.8): 0 not yet, 1 somebody is at it, 2
// done. Coming to it is one read-modify-write that waits while it is 1; at 2 it is only a read with
// acquire order. So N threads are N executions: one for each who may be the first.
#pragma once

#include <cstdint>
#include <type_traits>

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

class once {
 public:
  constexpr once() noexcept {
    if (!std::is_constant_evaluated()) runtime::constructed(this, {});
  }
  once(const once&) = delete;
  once& operator=(const once&) = delete;

  // True: the caller does it, and calls `end`. Misuse if it is at it already. Outside a body it
  // acts on the object, and that is a usage_error.
  bool begin(runtime::location where);
  // Not done: the next one tries again.
  void end(bool is_done, runtime::location where);

 private:
  graph::value bytes() const { return {state_, 0}; }

  std::uint32_t state_ = 0;
};

}  // namespace heddle::sync
