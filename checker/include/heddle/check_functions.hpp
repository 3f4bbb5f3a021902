// What a body says to the checker: require, and, in the checked build only, assume and choose.
#pragma once

#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/check_functions.hpp"
#else
#include "heddle/production/require.hpp"
#endif
