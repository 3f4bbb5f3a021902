#include "checker/sync/lifetime.hpp"

#include <string>

namespace heddle::sync {

namespace {
constexpr std::uint64_t destroyed = 1;
}

void check_alive(const void* object, std::string_view what, runtime::location where) {
  const runtime::object_side* const side = runtime::known_side(object);
  if (side != nullptr && side->word == destroyed)
    runtime::misuse(std::string{what} + " is used after it was destroyed", where, side->where);
}

void end_life(const void* object, graph::value bytes, std::string_view what,
              runtime::location where) {
  if (!runtime::active()) return;
  check_alive(object, what, where);
  if (const auto use = runtime::used_concurrently(object)) {
    const std::string thread = "thread " + std::to_string(use->thread);
    runtime::misuse(
        std::string{what} + " is destroyed while " + thread +
            (use->waits ? " waits for it" : " may still use it: nothing orders the two"),
        where, use->where);
  }
  runtime::object_side& side = runtime::side(object, bytes);
  side.word = destroyed;
  side.where = where;
}

}  // namespace heddle::sync
