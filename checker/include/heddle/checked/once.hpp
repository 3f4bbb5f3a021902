// heddle::once_flag and call_once of the checked build. A call of call_once from within the
// function it calls, for the same flag, is misuse.
#pragma once

#include <functional>
#include <utility>

#include "checker/sync/once.hpp"
#include "heddle/checked/request.hpp"

namespace heddle {

// std::once_flag.
class once_flag {
 public:
  constexpr once_flag() noexcept = default;
  once_flag(const once_flag&) = delete;
  once_flag& operator=(const once_flag&) = delete;

 private:
  template <class Function, class... Args>
  friend void call_once(once_flag&, Function&&, Args&&...);

  sync::once once_;
};

// std::call_once: if the function throws, the next caller tries again.
template <class Function, class... Args>
[[gnu::noinline]] void call_once(once_flag& flag, Function&& function, Args&&... args) {
  const location where = location::from_return_address(__builtin_return_address(0));
  if (!flag.once_.begin(where)) return;
  try {
    std::invoke(std::forward<Function>(function), std::forward<Args>(args)...);
  } catch (...) {
    flag.once_.end(false, where);
    throw;
  }
  flag.once_.end(true, where);
}

}  // namespace heddle
