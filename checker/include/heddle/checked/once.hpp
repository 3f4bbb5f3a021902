// heddle::once_flag and call_once of the checked build.
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

// std::call_once: calls the function unless a call with the flag has returned; waits while another
// thread calls it. If it throws, the next caller tries again. A call from within the function, for
// the same flag, would wait for itself: it is misuse, with both source lines, and outside a body a
// usage_error.
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
