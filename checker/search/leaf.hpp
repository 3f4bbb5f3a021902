// What the end of an execution means: complete, blocked, or threads that can never go on.
// shared/design/exploration.md 7.2.
#pragma once

#include "checker/search/explore.hpp"

namespace heddle::search {

struct leaf {
  ending how = ending::complete;
  // A deadlock or livelock, if it is one.
  std::optional<runtime::failure> failure;
  // A thread stands at max_steps, and somebody might still have ended its loop.
  bool cut = false;
  runtime::location cut_where;
};

leaf judge_leaf(strategy& strategy, const runtime::execution& execution,
                const graph::execution_graph& graph);

}  // namespace heddle::search
