// Summing a per-CPU counter while a CPU goes down (catalogue part B).

#include <heddle/check_functions.hpp>
#include <heddle/scenario.hpp>
#include <heddle/thread.hpp>

#include "models/hotplug_counter.hpp"

namespace {

using heddle::parameter;
using heddle::parameters;
using heddle::scenario;
using heddle::thread;
using heddle::verified;
using heddle::violation;
using models::counted;
using models::hotplug_counter;

const parameter one_shared{.name = "shared", .value = 1, .min = 0, .max = 1000};
const parameter two_in_slot{.name = "in_slot", .value = 2, .min = 1, .max = 1000};

constexpr const char* slot_missed = "the sum misses a slot";

enum class way_down { whole, half_and_back };

// Nobody adds: each sum must be the same.
void sum_while_going_down(const parameters& with, counted which, std::memory_order publish,
                          std::memory_order look, way_down how = way_down::whole) {
  hotplug_counter counter{with["shared"], with["in_slot"], which, publish, look};
  const auto go_down = [&] {
    counter.begin_to_die();
    counter.leave_online();
    if (how == way_down::half_and_back) counter.stop_dying();
    counter.fold_slot();
  };
  thread cpu{go_down};
  heddle::require(counter.sum() == with["shared"] + with["in_slot"], slot_missed);
  cpu.join();
}

// Before 8b57b11cca88.
const scenario online_mask{
    .name = "percpu_hotplug.online_mask",
    .id = "B-hotplug-onlinemask",
    .expect = violation(slot_missed),
    .because = "the CPU has left the mask and its slot is not folded yet",
    .parameters = {one_shared, two_in_slot},
    .body =
        [](const parameters& with) {
          sum_while_going_down(with, counted::online, std::memory_order_relaxed,
                               std::memory_order_relaxed);
        },
};

// 8b57b11cca88, with no order between the masks: enough where stores and loads keep theirs. (The
// catalogue's PSO failed by the stores; under rc11 the loads may pass each other as well.)
const scenario dying_mask{
    .name = "percpu_hotplug.dying_mask",
    .id = "B-hotplug-dyingmask",
    .expect = {.sc = verified, .tso = verified, .rc11 = violation(slot_missed)},
    .because = "that it is dying may be seen after that it is not online",
    .parameters = {one_shared, two_in_slot},
    .body =
        [](const parameters& with) {
          sum_while_going_down(with, counted::online_or_dying, std::memory_order_relaxed,
                               std::memory_order_relaxed);
        },
};

// The catalogue's steps: ordered on the side of the CPU alone.
const scenario dying_mask_release{
    .name = "percpu_hotplug.dying_mask_release",
    .id = "B-hotplug-dyingmask-rel",
    .expect = {.sc = verified, .tso = verified, .rc11 = violation(slot_missed)},
    .because = "the summer may still look at the dying mask first",
    .parameters = {one_shared, two_in_slot},
    .body =
        [](const parameters& with) {
          sum_while_going_down(with, counted::online_or_dying, std::memory_order_release,
                               std::memory_order_relaxed);
        },
};

// The technique: ordered on both sides.
const scenario dying_mask_release_acquire{
    .name = "percpu_hotplug.dying_mask_release_acquire",
    .id = "B-hotplug-dyingmask-rel",
    .expect = verified,
    .because = "who sees that the CPU is not online sees that it is dying",
    .parameters = {one_shared, two_in_slot},
    .body =
        [](const parameters& with) {
          sum_while_going_down(with, counted::online_or_dying, std::memory_order_release,
                               std::memory_order_acquire);
        },
};

// Gleixner, 2023: a CPU that comes back half-way is in neither mask. With all orders.
const scenario half_way_and_back{
    .name = "percpu_hotplug.half_way_and_back",
    .id = "B-hotplug-partial",
    .expect = violation(slot_missed),
    .because = "the CPU is not dying any more, not online yet, and its slot is not folded",
    .parameters = {one_shared, two_in_slot},
    .body =
        [](const parameters& with) {
          sum_while_going_down(with, counted::online_or_dying, std::memory_order_release,
                               std::memory_order_acquire, way_down::half_and_back);
        },
};

}  // namespace
