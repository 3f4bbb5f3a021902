// Where the state came from that the running thread has just found in an object: the other line of
// a misuse.
#pragma once

#include "checker/runtime/interface.hpp"

namespace heddle::sync {

// `made`: where the object was constructed, if nobody has changed it since.
inline runtime::location last_change(const void* object, runtime::location made) {
  const runtime::location where = runtime::last_change(object);
  return where.file == nullptr ? made : where;
}

}  // namespace heddle::sync
