// A lock within another primitive: part number `n` of its object. It protects the primitive's plain
// state, nobody holds it while user code runs, and reports do not show it.
#pragma once

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

inline void acquire_inner(const void* object, graph::value initial, std::uint32_t n,
                          runtime::location where) {
  graph::operation op;
  op.kind = graph::operation_kind::rmw;
  op.order = graph::memory_order::acquire;
  op.when = graph::condition::equal;
  op.blocks = true;
  op.expected = {};
  op.operand = {1, 0};
  op.object = graph::object_kind::inner;
  runtime::perform_part(object, initial, n, op, where);
}

inline void release_inner(const void* object, graph::value initial, std::uint32_t n,
                          runtime::location where) {
  graph::operation op;
  op.kind = graph::operation_kind::store;
  op.order = graph::memory_order::release;
  op.object = graph::object_kind::inner;
  runtime::perform_part(object, initial, n, op, where);
}

}  // namespace heddle::sync
