// std::memory_order under heddle's name, the same in both builds.
#pragma once

#include <atomic>

namespace heddle {

using std::memory_order;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_consume;  // the checker takes it for acquire, as compilers do
using std::memory_order_relaxed;
using std::memory_order_release;
using std::memory_order_seq_cst;

}  // namespace heddle
