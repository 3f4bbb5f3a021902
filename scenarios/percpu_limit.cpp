// Comparing a per-CPU counter with a limit, and adding to it up to one: seed 002's surroundings
// (catalogue part B).

#include <algorithm>
#include <heddle/check_functions.hpp>
#include <heddle/scenario.hpp>
#include <heddle/thread.hpp>

#include "models/percpu_counter.hpp"

namespace {

using heddle::parameter;
using heddle::parameters;
using heddle::scenario;
using heddle::thread;
using heddle::verified;
using heddle::violation;
using models::percpu_counter;

const parameter seven_adds{.name = "adds", .value = 7, .min = 1, .max = 64};
const parameter limit_of_five{.name = "limit", .value = 5, .min = -1000, .max = 1000};
const parameter batch_of_eight{.name = "batch", .value = 8, .min = 1, .max = 1000};

// An owner adds with one batch, then somebody compares with another: the two together are no
// snapshot, so the owner is done first.
void compare_after_adding(const parameters& with, int batch_of_compare) {
  percpu_counter counter{1, with["batch"]};
  const auto add_up = [&] {
    for (int i = 0; i < with["adds"]; ++i) counter.add(0, 1);
  };
  thread owner{add_up};
  owner.join();
  const int truth = with["adds"] - with["limit"];
  heddle::require(counter.compare(with["limit"], batch_of_compare).sign == std::clamp(truth, -1, 1),
                  "the comparison is wrong");
}

// 8c1903d3081a: "otherwise the comparison does not work correctly".
const scenario compare_wrong_batch{
    .name = "percpu_limit.compare_wrong_batch",
    .id = "B-compare-wrong-batch",
    .expect = violation("the comparison is wrong"),
    .because = "a slot hides more than the comparison allows for",
    .parameters = {seven_adds, limit_of_five, batch_of_eight},
    .body = [](const parameters& with) { compare_after_adding(with, 2); },
};

const scenario compare_right_batch{
    .name = "percpu_limit.compare_right_batch",
    .id = "B-compare-right-batch",
    .expect = verified,
    .because = "a rough count that near to the limit is not relied upon",
    .parameters = {seven_adds, limit_of_five, batch_of_eight},
    .body = [](const parameters& with) { compare_after_adding(with, with["batch"]); },
};

// --- percpu_counter_limited_add ------------------------------------------------------------------

const parameter limit_of_ten{.name = "limit", .value = 10, .min = 0, .max = 1000};
const parameter six_at_start{.name = "initial", .value = 6, .min = 0, .max = 1000};
const parameter batch_of_two{.name = "batch", .value = 2, .min = 1, .max = 1000};

constexpr const char* above_limit = "the counter is above its limit";

void add_up_to_limit(const parameters& with, bool always_locked) {
  percpu_counter counter{2, with["batch"], with["initial"]};
  const int limit = with["limit"];
  bool first_added = false;
  bool second_added = false;
  thread first{[&] { first_added = counter.limited_add(0, limit, 4, always_locked); }};
  thread second{[&] { second_added = counter.limited_add(1, limit, 2, always_locked); }};
  first.join();
  second.join();
  const int total = with["initial"] + 4 * first_added + 2 * second_added;
  heddle::require(counter.sum() == total, "the counter has drifted");
  heddle::require(total <= std::max(limit, with["initial"]), above_limit);
}

// beb986862844 (Dickins 2023); Guzik's analysis of 2024, and a report of KCSAN.
const scenario limited_add{
    .name = "percpu_limit.limited_add",
    .id = "B-limited-add",
    .expect = violation(above_limit),
    .because = "the fast path stores what it found room for before the slow path took that room",
    .parameters = {six_at_start, limit_of_ten, batch_of_two},
    .body = [](const parameters& with) { add_up_to_limit(with, false); },
};

const scenario limited_add_locked{
    .name = "percpu_limit.limited_add_locked",
    .id = "B-limited-add-locked",
    .expect = verified,
    .because = "look and add are under the lock that the other one takes too",
    .parameters = {six_at_start, limit_of_ten, batch_of_two},
    .body = [](const parameters& with) { add_up_to_limit(with, true); },
};

}  // namespace
