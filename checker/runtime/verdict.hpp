// What a check can come to.
#pragma once

#include <string_view>

namespace heddle {

enum class verdict_kind {
  verified,  // every execution was explored and none violates anything
  // violations
  assertion,
  deadlock,
  lost_wakeup,
  livelock,
  data_race,
  memory,
  exception,
  crash,
  misuse,  // of a primitive: unlock by a thread that is not the owner, ...
  // neither
  incomplete,  // a bound cut the search
  error,       // a body that does not repeat itself, or misuse of the checker
};

constexpr bool is_violation(verdict_kind kind) {
  return kind > verdict_kind::verified && kind < verdict_kind::incomplete;
}

constexpr std::string_view to_string(verdict_kind kind) {
  switch (kind) {
    case verdict_kind::verified:
      return "verified";
    case verdict_kind::assertion:
      return "assertion";
    case verdict_kind::deadlock:
      return "deadlock";
    case verdict_kind::lost_wakeup:
      return "lost_wakeup";
    case verdict_kind::livelock:
      return "livelock";
    case verdict_kind::data_race:
      return "data_race";
    case verdict_kind::memory:
      return "memory";
    case verdict_kind::exception:
      return "exception";
    case verdict_kind::crash:
      return "crash";
    case verdict_kind::misuse:
      return "misuse";
    case verdict_kind::incomplete:
      return "incomplete";
    case verdict_kind::error:
      return "error";
  }
  return "?";
}

}  // namespace heddle
