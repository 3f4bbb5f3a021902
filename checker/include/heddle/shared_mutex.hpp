// Locks that many may share: shared_mutex, shared_timed_mutex and shared_lock, with std's names and
// signatures; without native_handle.
//
// Production: they are std's. Checked: the mutexes report their misuse, said in
// checked/shared_mutex.hpp, and shared_lock is heddle's own, so that reports name the user's line;
// std's guards work with them too.
#pragma once

#include <shared_mutex>

#include "heddle/mutex.hpp"
#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/shared_lock.hpp"
#include "heddle/checked/shared_mutex.hpp"
#else
namespace heddle {

using std::shared_lock;
using std::shared_mutex;
using std::shared_timed_mutex;

}  // namespace heddle
#endif
