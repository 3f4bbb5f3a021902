// The futex functions of the production build: the system call.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <type_traits>
#include <utility>

namespace heddle {

namespace production {

template <class T>
std::uint32_t* futex_address(const std::atomic<T>& word) {
  static_assert(sizeof(std::atomic<T>) == 4, "heddle::futex: a word has 4 bytes");
  return reinterpret_cast<std::uint32_t*>(const_cast<std::atomic<T>*>(&word));
}

template <class T>
std::uint32_t futex_value(T value) {
  std::uint32_t bits = 0;
  static_assert(sizeof(value) == sizeof(bits));
  __builtin_memcpy(&bits, &value, sizeof(bits));
  return bits;
}

// The kernel's result. `argument`: the fourth of the call, a time or a number.
inline int futex_call(std::uint32_t* word, int operation, std::uint32_t value, const void* argument,
                      std::uint32_t* other = nullptr, std::uint32_t third = 0) {
  const int saved = errno;
  const long result =
      syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, argument, other, third);
  const int error = std::exchange(errno, saved);
  return result < 0 ? -error : static_cast<int>(result);
}

inline const void* as_argument(int number) {
  return reinterpret_cast<const void*>(static_cast<std::uintptr_t>(number));
}

}  // namespace production

template <class T>
int futex_wait(const std::atomic<T>& word, std::type_identity_t<T> expected) {
  int result = 0;
  do {
    result = production::futex_call(production::futex_address(word), FUTEX_WAIT,
                                    production::futex_value(expected), nullptr);
  } while (result == -EINTR);
  return result;
}

template <class T, class Rep, class Period>
int futex_wait_for(const std::atomic<T>& word, std::type_identity_t<T> expected,
                   const std::chrono::duration<Rep, Period>& time) {
  using std::chrono::ceil;
  using std::chrono::nanoseconds;
  using std::chrono::steady_clock;
  constexpr std::chrono::hours longest(24 * 365);
  const auto end = steady_clock::now() + (time < longest ? ceil<nanoseconds>(time) : longest);
  while (true) {
    const nanoseconds left = std::max<nanoseconds>(end - steady_clock::now(), nanoseconds(0));
    timespec wait{};
    wait.tv_sec = static_cast<std::time_t>(left.count() / 1'000'000'000);
    wait.tv_nsec = static_cast<long>(left.count() % 1'000'000'000);
    const int result = production::futex_call(production::futex_address(word), FUTEX_WAIT,
                                              production::futex_value(expected), &wait);
    if (result != -EINTR) return result;
  }
}

template <class T>
int futex_wake(const std::atomic<T>& word, int count) {
  return production::futex_call(production::futex_address(word), FUTEX_WAKE,
                                static_cast<std::uint32_t>(count), nullptr);
}

template <class T>
int futex_requeue(const std::atomic<T>& from, int wake, int move, const std::atomic<T>& to) {
  return production::futex_call(production::futex_address(from), FUTEX_REQUEUE,
                                static_cast<std::uint32_t>(wake), production::as_argument(move),
                                production::futex_address(to));
}

template <class T>
int futex_cmp_requeue(const std::atomic<T>& from, std::type_identity_t<T> expected, int wake,
                      int move, const std::atomic<T>& to) {
  return production::futex_call(production::futex_address(from), FUTEX_CMP_REQUEUE,
                                static_cast<std::uint32_t>(wake), production::as_argument(move),
                                production::futex_address(to), production::futex_value(expected));
}

}  // namespace heddle
