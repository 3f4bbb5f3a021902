// Draining a counter of deferred work: seed 001 and what became of it (catalogue part A).
//
// A drain is exact if and only if every add is one read-modify-write, and the counted amount leaves
// in one read-modify-write that cannot remove anything else: an exchange, a compare_exchange that
// succeeded, or a fetch_sub of the value read while a lock keeps other drainers out.

#include <heddle/check_functions.hpp>
#include <heddle/scenario.hpp>
#include <heddle/thread.hpp>
#include <numeric>
#include <vector>

#include "models/cil_space.hpp"
#include "models/combining_backlog.hpp"
#include "models/deferred_work.hpp"
#include "models/shrinker_backlog.hpp"

namespace {

using heddle::parameter;
using heddle::parameters;
using heddle::scenario;
using heddle::thread;
using heddle::verified;
using heddle::violation;
using models::adder;
using models::combining_rules;
using models::drain;
using models::fs_test;
using models::put_back;
using models::shrinker_backlog;

const parameter three_threads{.name = "threads", .value = 3, .min = 1, .max = 8};
const parameter two_threads{.name = "threads", .value = 2, .min = 1, .max = 8};
const parameter backlog_at_start{.name = "backlog", .value = 5, .min = 0, .max = 1000};
const parameter objects_each{.name = "objects", .value = 4, .min = 1, .max = 1000};

// What `threads` threads return that run call(0), call(1), ...; together.
template <class Call>
int sum_of_results(int threads, Call call) {
  std::vector<int> results(static_cast<std::size_t>(threads));
  std::vector<thread> running;
  for (int i = 0; i < threads; ++i) {
    int& result = results[static_cast<std::size_t>(i)];
    running.push_back(thread{[&result, call, i] { result = call(i); }});
  }
  for (thread& each : running) each.join();
  return std::accumulate(results.begin(), results.end(), 0);
}

void require_conserved(int requested, int accounted_for) {
  heddle::require(accounted_for >= requested, "objects were lost");
  heddle::require(accounted_for <= requested, "objects were counted twice");
}

// Shrinkers are called at once; each object asked for is scanned once or still deferred.
template <drain Drain>
void shrinkers(const parameters& with) {
  const int threads = with["threads"];
  const int objects = with["objects"];
  shrinker_backlog<Drain> backlog{with["backlog"]};
  const int scanned = sum_of_results(threads, [&](int) { return backlog.shrink(objects); });
  require_conserved(with["backlog"] + threads * objects, scanned + backlog.deferred());
}

// The same drain without the mutex around it.
template <drain Drain>
void drainers(const parameters& with) {
  shrinker_backlog<Drain> backlog{with["backlog"]};
  const int taken = sum_of_results(with["threads"], [&](int) { return backlog.take(); });
  heddle::require(backlog.deferred() >= 0, "the backlog is negative");
  require_conserved(with["backlog"], taken + backlog.deferred());
}

// --- the drain under the mutex -------------------------------------------------------------------

// Seed 001 as posted. One holds the lock, so drains do not meet; but adds need no lock.
const scenario read_then_set{
    .name = "backlog.read_then_set",
    .id = "A-readset",
    .expect = violation("objects were lost"),
    .because = "an add between the read and the set of zero is erased",
    .parameters = {three_threads, backlog_at_start, objects_each},
    .body = shrinkers<drain::read_then_set>,
};

// mm/shrinker.c today: one read-modify-write, no window.
const scenario exchange{
    .name = "backlog.exchange",
    .id = "A-xchg",
    .expect = verified,
    .because = "one read-modify-write takes exactly what was added before it",
    .parameters = {three_threads, backlog_at_start, objects_each},
    .body = shrinkers<drain::exchange>,
};

// Hellwig's review: "To be totally race free this should use atomic64_cmpxchg."
const scenario compare_exchange_loop{
    .name = "backlog.compare_exchange_loop",
    .id = "A-cmploop",
    .expect = verified,
    .because = "the exchange fails if an add came between, and is tried again",
    .parameters = {three_threads, backlog_at_start, objects_each},
    .body = shrinkers<drain::compare_exchange_loop>,
};

// Exact without a loop too, as long as the failure is honoured.
const scenario compare_exchange_once{
    .name = "backlog.compare_exchange_once",
    .id = "A-once_checked",
    .expect = verified,
    .because = "a failed exchange counts nothing and leaves all to the next holder",
    .parameters = {three_threads, backlog_at_start, objects_each},
    .body = shrinkers<drain::compare_exchange_once>,
};

// The review's cmpxchg put in without its result: the amount is scanned and stays deferred.
const scenario compare_exchange_ignored{
    .name = "backlog.compare_exchange_ignored",
    .id = "A-once_ignored",
    .expect = violation("objects were counted twice"),
    .because = "a failed exchange leaves in the backlog what the caller scans all the same",
    .parameters = {three_threads, backlog_at_start, objects_each},
    .body = shrinkers<drain::compare_exchange_ignored>,
};

// Adds commute with the subtraction, and the mutex keeps other drainers out.
const scenario fetch_sub{
    .name = "backlog.fetch_sub",
    .id = "A-fetchsub",
    .expect = verified,
    .because = "the holder subtracts exactly what it read; adds in between stay",
    .parameters = {three_threads, backlog_at_start, objects_each},
    .body = shrinkers<drain::fetch_sub>,
};

// --- the drain without the mutex -----------------------------------------------------------------

// Honouring the failure is enough: no lock is needed.
const scenario compare_exchange_once_no_lock{
    .name = "backlog.compare_exchange_once_no_lock",
    .expect = verified,
    .because = "the drainer whose exchange fails counts nothing",
    .parameters = {two_threads, backlog_at_start},
    .body = drainers<drain::compare_exchange_once>,
};

const scenario compare_exchange_ignored_no_lock{
    .name = "backlog.compare_exchange_ignored_no_lock",
    .expect = violation("objects were counted twice"),
    .because = "the drainer whose exchange fails scans what the other has taken",
    .parameters = {two_threads, backlog_at_start},
    .body = drainers<drain::compare_exchange_ignored>,
};

// Both read the same amount and both subtract it.
const scenario fetch_sub_no_lock{
    .name = "backlog.fetch_sub_no_lock",
    .id = "A-fetchsub-nolock",
    .expect = violation("the backlog is negative"),
    .because = "two drainers subtract the same amount",
    .parameters = {two_threads, backlog_at_start},
    .body = drainers<drain::fetch_sub>,
};

// Exactly one gets each amount.
const scenario exchange_no_lock{
    .name = "backlog.exchange_no_lock",
    .id = "A-xchg-nolock",
    .expect = verified,
    .because = "one drainer gets the amount, the other zero",
    .parameters = {two_threads, backlog_at_start},
    .body = drainers<drain::exchange>,
};

// The same, with a loop.
const scenario compare_exchange_loop_no_lock{
    .name = "backlog.compare_exchange_loop_no_lock",
    .id = "A-cmploop-nolock",
    .expect = verified,
    .because = "the second drainer's exchange fails and then finds zero",
    .parameters = {two_threads, backlog_at_start},
    .body = drainers<drain::compare_exchange_loop>,
};

// shrinker->nr before acf92b485ccc: "the shrinker will do the work again".
const scenario read_then_set_no_lock{
    .name = "backlog.read_then_set_no_lock",
    .id = "A-readset-nolock",
    .expect = violation("objects were counted twice"),
    .because = "two drainers read the same amount before either sets zero",
    .parameters = {two_threads, backlog_at_start},
    .body = drainers<drain::read_then_set>,
};

// --- callers that must not enter the file system -------------------------------------------------

// Seed 001's bail path, with an exact drain: its adds are read-modify-writes, under the lock or
// not.
const scenario nofs_conserves{
    .name = "backlog.nofs_conserves",
    .id = "A-nofs-conserve",
    .expect = verified,
    .because = "a caller that bails out adds atomically, so nothing is lost",
    .parameters = {backlog_at_start, objects_each},
    .body =
        [](const parameters& with) {
          const int objects = with["objects"];
          shrinker_backlog<drain::exchange> backlog{with["backlog"]};
          int scanned_nofs = 0;
          int scanned_able = 0;
          thread nofs{[&] { scanned_nofs = backlog.shrink(objects, /*may_enter_fs=*/false); }};
          thread able{[&] { scanned_able = backlog.shrink(objects); }};
          nofs.join();
          able.join();
          const int scanned = scanned_nofs + scanned_able;
          require_conserved(with["backlog"] + 2 * objects, scanned + backlog.deferred());
        },
};

void able_caller_scans(fs_test test, int objects) {
  shrinker_backlog<drain::exchange> backlog{0, test};
  int scanned = 0;
  thread nofs{[&] { backlog.shrink(objects, /*may_enter_fs=*/false); }};
  thread able{[&] { scanned = backlog.shrink(objects); }};
  nofs.join();
  able.join();
  heddle::require(scanned > 0, "a caller that could scan did not");
}

// Seed 001 takes the lock before it tests __GFP_FS.
const scenario nofs_blocks_able{
    .name = "backlog.nofs_blocks_able",
    .id = "A-nofs-blocks-able",
    .expect = violation("a caller that could scan did not"),
    .because = "a holder that will not scan makes an able caller park its work",
    .parameters = {objects_each},
    .body =
        [](const parameters& with) { able_caller_scans(fs_test::after_try_lock, with["objects"]); },
};

// The repair: who may not scan never holds the lock.
const scenario nofs_tested_first{
    .name = "backlog.nofs_tested_first",
    .id = "A-nofs-gfpfirst",
    .expect = verified,
    .because = "only callers that scan take the lock",
    .parameters = {objects_each},
    .body =
        [](const parameters& with) {
          able_caller_scans(fs_test::before_try_lock, with["objects"]);
        },
};

// --- one-sided atomics ---------------------------------------------------------------------------

// cmpxchg on the drain's side alone is not enough: the adder's store revives what was drained.
const scenario plain_adder{
    .name = "backlog.plain_adder",
    .id = "A-adder-plain",
    .expect = violation("objects were counted twice"),
    .because = "the adder stores its sum over the drainer's zero",
    .parameters = {backlog_at_start, objects_each},
    .body =
        [](const parameters& with) {
          shrinker_backlog<drain::exchange, adder::load_then_store> backlog{with["backlog"]};
          int taken = 0;
          thread owner{[&] { backlog.defer(with["objects"]); }};
          thread drainer{[&] { taken = backlog.take(); }};
          owner.join();
          drainer.join();
          require_conserved(with["backlog"] + with["objects"], taken + backlog.deferred());
        },
};

template <adder Adder>
void aggregated_while_used(const parameters& with) {
  models::cil_space<Adder> space{with["backlog"]};
  thread owner{[&] { space.use(with["objects"]); }};
  thread switcher{[&] { space.aggregate(); }};
  owner.join();
  switcher.join();
  if (space.in_slot() > 0) heddle::reached("space left in the slot after the switch");
  require_conserved(with["backlog"] + with["objects"], space.total() + space.in_slot());
}

// The same shape in xlog_cil_insert_pcp_aggregate, benign there: the count is a hint.
const scenario slot_plain_owner{
    .name = "backlog.slot_plain_owner",
    .id = "A-pcpdrain-owner-plain",
    .expect = violation("objects were counted twice"),
    .because = "the owner's store revives the slot that the switcher has taken",
    .parameters = {backlog_at_start, objects_each},
    .body = aggregated_while_used<adder::load_then_store>,
};

// The total is right, but the flag test and the add are not one step.
const scenario slot_atomic_owner{
    .name = "backlog.slot_atomic_owner",
    .id = "A-pcpdrain-owner-atomic",
    .expect = verified,
    .sometimes = {"space left in the slot after the switch"},
    .because = "all changes of the slot are read-modify-writes",
    .parameters = {backlog_at_start, objects_each},
    .body = aggregated_while_used<adder::fetch_add>,
};

// --- nobody leaves work behind -------------------------------------------------------------------

// Seed 001 and its exact drain alike: conserved, but perhaps for ever in the backlog.
const scenario stranded{
    .name = "backlog.stranded",
    .id = "A-strand-seed",
    .expect = violation("work was left behind"),
    .because = "the add of one who found the lock taken comes after the holder's drain",
    .parameters = {two_threads, objects_each},
    .body =
        [](const parameters& with) {
          shrinker_backlog<drain::exchange> backlog;
          const int objects = with["objects"];
          sum_of_results(with["threads"], [&](int) { return backlog.shrink(objects); });
          heddle::require(backlog.deferred() == 0, "work was left behind");
        },
};

void combiners(combining_rules rules, const parameters& with) {
  const int threads = with["threads"];
  const int objects = with["objects"];
  models::combining_backlog backlog{rules};
  const int done = sum_of_results(threads, [&](int) { return backlog.add(objects); });
  heddle::require(backlog.pending() == 0, "work was left behind");
  require_conserved(threads * objects, done);
}

// printk's console_unlock without its barriers. Each pair of release and later load of the other
// variable is store buffering; two threads that meet there leave both.
const scenario combine_recheck{
    .name = "backlog.combine_recheck",
    .id = "A-comb-addfirst-recheck",
    .expect = {.sc = verified,
               .tso = violation("work was left behind"),
               .rc11 = violation("work was left behind")},
    .because = "the second look at the backlog may pass the unlock before it",
    .parameters = {two_threads, objects_each},
    .body = [](const parameters& with) { combiners({}, with); },
};

// The catalogue's steps. On x86 the add is a full fence; a C++ relaxed add orders nothing, and a
// failed try_lock may read an old "locked".
const scenario combine_recheck_fence{
    .name = "backlog.combine_recheck_fence",
    .id = "A-comb-addfirst-recheck-mb",
    .expect = {.sc = verified, .tso = verified, .rc11 = violation("work was left behind")},
    .because = "a void add and a failed try_lock order nothing, so the add may come too late",
    .parameters = {two_threads, objects_each},
    .body = [](const parameters& with) { combiners({.fence_after_unlock = true}, with); },
};

// The other fence alone.
const scenario combine_publish_fence{
    .name = "backlog.combine_publish_fence",
    .expect = {.sc = verified,
               .tso = violation("work was left behind"),
               .rc11 = violation("work was left behind")},
    .because = "the second look at the backlog may pass the unlock before it",
    .parameters = {two_threads, objects_each},
    .body = [](const parameters& with) { combiners({.fence_after_publish = true}, with); },
};

// The technique: publish; full fence; try_lock; drain; unlock; full fence; look again.
const scenario combine_recheck_fences{
    .name = "backlog.combine_recheck_fences",
    .id = "A-comb-addfirst-recheck-mb",
    .expect = verified,
    .because = "with a full fence on both sides one of the two sees the other",
    .parameters = {two_threads, objects_each},
    .body =
        [](const parameters& with) {
          combiners({.fence_after_publish = true, .fence_after_unlock = true}, with);
        },
};

// The catalogue's steps: the unlock orders the second look, but nothing orders the add.
const scenario combine_unlock_by_exchange{
    .name = "backlog.combine_unlock_by_exchange",
    .id = "A-comb-addfirst-recheck-unlockx",
    .expect = {.sc = verified, .tso = verified, .rc11 = violation("work was left behind")},
    .because = "the full-barrier unlock stands on one side only",
    .parameters = {two_threads, objects_each},
    .body = [](const parameters& with) { combiners({.unlock_by_exchange = true}, with); },
};

// With the fence after the add.
const scenario combine_unlock_by_exchange_fence{
    .name = "backlog.combine_unlock_by_exchange_fence",
    .id = "A-comb-addfirst-recheck-unlockx",
    .expect = verified,
    .because = "the unlock is the second full fence",
    .parameters = {two_threads, objects_each},
    .body =
        [](const parameters& with) {
          combiners({.fence_after_publish = true, .unlock_by_exchange = true}, with);
        },
};

// The order of seed 001, with the second look and all fences.
const scenario combine_try_lock_first{
    .name = "backlog.combine_try_lock_first",
    .id = "A-comb-trylockfirst-recheck",
    .expect = violation("work was left behind"),
    .because = "work published after the try_lock failed may come after the second look",
    .parameters = {two_threads, objects_each},
    .body =
        [](const parameters& with) {
          combiners(
              {.publish_first = false, .fence_after_publish = true, .fence_after_unlock = true},
              with);
        },
};

// Published first, but nobody looks again.
const scenario combine_no_recheck{
    .name = "backlog.combine_no_recheck",
    .id = "A-comb-addfirst-norecheck",
    .expect = violation("work was left behind"),
    .because = "try_lock failed against a holder who had drained already",
    .parameters = {two_threads, objects_each},
    .body =
        [](const parameters& with) {
          combiners({.recheck = false, .fence_after_publish = true, .fence_after_unlock = true},
                    with);
        },
};

// --- a part of the work is put back --------------------------------------------------------------

const parameter limit_of_a_call{.name = "limit", .value = 3, .min = 0, .max = 1000};

template <put_back PutBack>
void calls_with_limit(const parameters& with) {
  const int threads = with["threads"];
  const int objects = with["objects"];
  models::deferred_work<PutBack> work{with["backlog"], with["limit"]};
  const int scanned = sum_of_results(threads, [&](int) { return work.shrink(objects); });
  require_conserved(with["backlog"] + threads * objects, scanned + work.deferred());
}

// vmscan's nr_deferred.
const scenario put_back_by_add{
    .name = "backlog.put_back_by_add",
    .id = "A-deferred-addback",
    .expect = verified,
    .because = "taking and putting back are read-modify-writes",
    .parameters = {three_threads, backlog_at_start, objects_each, limit_of_a_call},
    .body = calls_with_limit<put_back::fetch_add>,
};

// shrinker->nr before acf92b485ccc: "sometimes losing it altogether".
const scenario put_back_by_store{
    .name = "backlog.put_back_by_store",
    .id = "A-deferred-storeback",
    .expect = violation("objects were lost"),
    .because = "the store overwrites what the other has put back meanwhile",
    .parameters = {two_threads, backlog_at_start, objects_each, limit_of_a_call},
    .body = calls_with_limit<put_back::store>,
};

// --- C++'s try_lock
// --------------------------------------------------------------------------------

// mutex_trylock succeeds if nobody holds the mutex; std::mutex::try_lock need not.
const scenario spurious_try_lock{
    .name = "backlog.spurious_try_lock",
    .id = "A-spurious-trylock",
    .expect = violation("work is left though nobody held the lock"),
    .spurious = {.try_lock = 1},
    .because = "the only caller parks its work although the lock is free",
    .parameters = {objects_each},
    .body =
        [](const parameters& with) {
          shrinker_backlog<drain::exchange> backlog;
          backlog.shrink(with["objects"]);
          heddle::require(backlog.deferred() == 0, "work is left though nobody held the lock");
        },
};

}  // namespace
