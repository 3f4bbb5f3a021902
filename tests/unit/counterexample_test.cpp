// Counterexamples from small graphs, as text, to the letter.
#include "checker/report/counterexample.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "checker/report/missing_order.hpp"
#include "checker/report/rows.hpp"
#include "checker/report/text.hpp"

namespace heddle::report {
namespace {

using graph::event_id;
using graph::execution_graph;
using graph::location_id;
using graph::memory_order;
using graph::operation;
using graph::operation_kind;
using graph::thread_id;
using graph::value;

constexpr auto relaxed = memory_order::relaxed;
constexpr auto acquire = memory_order::acquire;
constexpr auto release = memory_order::release;
constexpr auto acq_rel = memory_order::acq_rel;
constexpr auto seq_cst = memory_order::seq_cst;

// A graph by hand, each event with its place, and what a run would know about it.
class story {
 public:
  explicit story(std::vector<std::string> objects, std::string file = "story.cpp")
      : file_{std::move(file)} {
    for (location_id l = 0; l < objects.size(); ++l) graph.set_initial(l, {});
    facts.memory_model = "rc11";
    facts.name_of = [objects](location_id l) { return objects.at(l); };
    facts.place_of = [this](event_id e) { return places_[{e.thread(), e.index()}]; };
  }
  story(const story&) = delete;
  story& operator=(const story&) = delete;

  event_id load(thread_id t, location_id l, memory_order order, event_id source, int line) {
    return at(graph.append_read(t, simple(operation_kind::load, l, order), source), line);
  }
  event_id store(thread_id t, location_id l, memory_order order, std::uint64_t v, int line) {
    const event_id w = graph.append_write(t, l, order, {v, 0}, false);
    graph.place(w, next_position(l));
    return at(w, line);
  }
  // Reads and, if it has an effect, writes just after what it has read.
  event_id rmw(thread_id t, const operation& op, event_id source, int line) {
    const event_id r = at(graph.append_read(t, op, source), line);
    const value old = graph[r].val;
    if (!op.writes_after(old)) return r;
    const event_id w = graph.append_write(t, op.location, op.order, op.new_value(old), true);
    graph.place(w, graph.position(source) + 1);
    return at(w, line);
  }
  event_id fetch_add(thread_id t, location_id l, memory_order order, std::uint64_t v,
                     event_id source, int line) {
    operation op = simple(operation_kind::rmw, l, order);
    op.modify = [](value a, value b) { return value{a.low + b.low, 0}; };
    op.operand = {v, 0};
    return rmw(t, op, source, line);
  }
  static operation locking(thread_id t, location_id l) {
    operation op = simple(operation_kind::rmw, l, acquire);
    op.when = graph::condition::equal;
    op.operand = {std::uint64_t{t} + 1, 0};
    op.blocks = true;
    return op;
  }
  event_id lock(thread_id t, location_id l, event_id source, int line) {
    return rmw(t, locking(t, l), source, line);
  }
  event_id fence(thread_id t, memory_order order, int line) {
    return at(graph.append_fence(t, order), line);
  }
  event_id spawn(thread_id t, thread_id child, int line) {
    return at(graph.append_spawn(t, child), line);
  }
  event_id join(thread_id t, thread_id ended, int line) {
    return at(graph.append_join(t, ended), line);
  }
  void end(thread_id t) { graph.append_end(t); }

  void fails(std::string kind, std::string message, int line, std::optional<thread_id> thread) {
    facts.kind = std::move(kind);
    facts.message = std::move(message);
    facts.place = line == 0 ? "" : place(line);
    facts.thread = thread;
    if (thread) facts.ends = {*thread};
  }
  std::string place(int line) const { return file_ + ":" + std::to_string(line); }

  static operation simple(operation_kind kind, location_id l, memory_order order) {
    operation op;
    op.kind = kind;
    op.location = l;
    op.order = order;
    return op;
  }

  execution_graph graph;
  run_facts facts;

 private:
  std::uint32_t next_position(location_id l) const {
    return static_cast<std::uint32_t>(graph.modification_order(l).size()) + 1;
  }
  event_id at(event_id e, int line) {
    places_[{e.thread(), e.index()}] = place(line);
    return e;
  }

