// Waiting for a condition without a primitive to sleep on: what a loop around a load would do.
//
// await(object, pred, order = seq_cst) waits until pred(value of object) holds, and returns that
// value. await(pred) waits until pred() holds, and returns nothing.
//
// await_wakeup(object, pred, order) is the first form for a thread that sleeps until it is woken.
//
// `object` is an atomic or an atomic_flag. Production: spin with pause, then yield. Checked: see
// checked/await.hpp for what pred may be and what it costs.
#pragma once

#include "heddle/atomic.hpp"
#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/await.hpp"
#else
#include "heddle/production/await.hpp"
#endif
