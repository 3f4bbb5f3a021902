// What the end of an execution means: complete, blocked, or threads that can never go on.
// shared/design/exploration.md 7.2.
#pragma once

#include "checker/search/explore.hpp"

namespace heddle::search {

struct leaf {
  ending how = ending::complete;
  // A deadlock or livelock, if it is one.
  std::optional<runtime::failure> failure;
  // A thread stands at max_steps: what it would have done is not explored. (A livelock is, though:
  // `failure` says so.)
  bool cut = false;
  runtime::location cut_where;
};

leaf judge_leaf(strategy& strategy, const runtime::execution& execution,
                const graph::execution_graph& graph);

}  // namespace heddle::search
