// Mutual exclusion: mutex, its recursive and timed kin, the guards, lock and try_lock, with std's
// names and signatures; without native_handle.
//
// Production: they are std's. Checked: the mutexes report their misuse (locking twice, unlocking
// what another thread holds, destroying a held mutex), and the guards are heddle's own, so that
// reports name the user's line instead of one inside std's guards; std's guards work with them too.
#pragma once

#include <mutex>

#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/lock_several.hpp"
#include "heddle/checked/mutex.hpp"
#include "heddle/checked/once.hpp"
#include "heddle/checked/recursive_mutex.hpp"
#include "heddle/checked/timed_mutex.hpp"
#include "heddle/checked/unique_lock.hpp"
#else
namespace heddle {

using std::call_once;
using std::lock;
using std::lock_guard;
using std::mutex;
using std::once_flag;
using std::recursive_mutex;
using std::recursive_timed_mutex;
using std::scoped_lock;
using std::timed_mutex;
using std::try_lock;
using std::unique_lock;

}  // namespace heddle
#endif

namespace heddle {

using std::adopt_lock;
using std::adopt_lock_t;
using std::defer_lock;
using std::defer_lock_t;
using std::try_to_lock;
using std::try_to_lock_t;

}  // namespace heddle
