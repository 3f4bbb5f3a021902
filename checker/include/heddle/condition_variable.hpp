// Condition variables: condition_variable, condition_variable_any and cv_status, with std's names
// and signatures; without native_handle and notify_all_at_thread_exit.
//
// Production: they are std's. Checked: what differs for the user is said in
// checked/condition_variable.hpp.
#pragma once

#include <condition_variable>

#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/condition_variable.hpp"
#include "heddle/checked/condition_variable_any.hpp"
#else
namespace heddle {

using std::condition_variable;
using std::condition_variable_any;

}  // namespace heddle
#endif

namespace heddle {

using std::cv_status;

}  // namespace heddle
