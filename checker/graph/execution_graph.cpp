#include "checker/graph/execution_graph.hpp"

#include <algorithm>
#include <cassert>

namespace heddle::graph {

void execution_graph::thread_events::clear() {
  events.clear();
  last_access.clear();
  spawn = initial_write;
  start_happens_before = 0;
  start_porf = 0;
}

void execution_graph::location_state::clear() {
  initial = {};
  touched = 0;
  order.clear();
  reads.clear();
}

void execution_graph::clear() {
  for (thread_id t = 0; t < thread_count_; ++t) threads_[t].clear();
  for (location_id l = 0; l < location_count_; ++l) locations_[l].clear();
  thread_count_ = 0;
  location_count_ = 0;
  clock_ = 0;
  sequence_.clear();
  clock_marks_.clear();
  clocks_.clear();
  operations_.resize(1);
  records_.clear();
}

void execution_graph::ensure_thread(thread_id thread) {
  if (thread < thread_count_) return;
  thread_count_ = thread + 1;
  if (threads_.size() < thread_count_) threads_.resize(thread_count_);
  clocks_.widen(thread_count_);
}

void execution_graph::ensure_location(location_id location) {
  if (location < location_count_) return;
  location_count_ = location + 1;
  if (locations_.size() < location_count_) locations_.resize(location_count_);
}

void execution_graph::set_initial(location_id location, value initial) {
  ensure_location(location);
  locations_[location].initial = initial;
}

// --- views

event execution_graph::inherited(thread_id thread) const {
  event e;
  const thread_events& mine = threads_[thread];
  if (mine.events.empty()) {
    e.happens_before = mine.start_happens_before;
    e.porf = mine.start_porf;
  } else {
    const event& last = mine.events.back();
    e.happens_before = last.happens_before;
    e.porf = last.porf;
    e.acquire_pending = last.acquire_pending;
    e.release_fence = last.release_fence;
  }
  return e;
}

view execution_graph::happens_before_after(thread_id thread, std::uint32_t count) const {
  if (thread >= thread_count_) return {clocks_[0], thread, 0};
  const thread_events& mine = threads_[thread];
  const clock_handle clock =
      count == 0 ? mine.start_happens_before : mine.events[count - 1].happens_before;
  return {clocks_[clock], thread, count};
}

view execution_graph::causal_past_next(thread_id thread) const {
  if (thread >= thread_count_) return {clocks_[0], thread, 0};
  const thread_events& mine = threads_[thread];
  const clock_handle clock = mine.events.empty() ? mine.start_porf : mine.events.back().porf;
  return {clocks_[clock], thread, size(thread)};
}

clock_handle execution_graph::explicit_clock(clock_handle clock, thread_id own,
                                             std::uint32_t own_count) {
  const clock_handle made = clocks_.copy_of(clock);
  clocks_.writable(made)[own] = own_count;
  return made;
}

clock_handle execution_graph::joined(clock_handle clock, clock_handle other) {
  const clock_handle made = clocks_.copy_of(clock);
  clocks_.join(made, clocks_[other]);
  return made;
}

void execution_graph::read_views(thread_id thread, event& e) {
  if (e.reads_from.is_initial()) return;
  const event& source = (*this)[e.reads_from];
  if (!view{clocks_[e.porf], thread, size(thread)}.contains(e.reads_from)) {
    const clock_handle porf = joined(e.porf, source.porf);
    std::uint32_t& own = clocks_.writable(porf)[e.reads_from.thread()];
    own = std::max(own, e.reads_from.index() + 1);
    e.porf = porf;
  }
  if (rule_ == synchronisation::always) {
    e.happens_before = e.porf;
  } else if (source.release != 0) {
    if (is_acquire(e.order)) {
      if (!clocks_.includes({clocks_[e.happens_before], thread, size(thread)}, source.release))
        e.happens_before = joined(e.happens_before, source.release);
    } else if (e.acquire_pending == 0) {
      e.acquire_pending = source.release;
    } else if (e.acquire_pending != source.release) {
      e.acquire_pending = joined(e.acquire_pending, source.release);
    }
  }
}

// C++11 to C++17: a plain store goes on with the release sequence of its thread's own earlier
// release store to the location.
clock_handle execution_graph::released_by_earlier_write(thread_id thread, const event& e) {
  for (std::uint32_t i = last_access(thread, e.location); i != 0;) {
    const event& earlier = threads_[thread].events[i - 1];
    if (earlier.kind == event_kind::write && is_release(earlier.order))
      return explicit_clock(earlier.happens_before, thread, i);
    i = earlier.previous_access;
  }
  return 0;
}

// --- growing

void execution_graph::link_access(thread_id thread, event& e) {
  ensure_location(e.location);
  thread_events& mine = threads_[thread];
  if (mine.last_access.size() <= e.location) mine.last_access.resize(location_count_, 0);
  std::uint32_t& last = mine.last_access[e.location];
  e.previous_access = last;
  last = size(thread) + 1;
  locations_[e.location].touched |= std::uint64_t{1} << thread;
}

event_id execution_graph::append(thread_id thread, const event& e, stamp at) {
  thread_events& mine = threads_[thread];
  const event_id id{thread, static_cast<std::uint32_t>(mine.events.size())};
  mine.events.push_back(e);
  mine.events.back().stamp = at;
  if (at == clock_) {
    ++clock_;
    sequence_.push_back(sequence_entry::of(id));
  } else {
    const auto later = [this](const sequence_entry& entry, stamp s) {
      return (entry.is_record() ? records_[entry.record()].stamp : (*this)[entry.event()].stamp) <
             s;
    };
    sequence_.insert(std::lower_bound(sequence_.begin(), sequence_.end(), at, later),
                     sequence_entry::of(id));
  }
  return id;
}

event_id execution_graph::append_read(thread_id thread, const operation& op, event_id source) {
  return append_read(thread, op, source, clock_);
}

event_id execution_graph::append_read(thread_id thread, const operation& op, event_id source,
                                      stamp at) {
  ensure_thread(thread);
  ensure_location(op.location);
  clock_marks_.push_back(clocks_.count());
  event e = inherited(thread);
  e.kind = event_kind::read;
  e.location = op.location;
  e.reads_from = source;
  e.val = value_of(op.location, source);
  e.order = op.read_order(e.val);
  e.is_rmw = op.writes_after(e.val);
  if (op.kind != operation_kind::load || op.blocks || op.when != condition::always) {
    e.operation = static_cast<operation_handle>(operations_.size());
    operations_.push_back(op);
  }
  read_views(thread, e);
  link_access(thread, e);
  const event_id id = append(thread, e, at);
  locations_[op.location].reads.push_back(id);
  return id;
}

event_id execution_graph::append_write(thread_id thread, location_id location, memory_order order,
                                       value val, bool is_rmw) {
  ensure_thread(thread);
  clock_marks_.push_back(clocks_.count());
  event e = inherited(thread);
  e.kind = event_kind::write;
  e.location = location;
  e.order = order;
  e.val = val;
  e.is_rmw = is_rmw;
  if (rule_ != synchronisation::always) {
    e.release = is_release(order) ? explicit_clock(e.happens_before, thread, size(thread) + 1)
                                  : e.release_fence;
    if (rule_ == synchronisation::by_order_c11 && !is_release(order)) {
      if (const clock_handle earlier = released_by_earlier_write(thread, e))
        e.release = e.release == 0 ? earlier : joined(e.release, earlier);
    }
    if (is_rmw) {
      const auto& mine = threads_[thread].events;
      const event& last = mine.back();
      const event& read = last.kind == event_kind::read ? last : mine[mine.size() - 2];
      const clock_handle inherited_release =
          read.reads_from.is_initial() ? 0 : (*this)[read.reads_from].release;
      if (inherited_release != 0)
        e.release = e.release == 0 ? inherited_release : joined(e.release, inherited_release);
    }
  }
  link_access(thread, e);
  return append(thread, e, clock_);
}

event_id execution_graph::append_fence(thread_id thread, memory_order order) {
  ensure_thread(thread);
  clock_marks_.push_back(clocks_.count());
  event e = inherited(thread);
  e.kind = event_kind::fence;
  e.order = order;
  if (rule_ != synchronisation::always) {
    if (is_acquire(order) && e.acquire_pending != 0) {
      if (!clocks_.includes({clocks_[e.happens_before], thread, size(thread)}, e.acquire_pending))
        e.happens_before = joined(e.happens_before, e.acquire_pending);
      e.acquire_pending = 0;
    }
    if (is_release(order))
      e.release_fence = explicit_clock(e.happens_before, thread, size(thread) + 1);
  }
  return append(thread, e, clock_);
}

event_id execution_graph::append_choice(thread_id thread, std::uint32_t chosen,
                                        choice_reason reason) {
  ensure_thread(thread);
  clock_marks_.push_back(clocks_.count());
  event e = inherited(thread);
  e.kind = event_kind::choice;
  e.location = static_cast<location_id>(reason);
  e.val.low = chosen;
  return append(thread, e, clock_);
}

event_id execution_graph::append_notify(thread_id thread, location_id location,
                                        std::uint32_t count) {
  ensure_thread(thread);
  ensure_location(location);
  clock_marks_.push_back(clocks_.count());
  event e = inherited(thread);
  e.kind = event_kind::notify;
  e.location = location;
  e.val.low = count;
  return append(thread, e, clock_);
}

event_id execution_graph::append_spawn(thread_id thread, thread_id spawned) {
  ensure_thread(std::max(thread, spawned));
  clock_marks_.push_back(clocks_.count());
  event e = inherited(thread);
  e.kind = event_kind::spawn;
  e.location = spawned;
  const std::uint32_t own_count = size(thread) + 1;
  thread_events& child = threads_[spawned];
  child.start_happens_before = explicit_clock(e.happens_before, thread, own_count);
  child.start_porf = e.porf == e.happens_before ? child.start_happens_before
                                                : explicit_clock(e.porf, thread, own_count);
  child.spawn = append(thread, e, clock_);
  return child.spawn;
}

event_id execution_graph::append_join(thread_id thread, thread_id ended) {
  ensure_thread(thread);
  clock_marks_.push_back(clocks_.count());
  event e = inherited(thread);
  e.kind = event_kind::join;
  e.location = ended;
  const event& last = threads_[ended].events.back();
  const auto learn = [&](clock_handle mine, clock_handle theirs) {
    const clock_handle made = joined(mine, theirs);
    std::uint32_t& own = clocks_.writable(made)[ended];
    own = std::max(own, size(ended));
    return made;
  };
  const bool shared = e.porf == e.happens_before && last.porf == last.happens_before;
  e.happens_before = learn(e.happens_before, last.happens_before);
  e.porf = shared ? e.happens_before : learn(e.porf, last.porf);
  return append(thread, e, clock_);
}

event_id execution_graph::append_end(thread_id thread) {
  ensure_thread(thread);
  clock_marks_.push_back(clocks_.count());
  event e = inherited(thread);
  e.kind = event_kind::end;
  return append(thread, e, clock_);
}

void execution_graph::place(event_id write, std::uint32_t position) {
  auto& order = locations_[at(write).location].order;
  order.insert(order.begin() + (position - 1), write);
  for (std::size_t i = position - 1; i < order.size(); ++i)
    at(order[i]).position = static_cast<std::uint32_t>(i + 1);
}

void execution_graph::remove_from_order(event_id write) {
  event& e = at(write);
  auto& order = locations_[e.location].order;
  order.erase(order.begin() + (e.position - 1));
  for (std::size_t i = e.position - 1; i < order.size(); ++i)
    at(order[i]).position = static_cast<std::uint32_t>(i + 1);
  e.position = unplaced;
}

void execution_graph::choose_again(event_id choice, std::uint32_t chosen) {
  at(choice).val.low = chosen;
}

void execution_graph::park(thread_id thread, location_id location, event_id mark, stamp at,
                           stamp bar) {
  clock_marks_.push_back(clocks_.count());
  const auto index = static_cast<std::uint32_t>(records_.size());
  if (at == clock_) {
    ++clock_;
    records_.push_back({at, thread, size(thread), location, mark, bar});
    sequence_.push_back(sequence_entry::of_record(index));
    return;
  }
  // A record takes the stamp of the read it replaces; records stay in order of their stamps.
  std::uint32_t place = index;
  while (place > 0 && records_[place - 1].stamp > at) --place;
  records_.insert(records_.begin() + place, {at, thread, size(thread), location, mark, bar});
  std::vector<sequence_entry> renumbered;
  std::uint32_t next = 0;
  bool inserted = false;
  for (const sequence_entry& entry : sequence_) {
    const stamp s = entry.is_record()
                        ? records_[entry.record() + (entry.record() >= place ? 1 : 0)].stamp
                        : (*this)[entry.event()].stamp;
    if (!inserted && s > at) {
      renumbered.push_back(sequence_entry::of_record(next++));
      inserted = true;
    }
    renumbered.push_back(entry.is_record() ? sequence_entry::of_record(next++) : entry);
  }
  if (!inserted) renumbered.push_back(sequence_entry::of_record(next));
  sequence_ = std::move(renumbered);
}

// --- going back

void execution_graph::remove(event_id id) {
  thread_events& mine = threads_[id.thread()];
  const event& e = mine.events.back();
  assert(id.index() + 1 == mine.events.size());
  switch (e.kind) {
    case event_kind::read:
      mine.last_access[e.location] = e.previous_access;
      assert(locations_[e.location].reads.back() == id);
      locations_[e.location].reads.pop_back();
      if (e.operation != 0) operations_.resize(e.operation);
      break;
    case event_kind::write:
      mine.last_access[e.location] = e.previous_access;
      if (e.position != unplaced) remove_from_order(id);
      break;
    case event_kind::spawn:
      threads_[e.location].spawn = initial_write;
      break;
    default:
      break;
  }
  mine.events.pop_back();
}

void execution_graph::cut(stamp from) {
  clock_handle mark = clocks_.count();
  while (!sequence_.empty()) {
    const sequence_entry last = sequence_.back();
    if (last.is_record()) {
      if (records_[last.record()].stamp < from) break;
      records_.pop_back();
    } else {
      if ((*this)[last.event()].stamp < from) break;
      remove(last.event());
    }
    sequence_.pop_back();
    mark = clock_marks_.back();
    clock_marks_.pop_back();
  }
  clocks_.truncate(mark);
  clock_ = from;
}

void execution_graph::restrict_to_revisit(const execution_graph& whole, event_id read,
                                          event_id write) {
  clear();
  rule_ = whole.rule_;
  clock_ = whole.clock_;
  clocks_.clear(whole.clocks_.width());
  ensure_thread(whole.thread_count_ - 1);
  const stamp from = whole[read].stamp;
  const view kept = whole.causal_past(write);

  moved_.assign(whole.clocks_.count(), 0);
  const auto move_clock = [&](clock_handle& clock) {
    if (clock == 0) return;
    clock_handle& target = moved_[clock];
    if (target == 0) target = clocks_.copy_of(whole.clocks_[clock]);
    clock = target;
  };

  std::uint32_t counts[max_thread_count];
  for (thread_id t = 0; t < whole.thread_count_; ++t) {
    const thread_events& theirs = whole.threads_[t];
    auto count = static_cast<std::uint32_t>(theirs.events.size());
    const std::uint32_t least = kept[t];
    while (count > least && theirs.events[count - 1].stamp >= from) --count;
    counts[t] = count;
    if (count == 0) continue;
    thread_events& mine = threads_[t];
    mine.events.assign(theirs.events.begin(), theirs.events.begin() + count);
    mine.last_access.assign(theirs.last_access.begin(), theirs.last_access.end());
  }
  for (thread_id t = 0; t < whole.thread_count_; ++t) {
    // the last accesses within what is kept
    for (std::uint32_t& last : threads_[t].last_access)
      while (last > counts[t]) last = whole.threads_[t].events[last - 1].previous_access;
    for (event& e : threads_[t].events) {
      move_clock(e.happens_before);
      move_clock(e.porf);
      move_clock(e.release);
      move_clock(e.acquire_pending);
      move_clock(e.release_fence);
      if (e.operation != 0) {
        operations_.push_back(whole.operations_[e.operation]);
        e.operation = static_cast<operation_handle>(operations_.size() - 1);
      }
      if (e.kind == event_kind::spawn) {
        const thread_events& theirs = whole.threads_[e.location];
        thread_events& child = threads_[e.location];
        child.spawn = theirs.spawn;
        child.start_happens_before = theirs.start_happens_before;
        child.start_porf = theirs.start_porf;
        move_clock(child.start_happens_before);
        move_clock(child.start_porf);
      }
    }
  }
  for (const sequence_entry& entry : whole.sequence_) {
    if (entry.is_record()) {
      const park_record& record = whole.records_[entry.record()];
      const std::uint32_t count = counts[record.thread];
      if (record.index < count || (record.index == count && record.stamp < from)) {
        sequence_.push_back(sequence_entry::of_record(static_cast<std::uint32_t>(records_.size())));
        records_.push_back(record);
      }
    } else if (entry.event().index() < counts[entry.event().thread()]) {
      sequence_.push_back(entry);
    }
  }
  clock_marks_.assign(sequence_.size(), clocks_.count());
  if (whole.location_count_ != 0) ensure_location(whole.location_count_ - 1);
  for (location_id l = 0; l < whole.location_count_; ++l) {
    const location_state& theirs = whole.locations_[l];
    location_state& mine = locations_[l];
    mine.initial = theirs.initial;
    mine.touched = theirs.touched;
    for (event_id id : theirs.order) {
      if (id.index() >= counts[id.thread()] || id == write) continue;
      mine.order.push_back(id);
      at(id).position = static_cast<std::uint32_t>(mine.order.size());
    }
    for (event_id id : theirs.reads)
      if (id.index() < counts[id.thread()]) mine.reads.push_back(id);
  }
  at(write).position = unplaced;
  at(write).is_revisiter = true;
}

}  // namespace heddle::graph
