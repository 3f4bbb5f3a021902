// What a program over blocking primitives can do, by brute force: every interleaving of its steps
// under sequential consistency, from the rules of the standard and nothing of the engine.
//
// Each instruction is one step but for waits on condition variables: a step that unlocks and
// enqueues, sleep until notified, a step that locks again. No wake-up is spurious, no try fails
// without a reason, and a timed wait may time out whenever it sleeps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "tests/oracle/blocking_program.hpp"

namespace heddle::oracle::blocking {

// Whom wake_one(x) and wake_all(x) wake.
enum class wake_rule : std::uint8_t {
  eligible,  // whom [atomics.wait] calls eligible: x was written since they went to sleep
  any,       // also who will see the same value again, as a futex does
};

struct machine_options {
  wake_rule wakes = wake_rule::eligible;
  std::size_t max_states = 0;  // give up beyond; 0: never
};

struct machine_result {
  std::set<outcome> outcomes;
  // Undefined behaviour in the standard that some interleaving runs into; empty: none.
  std::string misuse;
  std::size_t states = 0;
  bool too_large = false;  // gave up, all the above is incomplete
};

[[nodiscard]] machine_result run_machine(const program& source, const machine_options& how = {});

}  // namespace heddle::oracle::blocking
