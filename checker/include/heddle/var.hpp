// var<T>: a plain variable, shared by threads that synchronise by other means.
//
// It behaves like a T: constructed, read by conversion or get(), assigned or set(). Two accesses
// that conflict and are not ordered by happens-before are a violation of kind data_race, found in
// every execution that has them; each access through var counts as one of the whole T.
// Production: a transparent wrapper with the size of T and no code of its own.
#pragma once

#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/var.hpp"
#else
#include "heddle/production/var.hpp"
#endif
