// heddle::thread of the checked build.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <functional>
#include <limits>
#include <ostream>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "heddle/checked/request.hpp"

namespace heddle {

class thread;

namespace checked {

struct thread_access;

// What a thread can be constructed with: all but a thread, which is moved.
template <class Function>
concept thread_function = !std::same_as<std::remove_cvref_t<Function>, thread>;

}  // namespace checked

// std::thread for a thread of the body. Starting one outside a body throws usage_error. Misuse, a
// violation of its own kind that names the place where the thread was started: destroying a thread
// that is joinable or assigning to it; joining or detaching one that is not; joining oneself.
// An execution ends when all its threads have, the detached ones too.
class thread {
 public:
  class id;

  thread() noexcept = default;

  // Copies or moves `function` and `args` into memory of the starting thread, and calls the copies
  // in the new one, which destroys them before it ends.
  template <checked::thread_function Function, class... Args>
  [[gnu::noinline]] explicit thread(Function&& function, Args&&... args)
      : thread(start{false, location::from_return_address(__builtin_return_address(0))},
               std::forward<Function>(function), std::forward<Args>(args)...) {}
  thread(thread&& other) noexcept { swap(other); }
  [[gnu::noinline]] thread& operator=(thread&& other) noexcept {
    check_not_joinable("a joinable thread is assigned to",
                       location::from_return_address(__builtin_return_address(0)));
    number_ = std::exchange(other.number_, none);
    started_ = other.started_;
    return *this;
  }
  [[gnu::noinline]] ~thread() {
    check_not_joinable("a joinable thread is destroyed: neither joined nor detached",
                       location::from_return_address(__builtin_return_address(0)));
  }

  [[nodiscard]] bool joinable() const noexcept { return number_ != none; }
  [[nodiscard]] inline id get_id() const noexcept;

  // Waits until the thread has ended; all it did happens before the return.
  void join(location where = location::current()) {
    if (!runtime::active()) runtime::outside_of_check("joining a thread", where);
    if (!joinable()) runtime::misuse("join of a thread that is not joinable", where, started_);
    if (number_ == runtime::this_thread()) {
      runtime::misuse("a thread joins itself", where, started_);
    }
    runtime::join(number_, where);
    number_ = none;
  }
  void detach(location where = location::current()) {
    if (!runtime::active()) runtime::outside_of_check("detaching a thread", where);
    if (!joinable()) runtime::misuse("detach of a thread that is not joinable", where, started_);
    runtime::detach(number_);
    number_ = none;
  }

  void swap(thread& other) noexcept {
    std::swap(number_, other.number_);
    std::swap(started_, other.started_);
  }

  // Always 2: what a body does must not depend on the machine.
  [[nodiscard]] static unsigned hardware_concurrency() noexcept { return 2; }

 private:
  static constexpr graph::thread_id none = std::numeric_limits<graph::thread_id>::max();

  struct start {
    bool daemon;
    location where;
  };

  template <class Function, class... Args>
  friend thread daemon_thread(Function&&, Args&&...);
  friend struct checked::thread_access;

  template <class Function, class... Args>
  thread(start how, Function&& function, Args&&... args) : started_(how.where) {
    static_assert(
        std::is_invocable_v<std::decay_t<Function>, std::decay_t<Args>...>,
        "heddle::thread: the function cannot be called with copies of these arguments, as "
        "rvalues; pass references with std::ref");
    if (!runtime::active()) runtime::outside_of_check("starting a thread", how.where);
    using call = std::tuple<std::decay_t<Function>, std::decay_t<Args>...>;
    void* const copies = new call(std::forward<Function>(function), std::forward<Args>(args)...);
    number_ = runtime::spawn(&run<call>, copies, how.daemon, how.where);
  }

  // The whole of the new thread. An exception goes on to the engine, which reports it.
  template <class Call>
  static void run(void* copies) {
    Call* const call = static_cast<Call*>(copies);
    std::apply([](auto&... each) { std::invoke(std::move(each)...); }, *call);
    delete call;
  }

  void check_not_joinable(std::string_view message, location where) const {
    if (joinable() && runtime::active()) runtime::misuse(message, where, started_);
  }

  graph::thread_id number_ = none;
  location started_;
};

// The thread's number within the execution, the same in every execution and schedule; or no thread.
class thread::id {
 public:
  constexpr id() noexcept = default;

  friend constexpr bool operator==(id, id) noexcept = default;
  friend constexpr std::strong_ordering operator<=>(id, id) noexcept = default;

  // The number; the main one's is 0.
  template <class Char, class Traits>
  friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& out,
                                                      id which) {
    return which == id{} ? out << "no thread" : out << which.number_;
  }

 private:
  friend class thread;
  friend struct std::hash<id>;
  friend struct checked::thread_access;

  constexpr explicit id(graph::thread_id number) noexcept : number_(number) {}

  graph::thread_id number_ = thread::none;
};

inline thread::id thread::get_id() const noexcept { return id{number_}; }

inline void swap(thread& a, thread& b) noexcept { a.swap(b); }

struct checked::thread_access {
  static thread::id id_of(graph::thread_id number) { return thread::id{number}; }
  template <class Function, class... Args>
  static thread start(location where, Function&& function, Args&&... args) {
    return thread(thread::start{false, where}, std::forward<Function>(function),
                  std::forward<Args>(args)...);
  }
};

// Starts a thread that may sleep for ever (thread.hpp).
template <class Function, class... Args>
[[nodiscard, gnu::noinline]] thread daemon_thread(Function&& function, Args&&... args) {
  return thread(thread::start{true, location::from_return_address(__builtin_return_address(0))},
                std::forward<Function>(function), std::forward<Args>(args)...);
}

}  // namespace heddle

template <>
struct std::hash<heddle::thread::id> {
  std::size_t operator()(heddle::thread::id which) const noexcept {
    return std::hash<heddle::graph::thread_id>{}(which.number_);
  }
};
