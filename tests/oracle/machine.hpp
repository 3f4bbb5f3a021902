// Runs a litmus program one event at a time against an execution graph that grows with it. The
// machine knows what an instruction does, not what a memory model allows: the caller says which
// write a read reads and where a write stands.
#pragma once

#include <vector>

#include "checker/litmus/program.hpp"
#include "tests/oracle/execution.hpp"

namespace heddle::oracle {

enum class thread_status : std::uint8_t {
  dormant,  // not spawned yet
  running,  // stands at an instruction that needs a decision, or at a join
  stuck,    // by an assume
  blocked,  // by an await that read an unsatisfying value
  finished
};

struct thread_state {
  litmus::register_file registers{};
  int next = 0;  // instruction
  thread_status status = thread_status::dormant;
  std::int8_t spawn = litmus::none;  // the spawn event
  std::int8_t half = litmus::none;   // the read of a read-modify-write whose write is due
  std::int8_t end = litmus::none;    // the end event
  bool is_picking = false;           // the choice of a pick is due before that write
  std::int64_t new_value = 0;        // of that write
};

struct machine_state {
  execution graph;
  std::array<thread_state, max_threads> threads;
  bool assertion_failed = false;
};

class machine {
 public:
  explicit machine(const litmus::program& source);

  [[nodiscard]] machine_state start() const;

  // Everything that needs no decision: registers, conditions, fences, spawns, joins, ends. These
  // moves commute, so their order does not matter.
  void settle(machine_state& state) const;

  // The instruction at which a running thread stands.
  [[nodiscard]] const litmus::instruction& instruction_of(const machine_state& state,
                                                          int thread) const;
  [[nodiscard]] bool is_at_await(const machine_state& state, int thread) const;
  // For a thread at an await.
  [[nodiscard]] bool would_satisfy(const machine_state& state, int thread, int write) const;

  // The number of values to choose from at a choice or in the middle of a pick; else 0.
  [[nodiscard]] int choices(const machine_state& state, int thread) const;

  // For a thread that stands at such an instruction. `write` appends the write, also the one that
  // is due after the read of an update, without a place in co, and returns it.
  void choose(machine_state& state, int thread, int value) const;
  void read(machine_state& state, int thread, int source) const;
  int write(machine_state& state, int thread) const;

  [[nodiscard]] int thread_count() const { return static_cast<int>(source_.threads.size()); }

 private:
  struct effect;

  [[nodiscard]] effect effect_of(const machine_state& state, int thread, std::int64_t value) const;
  bool advance(machine_state& state, int thread) const;  // one such move, if there is one
  void deliver(thread_state& thread, const litmus::instruction& what, std::int64_t value) const;
  int append(machine_state& state, int thread, event what) const;

  const litmus::program& source_;
  std::vector<bool> is_spawned_, is_joined_;  // by some instruction of the program
};

}  // namespace heddle::oracle
