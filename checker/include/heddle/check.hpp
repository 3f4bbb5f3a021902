// The entry: runs a test body under the checker.
//
//     const heddle::result r = heddle::check([] {
//       heddle::atomic<int> x{0};
//       heddle::thread t([&] { x.store(1); });
//       t.join();
//       heddle::require(x.load() == 1, "the store was lost");
//     });
//
// The body is run once for every distinct behaviour that the memory model allows, each time from a
// fresh copy of the body object. It must do the same whenever its operations return the same.
// Not reset between executions, and so not to be written by a body: plain globals, thread_locals,
// and variables captured by reference from outside.
#pragma once

#include <concepts>
#include <functional>
#include <utility>

#include "checker/runtime/location.hpp"
#include "heddle/options.hpp"
#include "heddle/result.hpp"

namespace heddle {

namespace detail {

// `call` runs a fresh copy of `body`.
result check(const options& with, void (*call)(const void* body), const void* body,
             runtime::location where);

}  // namespace detail

// Throws usage_error if an option has no meaning. Violations are results, not exceptions. One check
// at a time in a process; one inside a body is an error of the outer one.
template <std::copy_constructible Body>
requires std::invocable<Body&> result check(
    const options& with, const Body& body, runtime::location where = runtime::location::current()) {
  return detail::check(
      with,
      [](const void* object) {
        Body copy(*static_cast<const Body*>(object));
        std::invoke(copy);
      },
      &body, where);
}

template <std::copy_constructible Body>
requires std::invocable<Body&> result
check(const Body& body, runtime::location where = runtime::location::current()) {
  return check(options{}, body, where);
}

}  // namespace heddle
