// The counterexample of a failed run as text. Not for users: `result::counterexample` has it.
#pragma once

#include <string>
#include <string_view>

#include "checker/runtime/execution.hpp"

namespace heddle::detail {

// While the run that failed is still there.
std::string failure_text(const runtime::execution& run, const graph::execution_graph& graph,
                         const runtime::failure& failure, std::string_view memory_model);

}  // namespace heddle::detail