  std::string file_;
  std::map<std::pair<thread_id, std::uint32_t>, std::string> places_;
};

constexpr event_id initial = graph::initial_write;

// --- an add between the read and the set of zero is erased

void lose_an_add(story& s) {
  s.spawn(0, 1, 30);
  s.spawn(0, 2, 31);
  const event_id first = s.fetch_add(1, 0, relaxed, 4, initial, 12);
  s.load(1, 0, acquire, first, 15);
  s.fetch_add(2, 0, relaxed, 2, first, 12);
  const event_id zero = s.store(1, 0, release, 0, 16);
  s.end(1);
  s.load(2, 0, acquire, zero, 15);
  s.end(2);
  s.join(0, 1, 32);
  s.join(0, 2, 33);
  s.load(0, 0, seq_cst, zero, 34);
  s.fails("assertion", "objects were lost", 34, 0);
}

TEST(Counterexample, LostAdd) {
  story s{{"backlog"}, "models/shrinker_backlog.hpp"};
  lose_an_add(s);
  EXPECT_EQ(to_text(s.graph, s.facts), R"(assertion: objects were lost
  at models/shrinker_backlog.hpp:34, in thread 0

initially backlog = 0
 #  thread 0           thread 1                     thread 2                     order    place
--  -----------------  ---------------------------  ---------------------------  -------  ------------------------------
 1  start thread 1                                                                        models/shrinker_backlog.hpp:30
 2  start thread 2                                                                        models/shrinker_backlog.hpp:31
 3                     backlog.fetch_add(4) 0 -> 4                               relaxed  models/shrinker_backlog.hpp:12
 4                     backlog.load -> 4                                         acquire  models/shrinker_backlog.hpp:15
 5                                                  backlog.fetch_add(2) 4 -> 6  relaxed  models/shrinker_backlog.hpp:12
 6                     backlog.store 0                                           release  models/shrinker_backlog.hpp:16
 7                                                  backlog.load -> 0            acquire  models/shrinker_backlog.hpp:15
 8  join thread 1                                                                         models/shrinker_backlog.hpp:32
 9  join thread 2                                                                         models/shrinker_backlog.hpp:33
10  backlog.load -> 0                                                            seq_cst  models/shrinker_backlog.hpp:34
=> thread 0: objects were lost
)");
}

// --- store buffering

void buffer_stores(story& s, memory_order order, bool fence_in_first = false) {
  s.spawn(0, 1, 20);
  s.spawn(0, 2, 21);
  s.store(1, 0, order, 1, 5);
  if (fence_in_first) s.fence(1, seq_cst, 6);
  s.load(1, 1, order == release ? acquire : order, initial, 7);
  s.end(1);
  s.store(2, 1, order, 1, 11);
  s.load(2, 0, order == release ? acquire : order, initial, 12);
  s.end(2);
  s.join(0, 1, 22);
  s.join(0, 2, 23);
  s.fails("assertion", "both missed the other", 24, 0);
}

TEST(Counterexample, StoreBuffering) {
  story s{{"x", "y"}, "sb.cpp"};
  buffer_stores(s, release, true);
  EXPECT_EQ(to_text(s.graph, s.facts), R"(assertion: both missed the other
  at sb.cpp:24, in thread 0

initially x = 0, y = 0
 #  thread 0        thread 1     thread 2             order    place
--  --------------  -----------  -------------------  -------  ---------
 1  start thread 1                                             sb.cpp:20
 2  start thread 2                                             sb.cpp:21
 3                  x.store 1                         release  sb.cpp:5
 4                  fence                             seq_cst  sb.cpp:6
 5                  y.load -> 0                       acquire  sb.cpp:7
 6                               y.store 1            release  sb.cpp:11
 7                               x.load -> 0 [stale]  acquire  sb.cpp:12
 8  join thread 1                                              sb.cpp:22
 9  join thread 2                                              sb.cpp:23
=> thread 0: both missed the other

No interleaving of these steps gives these values, but rc11 allows them.
- #7 (sb.cpp:12) reads x = 0, the initial value, and misses #3 of thread 1 (sb.cpp:5), which wrote 1: no seq_cst fence
  stands between #6 (sb.cpp:11) and #7 (sb.cpp:12) of thread 2.
)");
}

// --- message passing

void pass_message(story& s, memory_order store, memory_order load) {
  s.spawn(0, 1, 20);
  s.spawn(0, 2, 21);
  s.store(1, 0, relaxed, 42, 5);
  const event_id flag = s.store(1, 1, store, 1, 6);
  s.end(1);
  s.load(2, 0, relaxed, initial, 9);
  s.load(2, 1, load, flag, 10);
  s.load(2, 0, relaxed, initial, 11);
  s.fails("assertion", "data is there when the flag is", 12, 2);
}

TEST(Counterexample, MessagePassing) {
  story s{{"data", "flag"}, "mp.cpp"};
  pass_message(s, relaxed, relaxed);
  EXPECT_EQ(to_text(s.graph, s.facts), R"(assertion: data is there when the flag is
  at mp.cpp:12, in thread 2

initially data = 0, flag = 0
 #  thread 0        thread 1       thread 2                order    place
--  --------------  -------------  ----------------------  -------  ---------
 1  start thread 1                                                  mp.cpp:20
 2  start thread 2                                                  mp.cpp:21
 3                                 data.load -> 0          relaxed  mp.cpp:9
 4                  data.store 42                          relaxed  mp.cpp:5
 5                  flag.store 1                           relaxed  mp.cpp:6
 6                                 flag.load -> 1          relaxed  mp.cpp:10
 7                                 data.load -> 0 [stale]  relaxed  mp.cpp:11
=> thread 2: data is there when the flag is

No interleaving of these steps gives these values, but rc11 allows them.
- #7 (mp.cpp:11) reads data = 0, the initial value, and misses #4 of thread 1 (mp.cpp:5), which wrote 42: the store of
  flag in #5 (mp.cpp:6) does not release (relaxed) and the load of flag in #6 (mp.cpp:10) does not acquire (relaxed).
)");
}

// --- AB-BA

void deadlock(story& s) {
  s.spawn(0, 1, 30);
  s.spawn(0, 2, 31);
  s.lock(2, 1, initial, 20);
  const event_id unlock = s.store(2, 1, release, 0, 21);
  s.lock(1, 0, initial, 10);
  s.lock(2, 1, unlock, 22);
  s.fails("deadlock", "no thread can go on", 0, std::nullopt);
  operation join;
  join.kind = operation_kind::join;
  join.other = 1;
  s.facts.waiting = {{0, join, "", s.place(32)},
                     {1, story::locking(1, 1), "", s.place(11)},
                     {2, story::locking(2, 0), "", s.place(23)}};
}

TEST(Counterexample, Deadlock) {
  story s{{"accounts", "journal"}, "scenarios/transfer.cpp"};
  deadlock(s);
  EXPECT_EQ(to_text(s.graph, s.facts), R"(deadlock: no thread can go on

 #  thread 0        thread 1       thread 2        place
--  --------------  -------------  --------------  -------------------------
 1  start thread 1                                 scenarios/transfer.cpp:30
 2  start thread 2                                 scenarios/transfer.cpp:31
 3                  lock accounts                  scenarios/transfer.cpp:10
 4                                 lock journal    scenarios/transfer.cpp:20
 5                                 unlock journal  scenarios/transfer.cpp:21
 6                                 lock journal    scenarios/transfer.cpp:22
=> no thread can go on
  thread 0 waits to join thread 1                             scenarios/transfer.cpp:32
  thread 1 waits to lock journal, held by thread 2 since #6   scenarios/transfer.cpp:11
  thread 2 waits to lock accounts, held by thread 1 since #3  scenarios/transfer.cpp:23
)");
}

// --- many threads

TEST(Counterexample, TooManyThreadsForColumns) {
  story s{{"number_of_objects"}, "models/some/deep/directory/with_a_long_name.hpp"};
  event_id last = initial;
  for (thread_id t = 1; t <= 7; ++t) s.spawn(0, t, 40);
  for (thread_id t = 1; t <= 7; ++t) {
    last = s.fetch_add(t, 0, acq_rel, 1000 * t, last, 12);
    s.end(t);
  }
  for (thread_id t = 1; t <= 7; ++t) s.join(0, t, 41);
  s.fails("assertion", "too much", 42, 0);
  EXPECT_EQ(to_text(s.graph, s.facts), R"(assertion: too much
  at models/some/deep/directory/with_a_long_name.hpp:42, in thread 0

initially number_of_objects = 0
 #  thread  step                                              order    place
--  ------  ------------------------------------------------  -------  -----------------------
 1  0       start thread 1                                             with_a_long_name.hpp:40
 2  0       start thread 2                                             with_a_long_name.hpp:40
 3  0       start thread 3                                             with_a_long_name.hpp:40
 4  0       start thread 4                                             with_a_long_name.hpp:40
 5  0       start thread 5                                             with_a_long_name.hpp:40
 6  0       start thread 6                                             with_a_long_name.hpp:40
 7  0       start thread 7                                             with_a_long_name.hpp:40
 8  1       number_of_objects.fetch_add(1000) 0 -> 1000       acq_rel  with_a_long_name.hpp:12
 9  2       number_of_objects.fetch_add(2000) 1000 -> 3000    acq_rel  with_a_long_name.hpp:12
10  3       number_of_objects.fetch_add(3000) 3000 -> 6000    acq_rel  with_a_long_name.hpp:12
11  4       number_of_objects.fetch_add(4000) 6000 -> 10000   acq_rel  with_a_long_name.hpp:12
12  5       number_of_objects.fetch_add(5000) 10000 -> 15000  acq_rel  with_a_long_name.hpp:12
13  6       number_of_objects.fetch_add(6000) 15000 -> 21000  acq_rel  with_a_long_name.hpp:12
14  7       number_of_objects.fetch_add(7000) 21000 -> 28000  acq_rel  with_a_long_name.hpp:12
15  0       join thread 1                                              with_a_long_name.hpp:41
16  0       join thread 2                                              with_a_long_name.hpp:41
17  0       join thread 3                                              with_a_long_name.hpp:41
18  0       join thread 4                                              with_a_long_name.hpp:41
19  0       join thread 5                                              with_a_long_name.hpp:41
20  0       join thread 6                                              with_a_long_name.hpp:41
21  0       join thread 7                                              with_a_long_name.hpp:41
=> thread 0: too much
)");
}

// --- loops

TEST(Counterexample, Loops) {
  story s{{"flag", "turn"}, "spin.cpp"};
  s.spawn(0, 1, 20);
  for (int i = 0; i < 100; ++i) s.load(0, 0, acquire, initial, 5);
  for (int i = 0; i < 100; ++i) {
    s.load(1, 0, acquire, initial, 7);
    s.load(1, 1, relaxed, initial, 8);
  }
  s.fails("livelock", "no thread can end its loop", 0, std::nullopt);
  s.facts.waiting = {{0, std::nullopt, "stopped at max_steps", s.place(5)},
                     {1, std::nullopt, "stopped at max_steps", s.place(8)}};
  s.facts.threads = {{}, {s.place(20), true}};
  EXPECT_EQ(to_text(s.graph, s.facts), R"(livelock: no thread can end its loop

initially flag = 0, turn = 0
  #  thread 0                 thread 1        order    place
---  -----------------------  --------------  -------  -----------
  1  start thread 1 (daemon)                           spin.cpp:20
  2  flag.load -> 0                           acquire  spin.cpp:5
     ... the same 99 times more
102                           flag.load -> 0  acquire  spin.cpp:7
103                           turn.load -> 0  relaxed  spin.cpp:8
     ... these 2 steps 99 times more
=> no thread can end its loop
  thread 0 stopped at max_steps  spin.cpp:5
  thread 1 stopped at max_steps  spin.cpp:8
)");
  const std::string cut = to_text(s.graph, s.facts, {80, 8, 8});
  EXPECT_LT(cut.size(), 1000U);
}

// --- stores that go underneath

TEST(Counterexample, StoresOutOfOrder) {
  story s{{"x", "y"}, "2+2w.cpp"};
  s.store(0, 0, relaxed, 1, 4);
  s.store(0, 1, relaxed, 2, 5);
  s.store(1, 1, relaxed, 1, 8);
  const event_id last = s.store(1, 0, relaxed, 2, 9);
  s.graph.remove_from_order(last);
  s.graph.place(last, 1);
  s.fails("assertion", "both first\nstores\tcan not last: \x01\xc3\xa4", 9, std::nullopt);
  EXPECT_EQ(to_text(s.graph, s.facts), R"(assertion: both first
  stores can not last: ???
  at 2+2w.cpp:9

initially x = 0, y = 0
 #  thread 0   thread 1              order    place
--  ---------  --------------------  -------  ----------
 1  x.store 1                        relaxed  2+2w.cpp:4
 2  y.store 2                        relaxed  2+2w.cpp:5
 3             y.store 1             relaxed  2+2w.cpp:8
 4             x.store 2 [under #1]  relaxed  2+2w.cpp:9
=> both first

No interleaving of these steps gives these values, but rc11 allows them.
- #4 (2+2w.cpp:9) writes x = 2 underneath #1 of thread 0 (2+2w.cpp:4): in modification order it comes before the 1
  written there.
)");
}

// --- cells

std::string cell(const story& s, std::size_t row_index) {
  return cell_text(make_counterexample(s.graph, s.facts).rows.at(row_index));
}

TEST(Cell, ReadModifyWrites) {
  story s{{"x"}};
  const event_id added = s.fetch_add(0, 0, relaxed, 7, initial, 1);
  EXPECT_EQ(cell(s, 0), "x.fetch_add(7) 0 -> 7");
  operation op = story::simple(operation_kind::rmw, 0, acq_rel);
  op.operand = {5, 0};
  const event_id exchanged = s.rmw(0, op, added, 2);
  EXPECT_EQ(cell(s, 1), "x.exchange 7 -> 5");
  op.when = graph::condition::equal;
  op.expected = {4, 0};
  op.operand = {9, 0};
  s.rmw(0, op, exchanged, 3);
  EXPECT_EQ(cell(s, 2), "x.compare_exchange(4, 9) fails on 5");
  op.expected = {5, 0};
  const event_id swapped = s.rmw(0, op, exchanged, 4);
  EXPECT_EQ(cell(s, 3), "x.compare_exchange 5 -> 9");
  op = story::simple(operation_kind::rmw, 0, relaxed);
  op.modify = [](value a, value b) { return value{(a.low - b.low) & 0xffffffff, 0}; };
  op.operand = {10, 0};
  const event_id wrapped = s.rmw(0, op, swapped, 5);
  EXPECT_EQ(cell(s, 4), "x.fetch_sub(10) 9 -> -1");
  op.modify = [](value a, value b) { return value{3 * a.low + b.low, 1}; };
  s.rmw(0, op, wrapped, 6);
  EXPECT_EQ(cell(s, 5), "x.rmw -1 -> 0x10000000300000007");
}

TEST(Cell, AwaitsAndPicks) {
  story s{{"x"}};
  const event_id six = s.store(0, 0, relaxed, 6, 1);
  operation op = story::simple(operation_kind::load, 0, acquire);
  op.when = graph::condition::equal;
  op.expected = {6, 0};
  op.blocks = true;
  s.rmw(0, op, six, 2);
  EXPECT_EQ(cell(s, 1), "x.await -> 6");
  s.rmw(1, op, initial, 2);
  EXPECT_EQ(cell(s, 0), "x.await -> 0, waits");
  op = story::simple(operation_kind::pick, 0, relaxed);
  s.graph.append_read(2, op, six);
  s.graph.append_choice(2, 1, graph::choice_reason::body);
  s.graph.place(s.graph.append_write(2, 0, relaxed, {2, 0}, true), 2);
  s.facts.ends = {2};
  EXPECT_EQ(cell(s, 1), "x.pick -> 2");
}

TEST(Cell, Values) {
  EXPECT_EQ(value_text({0, 0}), "0");
  EXPECT_EQ(value_text({~std::uint64_t{0}, 0}), "-1");
  EXPECT_EQ(value_text({0xffffffff, 0}), "-1");
  EXPECT_EQ(value_text({4'000'000'000, 0}), "4000000000");
  EXPECT_EQ(value_text({0x100000000, 0}), "0x100000000");
  EXPECT_EQ(value_text({0x7fffa0001230, 0}), "0x7fffa0001230");
  EXPECT_EQ(value_text({std::uint64_t{1} << 63, 0}), "0x8000000000000000");
  EXPECT_EQ(value_text({0x1f, 1}), "0x1000000000000001f");
}

// --- what is missing

TEST(MissingOrder, NamesTheSideThatDoesNotSynchronise) {
  for (const memory_order store : {relaxed, release})
    for (const memory_order load : {relaxed, acquire}) {
      if (store == release && load == acquire) continue;
      story s{{"data", "flag"}};
      pass_message(s, store, load);
      const auto found = missing_between(s.graph, {1, 0}, {2, 2});
      ASSERT_EQ(found.size(), store == relaxed && load == relaxed ? 2U : 1U);
      if (store == relaxed) {
        EXPECT_EQ(found.front().kind, missing_order::what::release);
        EXPECT_EQ(found.front().first, event_id(1, 1));
      }
      if (load == relaxed) {
        EXPECT_EQ(found.back().kind, missing_order::what::acquire);
        EXPECT_EQ(found.back().first, event_id(2, 1));
      }
    }
}

TEST(MissingOrder, SeesFences) {
  story s{{"data", "flag"}};
  s.store(0, 0, relaxed, 1, 1);
  s.fence(0, release, 2);
  const event_id flag = s.store(0, 1, relaxed, 1, 3);
  s.load(1, 1, relaxed, flag, 4);
  const event_id read = s.load(1, 0, relaxed, initial, 5);
  const auto found = missing_between(s.graph, {0, 0}, read);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].kind, missing_order::what::acquire);
}

// Independent reads of independent writes: acquire loads do not do.
TEST(MissingOrder, BothReadersOfIndependentWrites) {
  story s{{"x", "y"}};
  const event_id x = s.store(0, 0, release, 1, 1);
  const event_id y = s.store(1, 1, release, 1, 2);
  s.load(2, 0, acquire, x, 3);
  s.load(2, 1, acquire, initial, 4);
  s.load(3, 1, acquire, y, 5);
  s.load(3, 0, acquire, initial, 6);
  const auto found = missing_between(s.graph, x, {3, 1});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].first, event_id(2, 0));
  EXPECT_EQ(found[0].second, event_id(2, 1));
  EXPECT_EQ(found[1].first, event_id(3, 0));
  EXPECT_EQ(found[1].second, event_id(3, 1));
}

TEST(MissingOrder, UnderTotalStoreOrderOnlyAStoreBeforeALoad) {
  story s{{"x", "y"}};
  buffer_stores(s, relaxed);
  const auto found = missing_between(s.graph, {1, 0}, {2, 1}, {true});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].kind, missing_order::what::fence);
  EXPECT_EQ(found[0].first, event_id(1, 0));
  EXPECT_EQ(found[1].first, event_id(2, 0));
}

// --- never throws

TEST(Report, DoesNotThrow) {
  story s{{"backlog"}};
  lose_an_add(s);
  s.facts.name_of = [](location_id) -> std::string { throw 1; };
  EXPECT_EQ(to_text(s.graph, s.facts), "(report failed)");
  const execution_graph nothing;
  EXPECT_EQ(to_text(nothing, {}), ": \n\n(no steps)\n=> \n");
  for (const std::size_t width : {0U, 1U, 20U, 40U}) {
    story t{{"backlog"}};
    lose_an_add(t);
    EXPECT_NE(to_text(t.graph, t.facts, {width, 0, 0}), "(report failed)");
  }
}

}  // namespace
}  // namespace heddle::report
