#include "checker/search/parking.hpp"

#include <algorithm>

namespace heddle::search {

using graph::event_id;
using graph::execution_graph;
using graph::park_record;

bool chain(const execution_graph& graph, const park_record& record, event_id write, bool any) {
  event_id c = write;
  for (;;) {
    if (c == record.mark) return true;
    if (c.is_initial() || graph[c].stamp <= record.stamp) return false;
    // the latest write, but for c, that was there or came with c's past
    const graph::view past = graph.causal_past(c);
    const auto order = graph.modification_order(record.location);
    event_id earlier = graph::initial_write;
    for (std::size_t i = order.size(); i > 0; --i) {
      const event_id e = order[i - 1];
      if (e != c && (graph[e].stamp <= record.stamp || past.contains(e))) {
        earlier = e;
        break;
      }
    }
    if ((c != write || !any) && graph.position(c) < graph.position(earlier)) return false;
    c = earlier;
  }
}

const park_record* last_marked(const execution_graph& graph, graph::thread_id thread,
                               std::uint32_t index) {
  const park_record* last = nullptr;
  graph.for_records_of(thread, index, [&](const park_record& record) {
    if (record.marked()) last = &record;
  });
  return last;
}

bool record_maximal(const execution_graph& graph, const previous& present,
                    const park_record& record) {
  if (!record.marked()) return true;
  if (!present.contains(record.mark, record.stamp)) return false;
  const event_id latest =
      present.latest(record.location, graph.position(record.mark), record.stamp);
  return chain(graph, record, latest, false);
}

void keep_satisfying(const execution_graph& graph, graph::thread_id thread,
                     const graph::operation& op, std::vector<event_id>& candidates) {
  const std::uint32_t index = graph.size(thread);
  graph::stamp bar = 0;
  bool parked = false;
  graph.for_records_of(thread, index, [&](const park_record& record) {
    parked = true;
    bar = std::max(bar, record.bar);
  });
  const park_record* mark = parked ? last_marked(graph, thread, index) : nullptr;
  std::erase_if(candidates, [&](event_id write) {
    if (!op.holds_for(graph.value_of(op.location, write))) return true;
    if (!parked) return false;
    return write.is_initial() || graph[write].stamp < bar ||
           (mark != nullptr && !chain(graph, *mark, write, true));
  });
}

bool waits_for_ever(const execution_graph& graph, graph::thread_id thread,
                    const graph::operation& op) {
  const event_id latest = graph.latest(op.location);
  if (op.holds_for(graph.value_of(op.location, latest))) return false;
  const park_record* mark = last_marked(graph, thread, graph.size(thread));
  return mark == nullptr || chain(graph, *mark, latest, false);
}

}  // namespace heddle::search
