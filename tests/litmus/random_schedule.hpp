// The exhaustive search with a scheduler that lets any of the threads move next.
#pragma once

#include <cstdint>
#include <random>

#include "checker/search/exhaustive.hpp"

namespace heddle {

class random_schedule : public search::exhaustive {
 public:
  random_schedule(const memory_model::memory_model& model, search::awaits handling,
                  std::uint64_t seed)
      : exhaustive{model, handling}, random_{seed} {}

  bool schedules() const override { return true; }
  std::size_t choose(std::span<const graph::thread_id> threads,
                     std::span<const graph::operation* const>) override {
    return random_() % threads.size();
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace heddle
