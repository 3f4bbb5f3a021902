// Why a read may miss a write that came before it: which orders or fences would have shown it.
// shared/design/exploration.md 2 (sw, psc) and 8.3.
//
// Two cases. The write is in the read's causal past: then some reads_from on the way from one to
// the other does not synchronise, because of its write, its read or both. Or it is not, and the
// read closes a cycle of program order and communication (store buffering, IRIW): then a pair of
// accesses of one thread on that cycle stands without what would keep it in order, a seq_cst fence
// between the two or seq_cst for both.
#pragma once

#include <vector>

#include "checker/graph/execution_graph.hpp"

namespace heddle::report {

struct missing_order {
  enum class what : std::uint8_t {
    release,  // `first`, a write, does not release what is before it
    acquire,  // `first`, a read, does not acquire what it sees released
    fence,    // between `first` and `second`, of one thread
  };
  what kind;
  graph::event_id first;
  graph::event_id second;
};

struct ordering_rules {
  // Only a write and a later read may change places; every store releases, every load acquires.
  bool total_store_order = false;
};

// Empty: nothing that is visible from the orders.
std::vector<missing_order> missing_between(const graph::execution_graph& graph,
                                           graph::event_id missed_write, graph::event_id read,
                                           const ordering_rules& rules = {});

}  // namespace heddle::report
