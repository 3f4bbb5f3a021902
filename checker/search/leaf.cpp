#include "checker/search/leaf.hpp"

#include <algorithm>
#include <utility>

#include "checker/report/counterexample.hpp"
#include "checker/report/last_waker.hpp"
#include "checker/report/lock_holders.hpp"
#include "checker/report/object_step.hpp"
#include "checker/runtime/source_place.hpp"
#include "checker/search/wait_notify.hpp"

namespace heddle::search {

using graph::event;
using graph::event_kind;
using graph::execution_graph;
using graph::operation;
using graph::operation_kind;
using graph::thread_id;
using runtime::execution;
using runtime::thread_state;

namespace {

// Would the event see the same if it came now? A read-modify-write that leaves the value as it was
// counts as a read.
bool is_latest(const execution_graph& graph, const event& e) {
  const bool reads = e.kind == event_kind::read || (e.kind == event_kind::write && e.is_rmw);
  return !reads || e.val == graph.value_of(e.location, graph.latest(e.location));
}

// Are all reads of the thread from this event on the newest there are?
bool all_latest(const execution_graph& graph, thread_id thread, std::uint32_t from) {
  const auto events = graph.events(thread);
  for (std::uint32_t i = from; i < events.size(); ++i)
    if (!is_latest(graph, events[i])) return false;
  return true;
}

// Where the last round of the loop begins that the thread is in: after the previous event that
// stands at the same place in the code as its last one.
std::uint32_t last_round(const execution& run, thread_id thread) {
  const auto& places = run.places(thread);
  const std::size_t last = places.size() - 1;
  for (std::size_t i = last; i-- > 0;)
    if (places[i].file == places[last].file && places[i].line == places[last].line)
      return static_cast<std::uint32_t>(i + 1);
  return 0;
}

// Has the thread done the same twice, and is nothing newer there to read? A loop that counts, or
// that has just read what ends it, gets on; it is only longer than the bound.
bool loops_for_ever(const execution& run, const execution_graph& graph, thread_id thread) {
  const auto events = graph.events(thread);
  const std::uint32_t from = last_round(run, thread);
  const auto length = static_cast<std::uint32_t>(events.size()) - from;
  if (from < length) return false;
  for (std::uint32_t i = 0; i < length; ++i) {
    const event& now = events[from + i];
    const event& before = events[from - length + i];
    if (now.kind != before.kind || now.location != before.location || now.val != before.val)
      return false;
  }
  return all_latest(graph, thread, from);
}

std::string thread_text(thread_id thread) { return "thread " + std::to_string(thread); }

report::sleep sleep_of(const execution& run, thread_id thread) {
  return {thread, run.pending(thread), run.condition_of(run.pending(thread).location)};
}

// Waits for another thread to end: a consequence of what that one waits for.
bool joins(const execution& run, thread_id thread) {
  return run.state(thread) == thread_state::waiting &&
         run.pending(thread).kind == operation_kind::join;
}

// "thread 1 holds", "thread 1 shares", "threads 1, 2 share"
std::string held_text(const report::lock_holders& by) {
  const bool one = by.threads.size() == 1;
  std::string text = one ? "thread " : "threads ";
  for (std::size_t i = 0; i < by.threads.size(); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(by.threads[i]);
  return text + (!by.share ? " holds" : one ? " shares" : " share");
}

std::string waits_for(const execution& run, const execution_graph& graph, thread_id thread) {
  if (run.state(thread) == thread_state::awaiting) return "waits for what it has read to change";
  const operation& op = run.pending(thread);
  if (joins(run, thread)) return "waits for " + thread_text(op.other) + " to end";
  const graph::value now = graph.value_of(op.location, graph.latest(op.location));
  const std::string name = run.location_name(op.location);
  if (report::is_sleep(op)) {
    const report::waker waker = report::last_waker(graph, sleep_of(run, thread));
    std::string by;
    if (waker.came_of_it != report::waker::what::nobody) {
      by = "by " + thread_text(waker.event.thread());
      const auto& places = run.places(waker.event.thread());
      if (waker.event.index() < places.size())
        by += " at " + runtime::describe(places[waker.event.index()]);
    }
    return "sleeps on " + name + ": " + report::text_of(waker, op, by);
  }
  if (const auto by = report::holders_of(run.kind(op.location), now); by && !by->threads.empty())
    return "waits for the lock " + name + ", which " + held_text(*by);
  if (auto text = report::object_wait(graph, op, run.condition_of(op.location), name))
    return std::move(*text);
  return "waits for " + name + " to change from " +
         report::object_value(run.kind(op.location), now).value_or(report::value_text(now));
}

// All who sleep wait to be woken, and somebody was to do it: the wake-up is lost. If one of them
// waits for a lock, say, it may be the one that would have woken the others.
bool is_lost_wakeup(const execution& run, const execution_graph& graph,
                    const std::vector<thread_id>& sleepers) {
  bool expected = false;
  for (const thread_id t : sleepers) {
    if (joins(run, t)) continue;
    if (run.state(t) == thread_state::awaiting || !report::is_sleep(run.pending(t))) return false;
    expected = expected || report::was_to_be_woken(graph, sleep_of(run, t));
  }
  return expected;
}

runtime::failure deadlock(const execution& run, const execution_graph& graph,
                          std::vector<thread_id> sleepers) {
  std::stable_partition(sleepers.begin(), sleepers.end(),
                        [&](thread_id t) { return !joins(run, t); });
  runtime::failure f;
  f.kind =
      is_lost_wakeup(run, graph, sleepers) ? verdict_kind::lost_wakeup : verdict_kind::deadlock;
  f.thread = sleepers.front();
  f.where = run.pending_place(f.thread);
  for (thread_id t : sleepers)
    f.message += (f.message.empty() ? "" : "; ") + thread_text(t) + ' ' + waits_for(run, graph, t);
  return f;
}

// The lines of the loop that the thread is in.
std::string loop_lines(const execution& run, const execution_graph& graph, thread_id thread) {
  const std::uint32_t from = run.state(thread) == thread_state::spinning ? run.await_start(thread)
                                                                         : last_round(run, thread);
  std::vector<std::string> lines;
  for (std::uint32_t i = from; i < graph.size(thread); ++i) {
    const runtime::location& place = run.places(thread)[i];
    if (place.file == nullptr) continue;
    std::string line = runtime::describe(place);
    if (std::find(lines.begin(), lines.end(), line) == lines.end())
      lines.push_back(std::move(line));
  }
  std::string text;
  for (const std::string& line : lines) text += (text.empty() ? " at " : ", ") + line;
  return text;
}

runtime::failure livelock(const execution& run, const execution_graph& graph, thread_id thread) {
  runtime::failure f;
  f.kind = verdict_kind::livelock;
  f.thread = thread;
  f.where = run.pending_place(thread);
  f.message = thread_text(thread) + " loops for ever" + loop_lines(run, graph, thread) +
              ": all values it reads are the newest, and no other thread can change them";
  return f;
}

}  // namespace

leaf judge_leaf(strategy& strategy, const execution& run, const execution_graph& graph) {
  leaf result;
  std::vector<thread_id> sleepers;
  std::vector<thread_id> spinning;  // at max_steps
  std::vector<thread_id> endless;   // in loops that are known to spin
  std::vector<thread_id> waits;     // atomic waits asleep, those of daemons too
  bool assumed = false;
  for (thread_id t = 0; t < run.thread_count(); ++t)
    if (run.state(t) == thread_state::bounded) spinning.push_back(t);
  // The search is cut whatever has become of the other threads; only an endless loop takes it back.
  if (!spinning.empty()) {
    result.cut = true;
    result.cut_where = run.pending_place(spinning.front());
  }
  for (thread_id t = 0; t < run.thread_count(); ++t) {
    switch (run.state(t)) {
      case thread_state::waiting:
        if (run.pending(t).kind != operation_kind::join &&
            !strategy.waits_for_ever(t, run.pending(t))) {
          result.how = ending::dropped;
          return result;
        }
        if (!run.is_daemon(t)) sleepers.push_back(t);
        break;
      case thread_state::awaiting:
        if (!all_latest(graph, t, run.await_start(t))) {
          assumed = true;  // another execution reads the newer values
        } else if (!run.is_daemon(t)) {
          sleepers.push_back(t);
        }
        break;
      case thread_state::spinning:
        if (!all_latest(graph, t, run.await_start(t))) {
          assumed = true;
        } else if (!run.is_daemon(t)) {
          endless.push_back(t);
        }
        break;
      case thread_state::sleeping:
        waits.push_back(t);
        if (!run.is_daemon(t)) sleepers.push_back(t);
        break;
      case thread_state::assumed:
        assumed = true;
        break;
      case thread_state::covered:
        result.how = ending::dropped;
        return result;
      default:
        break;
    }
  }
  if (!waits.empty() && !sleep_on(strategy.model(), graph, waits)) {
    result.how = ending::dropped;
    return result;
  }
  if (assumed) {
    result.how = ending::blocked;
  } else if (!spinning.empty() || !endless.empty()) {
    result.how = ending::blocked;
    const bool all_endless = std::all_of(spinning.begin(), spinning.end(), [&](thread_id t) {
      return loops_for_ever(run, graph, t);
    });
    if (all_endless) {
      endless.insert(endless.end(), spinning.begin(), spinning.end());
      result.failure = livelock(run, graph, endless.front());
    }
  } else if (!sleepers.empty()) {
    result.how = ending::blocked;
    result.failure = deadlock(run, graph, std::move(sleepers));
  }
  return result;
}

}  // namespace heddle::search
