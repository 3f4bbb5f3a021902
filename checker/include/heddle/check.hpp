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
#include <type_traits>

#include "checker/runtime/location.hpp"
#include "heddle/options.hpp"
#include "heddle/result.hpp"

namespace heddle {

namespace detail {

// What can be copied and called without arguments: a lambda, a function.
template <class Body>
concept body = std::copy_constructible<std::decay_t<Body>> && std::invocable < std::decay_t<Body>
& > ;

// `call` runs a fresh copy of `body`.
result check(const options& with, void (*call)(const void* body), const void* body,
             runtime::location where);

}  // namespace detail

// Throws usage_error if an option has no meaning. Violations are results, not exceptions. One check
// at a time in a process; one inside a body is an error of the outer one.
template <detail::body Body>
result check(const options& with, const Body& body,
             runtime::location where = runtime::location::current()) {
  using object = std::decay_t<Body>;  // of a function: a pointer to it
  const object& original = body;
  return detail::check(
      with,
      [](const void* from) {
        object copy(*static_cast<const object*>(from));
        std::invoke(copy);
      },
      &original, where);
}

template <detail::body Body>
result check(const Body& body, runtime::location where = runtime::location::current()) {
  return check(options{}, body, where);
}

}  // namespace heddle
