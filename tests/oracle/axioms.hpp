// The memory models, literally as the axioms of shared/design/exploration.md, section 2: RC11 after
// Lahav et al., PLDI'17 (herd's rc11.cat) with the release sequences of C++20 or C++11; TSO whose
// sequentially consistent stores carry a fence; SC.
#pragma once

#include "tests/oracle/execution.hpp"

namespace heddle::oracle {

enum class model { rc11, tso, sc };
enum class release_sequence { cpp20, cpp11 };

struct dialect {
  model memory_model = model::rc11;
  release_sequence sequences = release_sequence::cpp20;
};

[[nodiscard]] bool is_consistent(const execution& graph, dialect in);

// Two conflicting plain accesses that happens-before does not order. Happens-before is that of RC11
// under TSO too; under SC it is all of program order, reads-from and spawn/join (section 7.1).
[[nodiscard]] bool has_race(const execution& graph, dialect in);

}  // namespace heddle::oracle
