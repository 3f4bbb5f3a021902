// A counterexample for people: kind, message and place; a table with one column a thread and one
// row a step; the violated condition; a sentence for each read that interleaving does not explain;
// who sleeps, and why.
//
// ASCII, the same bytes for the same counterexample. Nothing here throws: what fails becomes
// "(report failed)".
#pragma once

#include <cstddef>
#include <string>

#include "checker/report/counterexample.hpp"

namespace heddle::report {

struct text_options {
  std::size_t width = 120;
  std::size_t max_rows = 400;  // of more, the first and, mostly, the last are shown
  std::size_t max_explanations = 8;
};

std::string to_text(const counterexample& what, const text_options& how = {}) noexcept;

// make_counterexample and to_text.
std::string to_text(const graph::execution_graph& graph, const run_facts& facts,
                    const text_options& how = {}) noexcept;

// What a row says in its column: "backlog.load -> 4".
std::string cell_text(const row& r);

}  // namespace heddle::report
