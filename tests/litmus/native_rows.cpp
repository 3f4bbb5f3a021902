// The bodies: each does what the text of its row says, in threads of its own.
#include "tests/litmus/native_rows.hpp"

#include <array>

#include "heddle/atomic.hpp"
#include "heddle/await.hpp"
#include "heddle/check_functions.hpp"
#include "heddle/mutex.hpp"
#include "heddle/thread.hpp"
#include "heddle/var.hpp"

namespace heddle {
namespace {

constexpr auto rlx = std::memory_order_relaxed;
constexpr auto acq = std::memory_order_acquire;
constexpr auto rel = std::memory_order_release;
constexpr auto ar = std::memory_order_acq_rel;
constexpr auto sc = std::memory_order_seq_cst;

// std has one too
void fence(std::memory_order order) { heddle::atomic_thread_fence(order); }

// Runs them in a thread each.
template <class... Bodies>
void threads(Bodies... bodies) {
  std::array<thread, sizeof...(Bodies)> all{thread(bodies)...};
  for (thread& each : all) each.join();
}

// Runs it in so many threads; it takes its number.
template <class Body>
void same_threads(int count, Body body) {
  std::vector<thread> all;
  for (int i = 0; i < count; ++i) all.emplace_back(body, i);
  for (thread& each : all) each.join();
}

// ---- two locations

void store_buffering(std::memory_order store, std::memory_order load) {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, store), y.load(load); }, [&] { y.store(1, store), x.load(load); });
}

void store_buffering_with_fences(std::memory_order order) {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, rlx), fence(order), y.load(rlx); },
          [&] { y.store(1, rlx), fence(order), x.load(rlx); });
}

void store_buffering_by_exchange() {
  atomic<int> x{0}, y{0};
  threads([&] { x.exchange(1, ar), y.load(acq); }, [&] { y.exchange(1, ar), x.load(acq); });
}

void store_buffering_half_relaxed() {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, sc), y.load(rlx); }, [&] { y.store(1, sc), x.load(sc); });
}

void message_passing(std::memory_order store, std::memory_order load) {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, rlx), y.store(1, store); }, [&] { y.load(load), x.load(rlx); });
}

void message_passing_with_fences(std::memory_order writer, std::memory_order reader) {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, rlx), fence(writer), y.store(1, rlx); },
          [&] { y.load(rlx), fence(reader), x.load(rlx); });
}

void message_passing_with_a_condition() {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, rlx), y.store(1, rel); },
          [&] {
            if (y.load(acq) == 1) x.load(rlx);
          });
}

void message_passing_with_an_await() {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, rlx), y.store(1, rel); },
          [&] {
            await(
                y, [](int v) { return v == 1; }, acq);
            require(x.load(rlx) == 1, "the message is there");
          });
}

void load_buffering_of_data() {
  atomic<int> x{0}, y{0};
  threads([&] { y.store(x.load(rlx), rlx); }, [&] { x.store(y.load(rlx), rlx); });
}

void two_plus_two_writes(std::memory_order order) {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, order), y.store(2, order); },
          [&] { y.store(1, order), x.store(2, order); });
}

void two_plus_two_writes_with_fences() {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, rlx), fence(sc), y.store(2, rlx); },
          [&] { y.store(1, rlx), fence(sc), x.store(2, rlx); });
}

void independent_reads(std::memory_order store, std::memory_order load) {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, store); }, [&] { y.store(1, store); },
          [&] { x.load(load), y.load(load); }, [&] { y.load(load), x.load(load); });
}

void independent_reads_with_fences() {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, rlx); }, [&] { y.store(1, rlx); },
          [&] { x.load(rlx), fence(sc), y.load(rlx); },
          [&] { y.load(rlx), fence(sc), x.load(rlx); });
}

void write_read_causality() {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, rlx); }, [&] { x.load(rlx), y.store(1, rel); },
          [&] { y.load(acq), x.load(rlx); });
}

void z6u() {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, sc), y.store(1, rel); }, [&] { y.fetch_add(1, sc), y.load(rlx); },
          [&] { y.store(3, sc), x.load(sc); });
}

void release_sequence_through_an_update() {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, rlx), y.store(1, rel); }, [&] { y.fetch_add(1, rlx); },
          [&] { y.load(acq), x.load(rlx); });
}

