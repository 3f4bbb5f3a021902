// Linux's futex on an atomic of 4 bytes, for code that is built on it as a C library is. Not part
// of heddle.hpp. What the functions return is what the kernel does: a count, 0, or an error number
// negated, and never an exception.
//
//   futex_wait(word, expected)             0: woken; -EAGAIN: the value is not `expected`
//   futex_wait_for(word, expected, time)   also -ETIMEDOUT
//   futex_wake(word, n)                    wakes up to n who wait; the number of them. n >= 1
//   futex_requeue(from, wake, move, to)    wakes up to `wake` of those who wait on `from`, and
//   makes
//                                          up to `move` others wait on `to`; the number of both
//   futex_cmp_requeue(from, expected, wake, move, to)
//                                          the same, or -EAGAIN: `from` is not `expected`
//
// A wait that returns 0 may be for no reason: its caller looks at the word again. Production: the
// system call (private, so within one process; -EINTR is waited on). Checked: which of the waiting
// threads are woken is any choice, where Linux takes them by priority and arrival; wake-ups for no
// reason come as often as options::spurious says.
#pragma once

#include "heddle/one_build.hpp"

#if defined(HEDDLE_CHECKED)
#include "heddle/checked/futex.hpp"
#else
#include "heddle/production/futex.hpp"
#endif
