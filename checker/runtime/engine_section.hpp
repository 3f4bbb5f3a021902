// While it lives, a fiber runs the engine's code: the heap is the real one, and nothing user code
// does from here is taken for a request of the body.
#pragma once

#include "checker/runtime/execution.hpp"
#include "checker/runtime/heap.hpp"

namespace heddle::runtime {

class engine_section {
 public:
  engine_section() : execution_{*current_execution} {
    heap_disable();
    current_execution = nullptr;
  }
  ~engine_section() {
    heap_enable(execution_.this_thread());
    current_execution = &execution_;
  }
  engine_section(const engine_section&) = delete;
  engine_section& operator=(const engine_section&) = delete;

  execution& operator*() const { return execution_; }
  execution* operator->() const { return &execution_; }

 private:
  execution& execution_;
};

}  // namespace heddle::runtime
