// The exhaustive search again, in the plainest form of shared/design/exploration.md 5.2 to 5.4: a
// work item is a whole graph, copied, changed and checked when it is pushed on one stack.
//
// A reference for search::exhaustive, which cuts one graph back instead and keeps revisits as notes
// until they are popped: both must hand the same graphs to the runtime in the same order. The rules
// (candidates, maximality, parking) are shared, the handling of items is not. As in the compact
// form the write half of a read-modify-write that is read again is done when the item is popped,
// and there is no look-ahead for conflicts.
#pragma once

#include <vector>

#include "checker/search/exhaustive.hpp"

namespace heddle::oracle {

class copying_search : public search::strategy {
 public:
  copying_search(const memory_model::memory_model& model, search::awaits handling);

  void restart() override {}  // no litmus program has loops
  bool next() override;
  graph::execution_graph& graph() override { return graph_; }
  runtime::answer perform(graph::thread_id thread, const graph::operation& op) override;
  bool decide(std::span<const graph::thread_id> waiting,
              std::span<const graph::operation* const> operations) override;
  bool waits_for_ever(graph::thread_id thread, const graph::operation& op) override;
  const memory_model::memory_model& model() const override { return model_; }

 private:
  using graph_type = graph::execution_graph;

  // A read-modify-write that was given another source, or a pick that was given another element,
  // lacks its write half when it is pushed.
  enum class half : std::uint8_t { none, read, choice };
  struct item {
    graph_type graph;
    graph::thread_id thread = 0;  // whose write half is missing
    half missing_after = half::none;
  };

  void push(graph_type copy);
  // Of `graph` with the read appended, if that is consistent.
  void push_read(const graph_type& graph, graph::thread_id thread, const graph::operation& op,
                 graph::event_id source);
  void push_choices(graph::thread_id thread, graph::event_id choice, std::uint32_t count,
                    half missing_after);
  void push_revisits(graph::event_id write);
  void push_revisit(graph::event_id read, graph::event_id write);

  runtime::answer read(graph::thread_id thread, const graph::operation& op);
  void write(graph::thread_id thread, const graph::operation& op);
  // In graph_; false: a dead end.
  bool finish_rmw(graph::thread_id thread);
  bool write_half(graph::thread_id thread);

  bool parks(const graph::operation& op) const {
    return op.blocks && handling_ == search::awaits::parked;
  }
  bool consistent(const graph_type& graph, std::initializer_list<graph::event_id> changed) const {
    return model_.consistent(graph, {changed.begin(), changed.size()});
  }

  const memory_model::memory_model& model_;
  search::awaits handling_;
  bool started_ = false;
  graph_type graph_;  // the one at work
  std::vector<item> stack_;
};

}  // namespace heddle::oracle
