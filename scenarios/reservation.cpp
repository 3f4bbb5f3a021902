// Reserving the last free blocks: seed 002 (catalogue part B).

#include <algorithm>
#include <heddle/check_functions.hpp>
#include <heddle/scenario.hpp>
#include <heddle/thread.hpp>

#include "models/block_reservation.hpp"

namespace {

using heddle::parameter;
using heddle::parameters;
using heddle::scenario;
using heddle::thread;
using heddle::verified;
using heddle::violation;
using models::block_reservation;
using models::decide;
using models::reservation;

constexpr const char* overcommitted = "more blocks were granted than were free";
constexpr const char* false_enospc = "ENOSPC although there were free blocks";

const parameter one_free{.name = "free", .value = 1, .min = 0, .max = 1000};
const parameter none_free{.name = "free", .value = 0, .min = 0, .max = 1000};
const parameter one_wanted{.name = "blocks", .value = 1, .min = 1, .max = 1000};
const parameter five_released{.name = "released", .value = 5, .min = 1, .max = 1000};
const parameter batch_of_two{.name = "batch", .value = 2, .min = 1, .max = 1000};

// Two reservers for what is free, each on its CPU.
void two_reservers(const parameters& with, decide how) {
  const int blocks = with["blocks"];
  block_reservation pool{2, with["batch"], with["free"], how};
  reservation one;
  reservation two;
  thread first{[&] { one = pool.reserve(0, blocks); }};
  thread second{[&] { two = pool.reserve(1, blocks); }};
  first.join();
  second.join();
  if (!one.granted && !two.granted) heddle::reached("both got ENOSPC");
  const int granted = blocks * (one.granted + two.granted);
  heddle::require(granted <= with["free"], overcommitted);
  heddle::require(pool.free_blocks() == with["free"] - granted, "the count of free blocks is off");
}

// xfs_mod_fdblocks. Safe, but both may see both adds and give up.
const scenario compare_twice{
    .name = "reservation.compare_twice",
    .id = "B-fdblocks-twice",
    .expect = verified,
    .sometimes = {"both got ENOSPC"},
    .because = "the later of two adders in the order of the lock sums both adds",
    .parameters = {one_free, one_wanted, batch_of_two},
    .body = [](const parameters& with) { two_reservers(with, decide::by_second_compare); },
};

// Seed 002 as posted.
const scenario compare_once{
    .name = "reservation.compare_once",
    .id = "B-fdblocks-once-seed002",
    .expect = violation(overcommitted),
    .because = "both decide on a sum from before either add",
    .parameters = {one_free, one_wanted, batch_of_two},
    .body = [](const parameters& with) { two_reservers(with, decide::by_first_compare); },
};

// The adds stay in their slots; only the sums take the lock.
const scenario compare_after_local_add{
    .name = "reservation.compare_after_local_add",
    .id = "B-fdblocks-twice-localadd",
    .expect = verified,
    .sometimes = {"both got ENOSPC"},
    .because = "the lock hands the first summer's own add to the second",
    .parameters = {one_free, one_wanted, batch_of_two},
    .body = [](const parameters& with) { two_reservers(with, decide::by_compare_after_add); },
};

struct late_release {
  bool refused_although_free = false;
};

// A reserver while another releases blocks.
late_release reserver_and_freer(const parameters& with, decide how) {
  const int blocks = with["blocks"];
  block_reservation pool{2, with["batch"], with["free"], how};
  reservation mine;
  thread reserver{[&] { mine = pool.reserve(0, blocks); }};
  thread freer{[&] { pool.release(1, with["released"]); }};
  reserver.join();
  freer.join();
  const int all = with["free"] + with["released"];
  const int granted = mine.granted ? blocks : 0;
  heddle::require(granted <= all, overcommitted);
  heddle::require(pool.free_blocks() == all - granted, "the count of free blocks is off");
  return {!mine.granted && mine.free_at_add.value_or(0) >= blocks};
}

// Seed 002 the other way: what is released after the first sum is ignored.
const scenario compare_once_stale{
    .name = "reservation.compare_once_stale",
    .id = "B-fdblocks-once-stale-low",
    .expect = verified,
    .sometimes = {false_enospc},
    .because = "nothing is overcommitted, but the reserver's own add may have found enough",
    .parameters = {none_free, one_wanted, five_released, batch_of_two},
    .body =
        [](const parameters& with) {
          const late_release end = reserver_and_freer(with, decide::by_first_compare);
          if (end.refused_although_free) heddle::reached(false_enospc);
        },
};

// The kernel never refuses what its own add has found.
const scenario compare_twice_fresh{
    .name = "reservation.compare_twice_fresh",
    .id = "B-fdblocks-once-stale-low",
    .expect = verified,
    .because = "the second sum sees what the own add has seen",
    .parameters = {none_free, one_wanted, five_released, batch_of_two},
    .body =
        [](const parameters& with) {
          const late_release end = reserver_and_freer(with, decide::by_second_compare);
          heddle::require(!end.refused_although_free, false_enospc);
        },
};

// The reference: neither overcommits nor refuses in vain.
const scenario compare_exchange{
    .name = "reservation.compare_exchange",
    .id = "B-reserve-cas",
    .expect = verified,
    .because = "test and take are one read-modify-write",
    .parameters = {one_free, one_wanted},
    .body =
        [](const parameters& with) {
          const int blocks = with["blocks"];
          models::atomic_reservation pool{with["free"]};
          bool one = false;
          bool two = false;
          thread first{[&] { one = pool.reserve(blocks); }};
          thread second{[&] { two = pool.reserve(blocks); }};
          first.join();
          second.join();
          const int granted = one + two;
          heddle::require(granted <= with["free"] / blocks, overcommitted);
          heddle::require(granted >= std::min(2, with["free"] / blocks), false_enospc);
        },
};

}  // namespace
