// A scenario: a named body whose verdict is declared for each memory model.
//
// Defining one at namespace scope registers it; the command line and the generated tests run what
// is registered. The sources must be linked as objects, not from an archive.
//
//     const heddle::scenario lost_adds{
//         .name = "backlog.read_then_set",
//         .id = "A-readset",
//         .expect = heddle::violation("objects were lost"),
//         .because = "an add between the read and the set of zero is erased",
//         .parameters = {{.name = "threads", .value = 3, .min = 1, .max = 8}},
//         .body = [](const heddle::parameters& with) { ... with["threads"] ... }};
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "checker/runtime/verdict.hpp"
#include "heddle/one_build.hpp"
#include "heddle/options.hpp"
#ifdef HEDDLE_CHECKED
#include "checker/runtime/interface.hpp"
#endif

namespace heddle {

struct expectation;

// What one memory model must say; an assertion also with its message.
struct declared_verdict {
  verdict_kind kind = verdict_kind::verified;
  std::string_view message{};

  // The same in every model.
  constexpr operator expectation() const;  // NOLINT: `.expect = verified` is the point
  friend constexpr bool operator==(const declared_verdict&, const declared_verdict&) = default;
};

// A model that is left out is not run: `.expect = {.sc = verified, .rc11 = deadlocks}`.
struct expectation {
  std::optional<declared_verdict> sc{};
  std::optional<declared_verdict> tso{};
  std::optional<declared_verdict> rc11{};
};

constexpr declared_verdict::operator expectation() const { return {*this, *this, *this}; }

inline constexpr declared_verdict verified{verdict_kind::verified};
inline constexpr declared_verdict deadlocks{verdict_kind::deadlock};
// A thread sleeps for ever that was to be woken.
inline constexpr declared_verdict loses_wakeup{verdict_kind::lost_wakeup};
inline constexpr declared_verdict races{verdict_kind::data_race};

// `require` fails with this message.
constexpr declared_verdict violation(std::string_view message) {
  return {verdict_kind::assertion, message};
}

struct parameter {
  std::string_view name;
  int value = 0;  // the declared one
  int min = 0;
  int max = 0;
};

// The values a body runs with.
class parameters {
 public:
  explicit parameters(std::vector<parameter> declared);

  // Throws std::out_of_range if the scenario declares no such parameter.
  int operator[](std::string_view name) const;

  // Throws std::invalid_argument, with a message for the user, for an unknown name or a value
  // outside [min, max].
  void set(std::string_view name, int value);

  // With other values than the declared ones the verdict is not judged.
  bool as_declared() const;

 private:
  std::vector<parameter> declared_;
  std::vector<int> values_;
};

struct scenario;

namespace detail {

// Keeps the scenario it is a member of in the registry for as long as it lives.
class registration {
 public:
  explicit registration(const scenario* registered);
  registration(const registration&) = delete;
  registration& operator=(const registration&) = delete;
  ~registration();

 private:
  const scenario* scenario_;
};

}  // namespace detail

struct scenario {
  std::string_view name;  // family.variant
  // In the catalogue, shared/design/scenarios.md, or bug-<row> of shared/data/real-bugs.md; several
  // may share one.
  std::string_view id{};
  expectation expect{};
  // Outcomes that `reached` must name: asked where the verdict is `verified`.
  std::vector<std::string_view> sometimes{};
  // Failures without a reason that the verdict is about: explored even if the options ask for none.
  spurious_failures spurious{};
  std::string_view because{};  // one sentence
  std::vector<heddle::parameter> parameters{};
  std::function<void(const heddle::parameters&)> body{};

  detail::registration registered{this};  // not to be given
};

// All of them, by name. Throws std::logic_error if two have one name.
std::vector<const scenario*> registered_scenarios();

// The body came to `outcome`. One that a scenario lists as `sometimes` and that no execution
// reaches is a surprise.
inline void reached([[maybe_unused]] std::string_view outcome) {
#ifdef HEDDLE_CHECKED
  runtime::reached(outcome);
#endif
}

}  // namespace heddle