void release_sequence_of_a_fence() {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, rlx), fence(rel), y.store(1, rlx); }, [&] { y.fetch_add(1, rlx); },
          [&] { y.fetch_add(1, acq), x.load(rlx); });
}

void last_zero(int n) {
  std::array<atomic<int>, 6> a{};
  std::vector<thread> all;
  all.emplace_back([&a, n] {
    for (int i = n; i >= 0 && a[static_cast<std::size_t>(i)].load(rlx) != 0; --i) continue;
  });
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i)
    all.emplace_back([&a, i] { a[i + 1].store(a[i].load(rlx) + 1, rlx); });
  for (thread& each : all) each.join();
}

// ---- one location

void coherent_reads() {
  atomic<int> x{0};
  threads([&] { x.store(1, rlx); }, [&] { x.load(rlx), x.load(rlx); });
}

void coherent_reads_of_two_writes() {
  atomic<int> x{0};
  const auto reader = [&] { x.load(rlx), x.load(rlx); };
  threads([&] { x.store(1, rlx); }, [&] { x.store(2, rlx); }, reader, reader);
}

void coherent_read_and_write() {
  atomic<int> x{0};
  threads([&] { x.load(rlx), x.store(1, rlx); }, [&] { x.store(2, rlx); });
}

void writers(int count) {
  atomic<int> x{0};
  same_threads(count, [&](int i) { x.store(i + 1, rlx); });
}

void readers(int count) {
  atomic<int> x{0};
  std::vector<thread> all;
  all.emplace_back([&] { x.store(42, rlx); });
  for (int i = 0; i < count; ++i) all.emplace_back([&] { x.load(rlx); });
  for (thread& each : all) each.join();
}

void fetch_add(int count, int times) {
  atomic<int> x{0};
  same_threads(count, [&](int) {
    for (int i = 0; i < times; ++i) x.fetch_add(1, rlx);
  });
}

void compare_exchange_race(int count) {
  atomic<int> x{0};
  same_threads(count, [&](int i) {
    int expected = 0;
    x.compare_exchange_strong(expected, i + 1, ar);
  });
}

void compare_exchange_increment() {
  atomic<int> x{0};
  same_threads(2, [&](int) {
    for (int i = 0; i < 2; ++i) {
      int expected = x.load(rlx);
      x.compare_exchange_strong(expected, expected + 1, ar);
    }
  });
}

void push_with_compare_exchange() {
  atomic<int> h{0}, n{0}, m{0};
  threads(
      [&] {
        int expected = h.load(rlx);
        h.compare_exchange_strong(expected, 1, rel);
        n.store(1, rlx);
      },
      [&] {
        int expected = h.load(rlx);
        h.compare_exchange_strong(expected, 2, rel);
        m.store(1, rlx);
      });
}

// ---- locks and waiting

void counter_under_a_mutex(int count, int times) {
  mutex l;
  atomic<int> x{0};
  same_threads(count, [&](int) {
    for (int i = 0; i < times; ++i) {
      const lock_guard guard(l);
      x.store(x.load(rlx) + 1, rlx);
    }
  });
  require(x.load(rlx) == count * times, "no increment is lost");
}

// As the row has it: nothing is done under the lock.
void empty_critical_sections(int count, int times) {
  mutex l;
  same_threads(count, [&](int) {
    for (int i = 0; i < times; ++i) {
      l.lock();
      l.unlock();
    }
  });
}

void locks_in_opposite_orders() {
  mutex l, k;
  threads(
      [&] {
        l.lock(), k.lock();
        k.unlock(), l.unlock();
      },
      [&] {
        k.lock(), l.lock();
        l.unlock(), k.unlock();
      });
}

void ticket_lock(int count) {
  atomic<int> n{0}, s{0}, x{0};
  same_threads(count, [&](int) {
    const int mine = n.fetch_add(1, rlx);
    await(
        s, [mine](int v) { return v == mine; }, acq);
    x.store(x.load(rlx) + 1, rlx);
    s.store(mine + 1, rel);
  });
}

void barrier(int count) {
  atomic<int> b{0};
  same_threads(count, [&](int) {
    b.fetch_add(1, ar);
    await(
        b, [count](int v) { return v == count; }, acq);
  });
}

