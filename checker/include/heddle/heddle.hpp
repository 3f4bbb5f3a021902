// All of heddle for models and bodies, in either build; in the checked build with `check`.
#pragma once

#include "heddle/atomic.hpp"
#include "heddle/await.hpp"
#include "heddle/barrier.hpp"
#include "heddle/check_functions.hpp"
#include "heddle/clock.hpp"
#include "heddle/condition_variable.hpp"
#include "heddle/error.hpp"
#include "heddle/jthread.hpp"
#include "heddle/latch.hpp"
#include "heddle/memory_order.hpp"
#include "heddle/mutex.hpp"
#include "heddle/name.hpp"
#include "heddle/semaphore.hpp"
#include "heddle/shared_mutex.hpp"
#include "heddle/stop_token.hpp"
#include "heddle/thread.hpp"
#include "heddle/var.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/check.hpp"
#endif
