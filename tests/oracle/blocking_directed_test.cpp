// Programs whose outcomes are known: the machine has them, and the engine has the machine's.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/oracle/blocking_compare.hpp"
#include "tests/oracle/blocking_random.hpp"

namespace heddle::oracle::blocking {
namespace {

std::set<std::string> outcomes_of(const std::string& text, wake_rule wakes = wake_rule::eligible) {
  const machine_result found = run_machine(parse(text), {.wakes = wakes});
  EXPECT_EQ(found.misuse, "") << text;
  std::set<std::string> texts;
  for (const outcome& o : found.outcomes) texts.insert(text_of(o));
  return texts;
}

std::string misuse_of(const std::string& text) { return run_machine(parse(text)).misuse; }

using texts = std::set<std::string>;

// Whose engine side exists.
bool engine_has(const program& source) { return !uses(source, object_kind::shared_mutex); }

struct known {
  const char* what;
  const char* text;
  texts outcomes;
};

const std::vector<known> programs{
    {"two increments under a lock",
     "lock(m); add(x,1); unlock(m) | lock(m); add(x,1); unlock(m)",
     {"done | done # x=2"}},
    {"store buffering under sequential consistency",
     "store(x,1); r0=load(y) | store(y,1); r0=load(x)",
     {"r0=1, done | done # x=1 y=1", "done | r0=1, done # x=1 y=1",
      "r0=1, done | r0=1, done # x=1 y=1"}},
    {"locks in opposite order",
     "lock(m); lock(n); unlock(n); unlock(m) | lock(n); lock(m); unlock(m); unlock(n)",
     {"done | done #", "at 1 | at 1 #"}},
    {"a try avoids the deadlock",
     "lock(m); lock(n); unlock(n); unlock(m)"
     " | lock(n); r0=try_lock(m); skip_unless(r0,1,1); unlock(m); unlock(n)",
     {"done | done #", "done | r0=1, done #"}},
    {"a lock that is never given back", "lock(m) | lock(m)", {"done | at 0 #", "at 0 | done #"}},
    {"an await that is passed by",
     "await(x,1) | store(x,1); store(x,2)",
     {"done | done # x=2", "at 0 | done # x=2"}},
    {"a turn taken by compare and exchange",
     "r0=cas(x,0,1) | r0=cas(x,0,2)",
     {"done | r0=1, done # x=1", "r0=2, done | done # x=2"}},

    {"a notify before the wait is lost",
     "lock(m); wait(c,m); unlock(m) | notify_one(c)",
     {"done | done #", "at 1 | done #"}},
    {"a flag set without the lock loses the wake-up",
     "lock(m); wait_until(c,m,x,1); unlock(m) | store(x,1); notify_one(c)",
     {"done | done # x=1", "at 1 | done # x=1"}},
    {"a flag set under the lock does not",
     "lock(m); wait_until(c,m,x,1); unlock(m) | lock(m); store(x,1); unlock(m); notify_one(c)",
     {"done | done # x=1"}},
    {"one notify for two waiters",
     "lock(m); wait_until(c,m,x,1); unlock(m) | lock(m); wait_until(c,m,x,1); unlock(m)"
     " | lock(m); store(x,1); unlock(m); notify_one(c)",
     {"done | done | done # x=1", "at 1 | done | done # x=1", "done | at 1 | done # x=1"}},
    {"notify_all for two waiters",
     "lock(m); wait_until(c,m,x,1); unlock(m) | lock(m); wait_until(c,m,x,1); unlock(m)"
     " | lock(m); store(x,1); unlock(m); notify_all(c)",
     {"done | done | done # x=1"}},
    {"who is notified needs the lock",
     "lock(m); wait(c,m) | lock(m); notify_one(c)",
     {"relocks at 1 | done #", "at 0 | done #"}},
    {"a notified waiter of another condition takes the wake-up",
     "lock(m); wait_until(c,m,x,1); unlock(m) | lock(m); wait_until(c,m,x,2); unlock(m)"
     " | lock(m); store(x,1); unlock(m); notify_one(c)",
     {"done | at 1 | done # x=1", "at 1 | at 1 | done # x=1"}},
    {"a timed wait never waits for ever",
     "lock(m); r0=wait_for(c,m); unlock(m) | notify_one(c)",
     {"done | done #", "r0=1, done | done #"}},
    {"a notify goes to one waiter, timed or not",
     "lock(m); r0=wait_for(c,m); unlock(m) | lock(m); wait(c,m); unlock(m)"
     " | lock(m); unlock(m); notify_one(c)",
     {"done | at 1 | done #", "r0=1, done | at 1 | done #", "r0=1, done | done | done #"}},
    {"who has timed out takes no notify",
     "lock(m); r0=wait_for(c,m); unlock(m); store(x,1)"
     " | lock(m); store(y,1); wait(c,m); unlock(m)"
     " | await(y,1); lock(m); unlock(m); await(x,1); notify_one(c)",
     {"r0=1, done | done | done # x=1 y=1"}},
    {"who has taken a notify does not time out",
     "lock(m); store(x,1); r0=wait_for(c,m); unlock(m)"
     " | lock(m); store(y,1); wait(c,m); unlock(m)"
     " | await(x,1); await(y,1); lock(m); unlock(m); notify_one(c)",
     {"done | at 2 | done # x=1 y=1", "r0=1, done | done | done # x=1 y=1"}},
    {"a slot of one for producer and consumer",
     "lock(m); wait_until(c,m,x,0); store(x,1); unlock(m); notify_all(d)"
     " | lock(m); wait_until(d,m,x,1); r0=exchange(x,0); unlock(m); notify_all(c)",
     {"done | r0=1, done #"}},

    {"an atomic wait and its notify",
     "sleep_while(x,0) | store(x,1); wake_one(x)",
     {"done | done # x=1"}},
    {"a store without a notify",
     "sleep_while(x,0) | store(x,1)",
     {"done | done # x=1", "at 0 | done # x=1"}},
    {"a notify before the store",
     "sleep_while(x,0) | wake_all(x); store(x,1)",
     {"done | done # x=1", "at 0 | done # x=1"}},
    {"one atomic notify for two waiters",
     "sleep_while(x,0) | sleep_while(x,0) | store(x,1); wake_one(x)",
     {"done | done | done # x=1", "at 0 | done | done # x=1", "done | at 0 | done # x=1"}},
    {"one atomic notify each for two waiters",
     "sleep_while(x,0) | sleep_while(x,0) | store(x,1); wake_one(x); wake_one(x)",
     {"done | done | done # x=1"}},
    {"notify_all for two who sleep on an atomic",
     "sleep_while(x,0) | sleep_while(x,0) | store(x,1); wake_all(x)",
     {"done | done | done # x=1"}},
    {"an atomic wait misses a value that comes and goes",
     "sleep_while(x,0) | store(x,1); wake_all(x); store(x,0)",
     {"done | done #", "at 0 | done #"}},
    {"a wake-up spent on one whose value was written again",
     "sleep_while(x,0) | sleep_while(x,1) | store(x,1); store(x,1); wake_one(x)",
     {"done | done | done # x=1", "done | at 0 | done # x=1", "at 0 | at 0 | done # x=1"}},
    {"a wake-up spent on one who was about to see another value anyway",
     "exchange(x,1); wake_one(x) | sleep_while(x,1) | add(x,1) | sleep_while(x,0)",
     {"done | done | done | done # x=1", "done | done | done | done # x=2",
      "done | done | done | at 0 # x=2", "done | at 0 | done | done # x=1",
      "done | at 0 | done | done # x=2", "done | at 0 | done | at 0 # x=1"}},
    {"a wake-up that nobody but the last sleeper can take",
     "store(x,1); wake_one(x); sleep_while(x,1) | sleep_while(x,0) | exchange(x,2); wake_one(x)",
     {"done | done | done # x=2", "at 2 | done | done # x=1"}},
    {"a wait is not woken by its own thread's notify after it",
     "sleep_while(x,0); wake_one(x) | sleep_while(x,0) | store(x,1)",
     {"done | done | done # x=1", "at 0 | at 0 | done # x=1", "at 0 | done | done # x=1"}},
    {"a wait that begins when its value is overwritten takes no wake-up",
     "store(z,1); sleep_while(x,0) | sleep_while(x,0) | store(x,1); r0=load(z); wake_one(x)",
     {"done | done | done # x=1 z=1", "done | done | r0=1, done # x=1 z=1",
      "at 1 | done | r0=1, done # x=1 z=1", "done | at 0 | r0=1, done # x=1 z=1"}},
    {"a wait that went to sleep twice takes no two wake-ups at its end",
     "sleep_while(x,0) | sleep_while(x,0)"
     " | store(x,1); store(x,0); store(x,1); wake_one(x); wake_one(x)",
     {"done | done | done # x=1"}},

    {"a semaphore of two for three threads",
     "s=2 :: acquire(s); add(x,1); release(s) | acquire(s); add(x,1); release(s)"
     " | acquire(s); add(x,1); release(s)",
     {"done | done | done # x=3"}},
    {"a semaphore that one thread keeps",
     "s=1 :: acquire(s) | acquire(s)",
     {"done | at 0 #", "at 0 | done #"}},
    {"a try to acquire",
     "r0=try_acquire(s) | release(s)",
     {"done | done #", "r0=1, done | done #"}},

    {"readers share, writers do not",
     "lock_shared(w); r0=load(x); r1=load(x); unlock_shared(w)"
     " | lock_exclusive(w); store(x,1); store(x,2); unlock_exclusive(w)",
     {"done | done # x=2", "r0=2 r1=2, done | done # x=2"}},
    {"two readers inside at once",
     "lock_shared(w); store(x,1); await(y,1); unlock_shared(w)"
     " | lock_shared(w); store(y,1); await(x,1); unlock_shared(w)",
     {"done | done # x=1 y=1"}},
    {"two writers that wait for each other",
     "lock_exclusive(w); store(x,1); await(y,1); unlock_exclusive(w)"
     " | lock_exclusive(w); store(y,1); await(x,1); unlock_exclusive(w)",
     {"at 2 | at 0 # x=1", "at 0 | at 2 # y=1"}},

    {"a latch of two",
     "l=2 :: store(x,1); count_down(l); wait_zero(l); r0=load(y)"
     " | store(y,1); count_down(l); wait_zero(l); r0=load(x)",
     {"r0=1, done | r0=1, done # x=1 y=1"}},
    {"a latch that one counts too few",
     "l=2 :: count_down(l); wait_zero(l) | wait_zero(l)",
     {"at 1 | at 0 #"}},

    {"three dining with three forks, each takes the left one first",
     "s=1 :: lock(m); acquire(s); release(s); unlock(m) | acquire(s); lock(n); unlock(n); "
     "release(s) | lock(n); lock(m); unlock(m); unlock(n)",
     {"done | done | done #", "at 1 | at 1 | at 1 #"}},
    {"three dining with three forks, one takes the right one first",
     "s=1 :: lock(m); acquire(s); release(s); unlock(m) | acquire(s); lock(n); unlock(n); "
     "release(s) | lock(m); lock(n); unlock(n); unlock(m)",
     {"done | done | done #"}},
};

TEST(blocking_directed, the_machine_has_the_known_outcomes) {
  for (const known& each : programs) {
    EXPECT_EQ(outcomes_of(each.text), each.outcomes) << each.what << "\n" << each.text;
  }
}

TEST(blocking_directed, the_engine_has_the_outcomes_of_the_machine) {
  for (const known& each : programs) {
    const program source = parse(each.text);
    if (!engine_has(source)) continue;
    for (std::uint64_t schedule = 0; schedule < 4; ++schedule) {
      const comparison_result compared = compare(source, {.schedule = schedule});
      EXPECT_EQ(compared.difference, "") << each.what;
      EXPECT_FALSE(compared.cut || compared.cut_interleavings) << each.what;
    }
  }
}

TEST(blocking_machine, a_wake_up_can_be_taken_by_one_who_sleeps_again_only_if_it_is_not_eligible) {
  const std::string text = "sleep_while(x,0) | sleep_while(x,1) | store(x,1); wake_one(x)";
  EXPECT_EQ(outcomes_of(text), (texts{"done | at 0 | done # x=1", "done | done | done # x=1"}));
  EXPECT_EQ(outcomes_of(text, wake_rule::any).count("at 0 | at 0 | done # x=1"), 1U);
}

TEST(blocking_machine, what_the_standard_leaves_undefined_is_misuse) {
  for (const char* text : {
           "unlock(m)",
           "lock(m); lock(m)",
           "lock(m); r0=try_lock(m)",
           "wait(c,m)",
           "lock(m) | unlock(m)",
           "lock(m); wait(c,m) | lock(n); wait(c,n)",
           "unlock_shared(w)",
           "lock_shared(w); lock_exclusive(w)",
           "count_down(l)",
       })
    EXPECT_NE(misuse_of(text), "") << text;
  EXPECT_EQ(misuse_of("unlock(m)"), "unlock(m): it is not held");
}

TEST(blocking_machine, gives_up_at_the_bound_of_states) {
  const program source = parse("store(x,1); store(x,2) | store(y,1); store(y,2)");
  EXPECT_TRUE(run_machine(source, {.max_states = 3}).too_large);
  EXPECT_FALSE(run_machine(source, {.max_states = 100}).too_large);
}

TEST(blocking_text, is_read_as_it_is_written) {
  for (const known& each : programs)
    EXPECT_EQ(print(parse(print(parse(each.text)))), print(parse(each.text))) << each.text;
  const std::string all =
      "x=1 z=2 s=1 t=2 l=3 :: r0=load(x); store(y,1); r1=add(z,1); r2=exchange(x,2); "
      "r3=cas(x,0,1); await(x,1); sleep_while(x,0); wake_one(x); wake_all(x) | lock(m); unlock(n); "
      "r0=try_lock(m); wait(c,m); wait_until(d,n,y,2); r1=wait_for(c,m); notify_one(c); "
      "notify_all(d); acquire(s); try_acquire(t); release(s) | lock_exclusive(w); "
      "r0=try_lock_exclusive(w); unlock_exclusive(w); lock_shared(w); r1=try_lock_shared(w); "
      "unlock_shared(w); count_down(l); wait_zero(l); skip_if(r0,1,2); skip_unless(r3,0,1) | ";
  EXPECT_EQ(print(parse(all)), all);
}

TEST(blocking_text, what_is_no_program_is_refused) {
  for (const char* text :
       {"load(m)", "store(x)", "r9=load(x)", "r0=store(x,1)", "jump(x)", "load(x) load(y)",
        "store(x,1", "x=1", "load(x)|load(x)|load(x)|load(x)|load(x)", "q=1 :: load(x)"})
    EXPECT_THROW(static_cast<void>(parse(text)), std::invalid_argument) << text;
}

TEST(blocking_random_program, is_the_same_for_the_same_seed_and_has_every_instruction) {
  const random_options how{.features = {feature::mutex, feature::await, feature::condition,
                                        feature::timed_wait, feature::atomic_wait,
                                        feature::semaphore, feature::shared_mutex, feature::latch}};
  std::set<operation> kinds;
  int without_meaning = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const program source = random_program(seed, how);
    EXPECT_EQ(print(source), print(random_program(seed, how)));
    EXPECT_EQ(print(parse(print(source))), print(source));
    for (const auto& thread : source.threads)
      for (const instruction& what : thread) kinds.insert(what.kind);
    without_meaning += run_machine(source).misuse.empty() ? 0 : 1;
  }
  EXPECT_EQ(kinds.size(), static_cast<std::size_t>(operation::skip_unless) + 1);
  EXPECT_LE(without_meaning, 20);
}

TEST(blocking_shrinking, keeps_only_what_the_difference_needs) {
  // beside a machine whose wake_one wakes any sleeper the engine differs
  const comparison_options how{.wakes = wake_rule::any};
  const program source = parse(
      "z=1 :: lock(m); r0=add(y,1); unlock(m); sleep_while(x,0) | skip_if(r0,1,1); load(y); "
      "sleep_while(x,1); r1=load(z) | lock(m); store(x,1); unlock(m); wake_one(x); store(y,1)");
  ASSERT_NE(compare(source, how).difference, "");
  EXPECT_EQ(print(shrink(source, how)),
            "sleep_while(x,0) | sleep_while(x,1) | store(x,1); wake_one(x)");
}

}  // namespace
}  // namespace heddle::oracle::blocking
