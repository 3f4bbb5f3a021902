// Optimal exploration: every consistent execution graph exactly once, whatever the scheduler does.
// shared/design/exploration.md 5; the method is TruSt (Kokologiannakis, Marmanis, Gladstein,
// Vafeiadis, POPL'22), the treatment of awaits is parking (5.9).
//
// The rules by name: candidates and placements stand in memory_model/candidates, which events a
// revisit may delete in maximality, awaits in parking, what a revisit keeps in
// execution_graph::restrict_to_revisit.
#pragma once

#include <memory>
#include <vector>

#include "checker/memory_model/memory_model.hpp"
#include "checker/search/strategy.hpp"
#include "checker/search/work_item.hpp"

namespace heddle::search {

// What an unsatisfied await is: not in the graph and waiting, or a read after which the thread is
// stuck (exploration.md 5.8; more executions, the same complete ones).
enum class awaits : std::uint8_t { parked, as_assume };

class exhaustive : public strategy {
 public:
  explicit exhaustive(const memory_model::memory_model& model, awaits handling = awaits::parked);

  void restart() override;
  bool next() override;
  graph::execution_graph& graph() override { return top().graph; }
  runtime::answer perform(graph::thread_id thread, const graph::operation& op) override;
  bool decide(std::span<const graph::thread_id> waiting,
              std::span<const graph::operation* const> operations) override;
  bool waits_for_ever(graph::thread_id thread, const graph::operation& op) override;
  const memory_model::memory_model& model() const override { return model_; }

 private:
  level& top() { return *levels_[depth_ - 1]; }
  void push_level();

  runtime::answer read(graph::thread_id thread, const graph::operation& op);
  void write(graph::thread_id thread, const graph::operation& op);
  // The choice of a pick and the write half, in the graph alone; false: a dead end.
  bool finish_rmw(graph::thread_id thread);
  bool write_half(graph::thread_id thread);
  void record_revisits(graph::event_id write);

  bool make(const change& c);
  bool make_read(const change& c);
  bool make_revisit(const change& c);
  bool consistent(std::initializer_list<graph::event_id> changed);
  bool parks(const graph::operation& op) const {
    return op.blocks && !op.sleeps && handling_ == awaits::parked;
  }

  const memory_model::memory_model& model_;
  awaits handling_;
  bool started_ = false;
  std::vector<std::unique_ptr<level>> levels_;  // kept for reuse beyond depth_
  std::size_t depth_ = 0;
  std::vector<graph::event_id> candidates_;
  std::vector<std::uint32_t> positions_;
};

}  // namespace heddle::search
