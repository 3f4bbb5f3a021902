// Plain enumeration of all sequentially consistent interleavings, without any reduction: a second
// opinion on the exhaustive search, and a way to count.
//
// Scheduling points are memory operations (a read-modify-write is one), fences, and the steps of
// locks and awaits; starting, ending and joining threads are not. So store buffering has 6.
#pragma once

#include <memory>
#include <vector>

#include "checker/memory_model/memory_model.hpp"
#include "checker/search/strategy.hpp"

namespace heddle::search {

class interleavings final : public strategy {
 public:
  interleavings()
      : model_{memory_model::make_sequential_consistency()},
        graph_{graph::synchronisation::always} {}

  void restart() override;
  bool next() override;
  graph::execution_graph& graph() override { return graph_; }
  runtime::answer perform(graph::thread_id thread, const graph::operation& op) override;
  bool decide(std::span<const graph::thread_id>,
              std::span<const graph::operation* const>) override {
    return false;
  }
  bool schedules() const override { return true; }
  std::size_t choose(std::span<const graph::thread_id> threads,
                     std::span<const graph::operation* const> operations) override;
  bool waits_for_ever(graph::thread_id, const graph::operation&) override { return true; }
  const memory_model::memory_model& model() const override { return *model_; }

 private:
  struct decision {
    std::uint32_t chosen;
    std::uint32_t count;
  };

  // The next decision among `count` possibilities: as the path says, or the first.
  std::uint32_t decide_among(std::uint32_t count);
  bool is_enabled(const graph::operation& op) const;
  void write(graph::thread_id thread, graph::location_id location, graph::memory_order order,
             graph::value written, bool is_rmw);

  std::unique_ptr<memory_model::memory_model> model_;
  graph::execution_graph graph_;
  std::vector<decision> path_;  // of the execution
  std::size_t taken_ = 0;
  bool started_ = false;
  std::vector<std::size_t> enabled_;
};

}  // namespace heddle::search