void await_of_what_is_overwritten() {
  atomic<int> x{0};
  threads([&] { x.store(1, rlx), x.store(2, rlx); },
          [&] {
            await(
                x, [](int v) { return v == 1; }, rlx);
          });
}

void await_of_what_never_comes() {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(2, rlx); },
          [&] {
            await(
                x, [](int v) { return v == 1; }, rlx);
            y.store(1, rlx);
          });
}

void ring() {
  atomic<int> t{0}, h{0}, a{0}, b{0};
  const auto at_least = [](const atomic<int>& object, int least) {
    await(
        object, [least](int v) { return v >= least; }, acq);
  };
  threads(
      [&] {
        at_least(t, 0), a.store(1, rlx), h.store(1, rel);
        at_least(t, 0), b.store(2, rlx), h.store(2, rel);
      },
      [&] {
        at_least(h, 1), a.load(rlx), t.store(1, rel);
        at_least(h, 2), b.load(rlx), t.store(2, rel);
      });
}

// ---- assumptions

void peterson(std::memory_order store, std::memory_order load) {
  std::array<atomic<int>, 2> wants{};
  atomic<int> t{0}, c{0};
  same_threads(2, [&](int me) {
    auto& mine = wants[static_cast<std::size_t>(me)];
    auto& other = wants[static_cast<std::size_t>(1 - me)];
    mine.store(1, store);
    t.store(1 - me, store);
    if (other.load(load) != 0) assume(t.load(load) == me);
    c.store(me + 1, rlx);
    mine.store(0, store);
  });
}

void dekker(std::memory_order store, std::memory_order load) {
  atomic<int> x{0}, y{0}, z{0};
  const auto enter = [&](atomic<int>& mine, const atomic<int>& other, int value) {
    mine.store(1, store);
    if (other.load(load) != 1) z.store(value, rlx);
  };
  threads([&] { enter(x, y, 1); }, [&] { enter(y, x, 2); });
}

void seqlock() {
  atomic<int> s{0}, x{0}, y{0};
  threads(
      [&] {
        s.store(1, rlx), fence(rel);
        x.store(1, rlx), y.store(1, rlx);
        s.store(2, rel);
      },
      [&] {
        assume(s.load(acq) != 1);
        x.load(rlx), y.load(rlx);
        fence(acq);
        assume(s.load(rlx) != 1);
      });
}

// ---- threads

void spawn_and_join() {
  atomic<int> x{0};
  threads([&] {
    thread first([&] { x.store(1, rlx); });
    thread second([&] { x.fetch_add(1, rlx); });
    first.join();
    second.join();
    x.load(rlx);
  });
}

// ---- not in the table: kinds of instruction that no row has, or only together with others

void bits() {
  atomic<unsigned> x{6};
  threads([&] { x.fetch_sub(2, rlx), x.fetch_or(8, acq); }, [&] { x.fetch_and(~4U, rel); });
}

void failure_order(std::memory_order success, std::memory_order failure) {
  atomic<int> x{0}, y{0};
  threads([&] { x.store(1, rlx), y.store(1, rel); },
          [&] {
            int expected = 5;
            y.compare_exchange_strong(expected, 2, success, failure);
            x.load(rlx);
          });
}

void choice() {
  atomic<int> x{0};
  threads([&] { x.store(choose(3), rlx); }, [&] { x.load(rlx); });
}

void plain_message(std::memory_order store) {
  var<int> d{0};
  atomic<int> y{0};
  threads([&, store] { d = 1, y.store(1, store); },
          [&] {
            if (y.load(acq) == 1) require(d == 1, "the message is there");
          });
}

void promise_that_nobody_writes() {
  atomic<int> x{0};
  threads([&] { x.store(1, rlx); }, [&] { require(x.load(rlx) == 0, "nobody writes"); });
}

}  // namespace

