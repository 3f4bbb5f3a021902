// Several mutexes at once: lock, try_lock and scoped_lock of the checked build.
//
// std::lock may use any sequence of lock, try_lock and unlock that does not deadlock. libstdc++'s
// (hold one, try the others, start over with the one that failed) lets two such calls chase each
// other for ever, which would be an endless search. Here every call goes through the mutexes in
// the order of their addresses, so that calls among themselves only ever wait; a try that fails,
// because some other code holds that mutex, gives up everything, waits for that mutex and starts
// over.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <tuple>

#include "heddle/checked/lockable.hpp"

namespace heddle {

namespace checked {

// A lockable of any type.
struct lockable {
  void* object;
  void (*lock)(void*, location);
  bool (*try_lock)(void*, location);
  void (*unlock)(void*, location);
};

template <class Mutex>
lockable as_lockable(Mutex& mutex) {
  return {
      const_cast<void*>(static_cast<const void*>(std::addressof(mutex))),
      [](void* object, location where) { lock_at(*static_cast<Mutex*>(object), where); },
      [](void* object, location where) { return try_lock_at(*static_cast<Mutex*>(object), where); },
      [](void* object, location where) { unlock_at(*static_cast<Mutex*>(object), where); }};
}

// Takes all of them, in the order given; on a failure none, and returns its index, else -1.
template <std::size_t Count>
int try_lock_in_order(std::array<lockable, Count>& all, std::size_t from, location where) {
  for (std::size_t i = from; i < Count; ++i) {
    if (!all[i].try_lock(all[i].object, where)) {
      for (std::size_t k = i; k-- > 0;) all[k].unlock(all[k].object, where);
      return static_cast<int>(i);
    }
  }
  return -1;
}

template <std::size_t Count>
void lock_all(std::array<lockable, Count> all, location where) {
  std::sort(all.begin(), all.end(), [](const lockable& a, const lockable& b) {
    return std::less<void*>{}(a.object, b.object);
  });
  while (true) {
    all[0].lock(all[0].object, where);
    const int failed = try_lock_in_order(all, 1, where);
    if (failed < 0) return;
    const lockable& held = all[static_cast<std::size_t>(failed)];
    held.lock(held.object, where);
    held.unlock(held.object, where);
  }
}

}  // namespace checked

// std::lock: takes all, without deadlock.
template <class A, class B, class... More>
[[gnu::noinline]] void lock(A& a, B& b, More&... more) {
  checked::lock_all(
      std::array{checked::as_lockable(a), checked::as_lockable(b), checked::as_lockable(more)...},
      location::from_return_address(__builtin_return_address(0)));
}

// std::try_lock: takes all and returns -1, or none and returns the index of the one that failed.
template <class A, class B, class... More>
[[nodiscard, gnu::noinline]] int try_lock(A& a, B& b, More&... more) {
  std::array all{checked::as_lockable(a), checked::as_lockable(b), checked::as_lockable(more)...};
  return checked::try_lock_in_order(all, 0,
                                    location::from_return_address(__builtin_return_address(0)));
}

// std::scoped_lock.
template <class... Mutexes>
class [[nodiscard]] scoped_lock {
 public:
  explicit scoped_lock(Mutexes&... mutexes, location where = location::current())
      : mutexes_(mutexes...) {
    if constexpr (sizeof...(Mutexes) == 1) {
      (checked::lock_at(mutexes, where), ...);
    } else if constexpr (sizeof...(Mutexes) > 1) {
      checked::lock_all(std::array{checked::as_lockable(mutexes)...}, where);
    }
  }
  explicit scoped_lock(std::adopt_lock_t, Mutexes&... mutexes) noexcept : mutexes_(mutexes...) {}
  [[gnu::noinline]] ~scoped_lock() {
    const location where = location::from_return_address(__builtin_return_address(0));
    std::apply([where](auto&... each) { (checked::unlock_at(each, where), ...); }, mutexes_);
  }
  scoped_lock(const scoped_lock&) = delete;
  scoped_lock& operator=(const scoped_lock&) = delete;

 private:
  std::tuple<Mutexes&...> mutexes_;
};

template <class... Mutexes>
scoped_lock(Mutexes&...) -> scoped_lock<Mutexes...>;
template <class... Mutexes>
scoped_lock(std::adopt_lock_t, Mutexes&...) -> scoped_lock<Mutexes...>;

}  // namespace heddle
