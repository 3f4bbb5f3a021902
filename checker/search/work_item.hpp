// A work item: a graph and the one change to make. The graph is that of the item's level, as it was
// at the item's stamp; levels are stacked, one for each nested backward revisit, so that a change
// is four words and not a graph (shared/design/exploration.md 5.11, representation B).
#pragma once

#include <cstdint>
#include <vector>

#include "checker/graph/execution_graph.hpp"

namespace heddle::search {

enum class change_kind : std::uint8_t {
  read_again,    // the thread's read at the stamp takes another source
  place_again,   // the write stands elsewhere in modification order
  choose_again,  // the choice has another value
  revisit,       // the read takes the write, which came later; what is between them goes
};

struct change {
  change_kind kind;
  graph::stamp at;          // of the event that changes; revisit: of the write
  graph::thread_id thread;  // read_again
  std::uint32_t operation;  // read_again: index into level::operations
  graph::event_id event;    // the write placed, the choice, the revisiting write
  graph::event_id source;   // read_again: what to read; revisit: the read
  std::uint32_t number;     // place_again: position; choose_again: value; revisit: which of the
                            // write's placements, last_placement: not known yet
  static constexpr std::uint32_t last_placement = 0xffffffff;
};

struct level {
  graph::execution_graph graph;
  std::vector<change> changes;               // to make, last first
  std::vector<graph::operation> operations;  // of read_again
};

}  // namespace heddle::search
