// The futex functions of the checked build. A wake happens before the return of the waits that it
// ends, and what precedes it before a wait that comes too late and finds the value changed, as the
// kernel's own lock has it. Outside a body nobody waits: waking does nothing, and a wait that would
// sleep throws usage_error.
#pragma once

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <type_traits>

#include "checker/sync/futex.hpp"
#include "heddle/checked/atomic.hpp"
#include "heddle/checked/clock.hpp"

namespace heddle {

namespace checked {

template <class T>
sync::futex_word as_futex(const atomic<T>& word) {
  static_assert(sizeof(T) == 4, "heddle::futex: a word has 4 bytes");
  return {&word, atomic_access::bytes(word)};
}

inline std::uint32_t futex_count(int count, int least, location where) {
  if (count < least) runtime::misuse("a futex wakes or moves a negative number, or none", where);
  return static_cast<std::uint32_t>(count);
}

// `end`: null if there is none.
template <class T>
int futex_wait_until(const atomic<T>& word, T expected, const deadline* end, location where) {
  const bool is_over = end != nullptr && end->has_passed();
  sync::futex_wait wait(as_futex(word), where);
  if (!wait.enter(bits_of(expected), is_over)) return -EAGAIN;
  if (is_over) return -ETIMEDOUT;
  if (runtime::fails_spuriously(graph::choice_reason::spurious_wakeup, where)) {
    if (!wait.leave()) runtime::covered_elsewhere(where);
    return 0;
  }
  if (end == nullptr) {
    wait.sleep();
  } else if (wait.leave()) {
    end->pass();
    return -ETIMEDOUT;
  }
  return 0;
}

template <class T>
int futex_requeue(const atomic<T>& from, const graph::value* expected, int wake, int move,
                  const atomic<T>& to, location where) {
  if (&from == &to) runtime::misuse("a futex is requeued to itself", where);
  const std::int64_t count =
      sync::futex_requeue(as_futex(from), expected, futex_count(wake, 0, where),
                          futex_count(move, 0, where), as_futex(to), where);
  return count < 0 ? -EAGAIN : static_cast<int>(count);
}

}  // namespace checked

template <class T>
int futex_wait(const atomic<T>& word, std::type_identity_t<T> expected,
               location where = location::current()) {
  if (runtime::active()) return checked::futex_wait_until(word, expected, nullptr, where);
  if (word.load() == expected) runtime::outside_of_check("waiting on a futex", where);
  return -EAGAIN;
}

template <class T, class Rep, class Period>
int futex_wait_for(const atomic<T>& word, std::type_identity_t<T> expected,
                   const std::chrono::duration<Rep, Period>& time,
                   location where = location::current()) {
  if (runtime::active()) {
    const auto end = checked::deadline::after(time);
    return checked::futex_wait_until(word, expected, &end, where);
  }
  if (word.load() == expected) runtime::outside_of_check("waiting on a futex", where);
  return -EAGAIN;
}

template <class T>
int futex_wake(const atomic<T>& word, int count, location where = location::current()) {
  if (!runtime::active()) return 0;
  return static_cast<int>(
      sync::futex_wake(checked::as_futex(word), checked::futex_count(count, 1, where), where));
}

template <class T>
int futex_requeue(const atomic<T>& from, int wake, int move, const atomic<T>& to,
                  location where = location::current()) {
  if (!runtime::active()) return 0;
  return checked::futex_requeue(from, nullptr, wake, move, to, where);
}

template <class T>
int futex_cmp_requeue(const atomic<T>& from, std::type_identity_t<T> expected, int wake, int move,
                      const atomic<T>& to, location where = location::current()) {
  if (!runtime::active()) return from.load() == expected ? 0 : -EAGAIN;
  const graph::value bits = checked::bits_of(expected);
  return checked::futex_requeue(from, &bits, wake, move, to, where);
}

}  // namespace heddle
