// Faults of public libraries, as reported and as repaired (shared/data/real-bugs.md). In all of
// these a thread sleeps for ever.

#include <heddle/atomic.hpp>
#include <heddle/check_functions.hpp>
#include <heddle/name.hpp>
#include <heddle/scenario.hpp>
#include <heddle/thread.hpp>
#include <heddle/var.hpp>

#include "models/libcxx_semaphore.hpp"
#include "models/park.hpp"
#include "models/proxied_wait.hpp"
#include "models/pthread_once.hpp"

namespace {

using heddle::deadlocks;
using heddle::loses_wakeup;
using heddle::parameters;
using heddle::scenario;
using heddle::thread;
using heddle::verified;
using models::condition_proxy;
using models::first_look;
using models::futex_proxy;
using models::late_token;
using models::libcxx_semaphore;
using models::libcxx_semaphore_form;
using models::once_entry;
using models::parker;
using models::pthread_once;
using models::second_unpark;
using models::semaphore_fences;
using models::version_check;

// --- 1: libc++'s semaphore -----------------------------------------------------------------------

// One permit, and two threads that use it.
void one_permit(libcxx_semaphore_form form) {
  libcxx_semaphore semaphore{1, form};
  heddle::var<int> used{0};
  heddle::name(used, "used");
  const auto use = [&] {
    semaphore.acquire();
    ++used;
    semaphore.release();
  };
  thread one{use};
  thread two{use};
  one.join();
  two.join();
  heddle::require(used == 2, "a use was lost");
}

const scenario semaphore_earlier_value{
    .name = "real_bugs.semaphore_earlier_value",
    .id = "bug-1",
    .expect = loses_wakeup,
    .because = "the value goes from 1 to 0 and back, and the thread sleeps as long as it is 1",
    .body = [](const parameters&) { one_permit({.sleeps_on_earlier_value = true}); },
};

const scenario semaphore_failed_value{
    .name = "real_bugs.semaphore_failed_value",
    .id = "bug-1",
    .expect = verified,
    .because = "the thread sleeps as long as there is no permit",
    .body = [](const parameters&) { one_permit({}); },
};

constexpr heddle::expectation only_rc11_loses{
    .sc = verified, .tso = verified, .rc11 = loses_wakeup};

const scenario semaphore_no_fences{
    .name = "real_bugs.semaphore_no_fences",
    .id = "bug-1",
    .expect = only_rc11_loses,
    .because =
        "neither look is ordered after the change of the other count: store buffering; on "
        "x86 both changes are full barriers",
    .body = [](const parameters&) { one_permit({.fences = semaphore_fences::none}); },
};

// The fence of PR #146267 is enough where the releaser raises a version, which is seq_cst. Here it
// raises the permits; usual compilers order it before the look at the waiters all the same.
const scenario semaphore_waiter_fence{
    .name = "real_bugs.semaphore_waiter_fence",
    .id = "bug-1",
    .expect = only_rc11_loses,
    .because = "the releaser may still look at the waiters before others see its permit",
    .body = [](const parameters&) { one_permit({.fences = semaphore_fences::at_waiter}); },
};

// Two threads sleep, and each is to get one of two permits.
void two_permits(libcxx_semaphore_form form) {
  libcxx_semaphore semaphore{0, form};
  const auto take = [&] { semaphore.acquire(); };
  thread one{take};
  thread two{take};
  semaphore.release();
  semaphore.release();
  one.join();
  two.join();
  heddle::reached("both have a permit");
}

const scenario semaphore_wakes_one{
    .name = "real_bugs.semaphore_wakes_one",
    .id = "bug-1",
    .expect = loses_wakeup,
    .because = "the second release finds a permit there already and wakes nobody",
    .body = [](const parameters&) { two_permits({.wakes_one = true}); },
};

const scenario semaphore_wakes_all{
    .name = "real_bugs.semaphore_wakes_all",
    .id = "bug-1",
    .expect = verified,
    .sometimes = {"both have a permit"},
    .because = "the release that raises the value from zero wakes all, and they look",
    .body = [](const parameters&) { two_permits({}); },
};

// --- 3: libstdc++'s wait by a proxy --------------------------------------------------------------

template <class Proxy>
void wait_by(const parameters&) {
  Proxy proxy;
  heddle::atomic<bool> flag{false};
  heddle::var<int> data{0};
  heddle::name(flag, "flag");
  heddle::name(data, "data");
  thread notifier{[&] {
    data = 1;
    flag.store(true, std::memory_order_release);
    proxy.notify_all();
  }};
  proxy.wait(flag, false);
  heddle::require(data == 1, "the wait returned early");
  notifier.join();
}

const scenario proxy_value_first{
    .name = "real_bugs.proxy_value_first",
    .id = "bug-3",
    .expect = loses_wakeup,
    .because = "the notify comes between the two looks: the thread sleeps until the next one",
    .body = wait_by<futex_proxy<first_look::at_value>>,
};

const scenario proxy_version_first{
    .name = "real_bugs.proxy_version_first",
    .id = "bug-3",
    .expect = verified,
    .because =
        "a notify after the look at the version is seen by the futex, one before it tells "
        "of the new value",
    .body = wait_by<futex_proxy<first_look::at_version>>,
};

const scenario proxy_check_before_lock{
    .name = "real_bugs.proxy_check_before_lock",
    .id = "bug-3",
    .expect = loses_wakeup,
    .because = "the notify comes between the check of the version and the lock",
    .body = wait_by<condition_proxy<version_check::before_the_lock>>,
};

const scenario proxy_check_under_lock{
    .name = "real_bugs.proxy_check_under_lock",
    .id = "bug-3",
    .expect = verified,
    .because = "the version is raised under the lock, so either the check or the notify is later",
    .body = wait_by<condition_proxy<version_check::under_the_lock>>,
};

// --- 9: musl's pthread_once ----------------------------------------------------------------------

template <once_entry Entry>
void three_callers(const parameters&) {
  pthread_once<Entry> once;
  heddle::var<int> calls{0};
  heddle::name(calls, "calls");
  const auto call = [&] {
    once.call([&] { ++calls; });
    heddle::require(calls == 1, "not initialised, or twice");
  };
  thread one{call};
  thread two{call};
  call();
  one.join();
  two.join();
}

const scenario once_exchange{
    .name = "real_bugs.once_exchange",
    .id = "bug-9",
    .expect = loses_wakeup,
    .because = "a caller takes the state from done to running and back, and wakes nobody",
    .body = three_callers<once_entry::exchange>,
};

const scenario once_compare_exchange{
    .name = "real_bugs.once_compare_exchange",
    .id = "bug-9",
    .expect = verified,
    .because = "nobody changes the state once it is done",
    .body = three_callers<once_entry::compare_exchange>,
};

// --- 13: Rust's parker ---------------------------------------------------------------------------

constexpr const char* one_for_both = "one park for two unparks";

// A thread parks until two flags are set, and whoever sets one unparks it.
template <second_unpark Unpark, late_token Late>
void two_unparks(const parameters&) {
  parker<Unpark, Late> sleeper;
  heddle::atomic<bool> first{false};
  heddle::atomic<bool> second{false};
  heddle::name(first, "first");
  heddle::name(second, "second");
  const auto set = [&](heddle::atomic<bool>& flag) {
    flag.store(true, std::memory_order_relaxed);
    sleeper.unpark();
  };
  thread one{[&] { set(first); }};
  thread two{[&] { set(second); }};
  const auto both = [&] {
    return first.load(std::memory_order_relaxed) && second.load(std::memory_order_relaxed);
  };
  int parks = 0;
  for (; !both(); ++parks) sleeper.park();
  if (parks == 1) heddle::reached(one_for_both);
  one.join();
  two.join();
}

const scenario park_unpark_looks{
    .name = "real_bugs.park_unpark_looks",
    .id = "bug-13",
    .expect = {.sc = verified, .tso = loses_wakeup, .rc11 = loses_wakeup},
    .sometimes = {one_for_both},
    .because =
        "the second unpark only sees the token and releases nothing: who takes it does not "
        "see the second flag",
    .body = two_unparks<second_unpark::looks, late_token::exchanges>,
};

const scenario park_stores{
    .name = "real_bugs.park_stores",
    .id = "bug-13",
    // not lost_wakeup, for neither unpark finds the thread parked, and nobody notifies
    .expect = {.sc = verified, .tso = verified, .rc11 = deadlocks},
    .sometimes = {one_for_both},
    .because =
        "the store takes the second token without having read it; on x86 it is a full "
        "barrier, and the flag is seen",
    .body = two_unparks<second_unpark::exchanges, late_token::stores>,
};

const scenario park_exchanges{
    .name = "real_bugs.park_exchanges",
    .id = "bug-13",
    .expect = verified,
    .sometimes = {one_for_both},
    .because = "each unpark puts its own token there, and a park reads the one that it takes",
    .body = two_unparks<second_unpark::exchanges, late_token::exchanges>,
};

}  // namespace
