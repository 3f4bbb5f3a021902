#include "checker/search/strategy.hpp"

#include <cassert>

namespace heddle::search {

runtime::answer strategy::append_unbranching(graph::execution_graph& graph, graph::thread_id thread,
                                             const graph::operation& op) {
  switch (op.kind) {
    case graph::operation_kind::fence:
      graph.append_fence(thread, op.order);
      break;
    case graph::operation_kind::spawn:
      graph.append_spawn(thread, op.other);
      break;
    case graph::operation_kind::join:
      if (!graph.has_ended(op.other)) return {runtime::outcome::wait};
      graph.append_join(thread, op.other);
      break;
    case graph::operation_kind::notify:
      graph.append_notify(thread, op.location, op.count);
      break;
    case graph::operation_kind::end:
      graph.append_end(thread);
      break;
    default:
      assert(false);
  }
  return {};
}

}  // namespace heddle::search
