// A part of a program; compiled once for each build by two_builds_test.
#include <heddle/atomic.hpp>

heddle::atomic<int> HALF{0};
int PART() { return HALF.load(); }