const std::vector<native>& natives() {
  static const std::vector<native> all{
      {"SB+rlx", [] { store_buffering(rlx, rlx); }},
      {"SB+ra", [] { store_buffering(rel, acq); }},
      {"SB+sc", [] { store_buffering(sc, sc); }},
      {"SB+fsc", [] { store_buffering_with_fences(sc); }},
      {"SB+far", [] { store_buffering_with_fences(ar); }},
      {"SB+xchg.ar", store_buffering_by_exchange},
      {"SB+sc+rlx", store_buffering_half_relaxed},
      {"MP+rlx", [] { message_passing(rlx, rlx); }},
      {"MP+rel+acq", [] { message_passing(rel, acq); }},
      {"MP+frel+facq", [] { message_passing_with_fences(rel, acq); }},
      {"MP+fsc+fsc", [] { message_passing_with_fences(sc, sc); }},
      {"MP+facq+frel (wrong way)", [] { message_passing_with_fences(acq, rel); }},
      {"MP+if", message_passing_with_a_condition},
      {"MP+await", message_passing_with_an_await},
      {"LB+data", load_buffering_of_data},
      {"IRIW+rlx", [] { independent_reads(rlx, rlx); }},
      {"IRIW+sc", [] { independent_reads(sc, sc); }},
      {"IRIW+fsc", independent_reads_with_fences},
      {"2+2W+rlx", [] { two_plus_two_writes(rlx); }},
      {"2+2W+sc", [] { two_plus_two_writes(sc); }},
      {"2+2W+fsc", two_plus_two_writes_with_fences},
      {"CoRR", coherent_reads},
      {"CoRR2 (2 writers, 2 readers)", coherent_reads_of_two_writes},
      {"CoRW", coherent_read_and_write},
      {"WRC+ra", write_read_causality},
      {"Z6.U (RC11 fig.)", z6u},
      {"RelSeq: rel; rmw.rlx by other", release_sequence_through_an_update},
      {"RelSeq: frel; rlx; rmw.rlx; rmw.rlx", release_sequence_of_a_fence},
      {"fetch_add 2T x 3", [] { fetch_add(2, 3); }},
      {"fetch_add 3T x 2", [] { fetch_add(3, 2); }},
      {"5 writers same location", [] { writers(5); }},
      {"lastzero(4)", [] { last_zero(4); }},
      {"readers(4)", [] { readers(4); }},
      {"CAS race 3T", [] { compare_exchange_race(3); }},
      {"CAS increment loop 2T (unroll 2)", compare_exchange_increment},
      {"Treiber-like push 2T (CAS, 1 retry)", push_with_compare_exchange},
      {"mutex 4T x 1 CS, parked", [] { counter_under_a_mutex(4, 1); }},
      {"mutex 2T x 2 CS, parked", [] { counter_under_a_mutex(2, 2); }},
      {"mutex 3T x 2 CS, parked", [] { empty_critical_sections(3, 2); }},
      {"AB-BA deadlock, parked", locks_in_opposite_orders},
      {"ticket lock 3T, parked await", [] { ticket_lock(3); }},
      {"barrier as RMW+await 3T, parked", [] { barrier(3); }},
      {"await race (==1 may be overwritten)", await_of_what_is_overwritten},
      {"lost flag (await never satisfied)", await_of_what_never_comes},
      {"SPSC ring cap 2, 2 items (awaits)", ring},
      {"Peterson sc (wait as assume)", [] { peterson(sc, sc); }},
      {"Peterson ra (broken)", [] { peterson(rel, acq); }},
      {"Dekker entry sc", [] { dekker(sc, sc); }},
      {"Dekker entry ra", [] { dekker(rel, acq); }},
      {"seqlock 1 writer 1 reader (assume)", seqlock},
      {"spawn/join MP (no race)", spawn_and_join},

      {"x=6 :: r0=sub(x,2).rlx; r1=or(x,8).acq | r0=andn(x,4).rel", bits},
      {"x.rlx=1; y.rel=1 | r0=cas(y,5,2).ar/rlx; r1=x.rlx", [] { failure_order(ar, rlx); }},
      {"x.rlx=1; y.rel=1 | r0=cas(y,5,2).rlx/acq; r1=x.rlx", [] { failure_order(rlx, acq); }},
      {"r0=choice(3); x.rlx=r0 | r0=x.rlx", choice},
      {"d.na=1; y.rel=1 | r0=y.acq; if(r0!=1)skip1; r1=d.na", [] { plain_message(rel); }},
      {"d.na=1; y.rlx=1 | r0=y.acq; if(r0!=1)skip1; r1=d.na", [] { plain_message(rlx); }},
  };
  return all;
}

native broken_promise() {
  return {"x.rlx=1 | r0=x.rlx; assert(r0==0)", promise_that_nobody_writes};
}

}  // namespace heddle
