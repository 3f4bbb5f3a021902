// A program over blocking primitives as a body under the engine, written with heddle's own objects.
#pragma once

#include <array>

#include "checker/runtime/execution.hpp"
#include "checker/search/explore.hpp"
#include "tests/oracle/blocking_program.hpp"

namespace heddle::oracle::blocking {

class body {
 public:
  explicit body(const program& source) : source_(source) {}

  [[nodiscard]] runtime::body call() const;

  // Of the execution that has just ended, complete or blocked.
  [[nodiscard]] outcome ended(const runtime::execution& run,
                              const graph::execution_graph& graph) const;

 private:
  struct objects;
  using location = runtime::location;

  void start();
  void interpret(std::size_t thread, objects& all);
  int carry_out(const instruction& what, objects& all, location where) const;

  // A group for each kind of object; the result is the register's. Each instruction has a place of
  // its own: a loop of the interpreter is none of the program's.
  static int atomic_step(const instruction& what, objects& all, location where);
  static int mutex_step(const instruction& what, objects& all, location where);
  static int condition_step(const instruction& what, objects& all, location where);
  static int semaphore_step(const instruction& what, objects& all, location where);
  static int shared_step(const instruction& what, objects& all, location where);
  static int latch_step(const instruction& what, objects& all, location where);

  const program& source_;
  // Of the execution. Fibers write here, so nothing of it allocates.
  std::array<thread_end, max_threads> threads_{};
  std::array<graph::thread_id, max_threads> ids_{};
  std::array<graph::location_id, atomic_count> locations_{};
};

}  // namespace heddle::oracle::blocking
