// Asking threads to stop: stop_source, stop_token, stop_callback, nostopstate, with std's names and
// signatures; jthread is in jthread.hpp.
//
// Production: they are std's. Checked: what differs for the user is said in checked/stop_token.hpp.
#pragma once

#include <stop_token>

#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/stop_token.hpp"
#else
namespace heddle {

using std::stop_callback;
using std::stop_source;
using std::stop_token;

}  // namespace heddle
#endif

namespace heddle {

using std::nostopstate;
using std::nostopstate_t;

}  // namespace heddle
