// thread_local variables of the program for threads that are fibers: each thread of an execution
// has its own, as new at its start and destroyed at its end.
//
// All fibers run on one OS thread and so share one block of thread_locals. The block's bytes are
// exchanged when another thread of the body goes on; a variable has the same address in all of
// them. So the address of one must not be given to another thread: the layer reports where that is
// seen (owns). Only variables of the executable itself; those of shared libraries stay the OS
// thread's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "checker/graph/event.hpp"
#include "checker/runtime/program_image.hpp"

namespace heddle::runtime {

class thread_locals {
 public:
  thread_locals();

  // Keeps what the OS thread has now, to be put back by `leave`. In between, `enter` alone changes
  // the block.
  void start_execution();
  // A thread that is new in this execution: its variables are as the program declares them.
  void make_new(graph::thread_id thread);
  void enter(graph::thread_id thread);
  void leave();

  const thread_local_block& block() const { return block_; }
  bool owns(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) -
               reinterpret_cast<std::uintptr_t>(block_.begin) <
           block_.size;
  }

 private:
  static constexpr graph::thread_id outside = graph::max_thread_count;

  void copy(std::byte* to, const std::byte* from) const;

  thread_local_block block_;
  bool any_ = false;
  // The engine's own, which belongs to the OS thread and is left alone: offsets in the block.
  std::size_t kept_from_ = 0;
  std::size_t kept_to_ = 0;
  graph::thread_id current_ = outside;
  std::vector<std::vector<std::byte>> saved_;  // by thread; at `outside` the OS thread's
};

}  // namespace heddle::runtime
