// Who has a lock, by its value: what the words of checker/sync/lock and shared_lock mean.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "checker/graph/operation.hpp"

namespace heddle::report {

struct lock_holders {
  std::vector<graph::thread_id> threads;  // none: it is free, or taken before the body began
  bool share = false;
};

// Nothing for what is no lock.
inline std::optional<lock_holders> holders_of(graph::object_kind kind, graph::value v) {
  if (kind != graph::object_kind::mutex && kind != graph::object_kind::shared_mutex) return {};
  lock_holders found;
  const auto holder = static_cast<std::uint32_t>(v.low);
  found.share = holder == 0;
  if (holder != 0 && holder <= graph::max_thread_count) found.threads.push_back(holder - 1);
  if (found.share)
    for (graph::thread_id t = 0; t < graph::max_thread_count; ++t)
      if ((v.high >> t & 1) != 0) found.threads.push_back(t);
  return found;
}

}  // namespace heddle::report
