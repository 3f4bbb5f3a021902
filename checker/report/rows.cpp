#include "checker/report/rows.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "checker/report/object_step.hpp"

namespace heddle::report {

using graph::condition;
using graph::event;
using graph::event_id;
using graph::event_kind;
using graph::location_id;
using graph::memory_order;
using graph::operation;
using graph::operation_kind;
using graph::value;

namespace {

bool is_lock_acquisition(const operation& op) {
  return op.kind == operation_kind::rmw && op.blocks && op.when == condition::equal &&
         op.expected == value{};
}

std::string hexadecimal(std::uint64_t v, bool all_digits) {
  std::string digits;
  for (int shift = 60; shift >= 0; shift -= 4) {
    const auto digit = static_cast<std::size_t>(v >> shift & 15);
    if (digit != 0 || !digits.empty() || all_digits || shift == 0)
      digits += "0123456789abcdef"[digit];
  }
  return digits;
}

// Is the value of such an object one that the user gave it, and not the engine's own?
bool has_user_value(graph::object_kind kind) {
  return kind == graph::object_kind::atomic || kind == graph::object_kind::task ||
         kind == graph::object_kind::semaphore || kind == graph::object_kind::latch;
}

std::string adversary_text(graph::choice_reason reason) {
  switch (reason) {
    case graph::choice_reason::spurious_wakeup:
      return "spurious wake-up";
    case graph::choice_reason::weak_failure:
      return "weak compare_exchange fails spuriously";
    case graph::choice_reason::try_lock_failure:
      return "the try fails spuriously";
    case graph::choice_reason::body:
    case graph::choice_reason::picked:
      break;
  }
  return {};
}

}  // namespace

std::string value_text(value v) {
  constexpr std::uint64_t limit = std::uint64_t{1} << 32;
  if (v.high != 0) return "0x" + hexadecimal(v.high, false) + hexadecimal(v.low, true);
  if (v.low >= limit - 0x10000 && v.low < limit) return "-" + std::to_string(limit - v.low);
  if (v.low > std::uint64_t{0} - limit) return "-" + std::to_string(std::uint64_t{0} - v.low);
  if (v.low >= limit) return "0x" + hexadecimal(v.low, false);
  return std::to_string(v.low);
}

std::string order_text(memory_order order) {
  switch (order) {
    case memory_order::relaxed:
      return "relaxed";
    case memory_order::acquire:
      return "acquire";
    case memory_order::release:
      return "release";
    case memory_order::acq_rel:
      return "acq_rel";
    case memory_order::seq_cst:
      break;
  }
  return "seq_cst";
}

std::string rmw_verb(const operation& op, value old, value made) {
  if (op.modify == nullptr) return "exchange";
  struct candidate {
    const char* name;
    std::uint64_t (*apply)(std::uint64_t, std::uint64_t);
  };
  constexpr std::array<candidate, 5> candidates{{
      {"fetch_add", [](std::uint64_t a, std::uint64_t b) { return a + b; }},
      {"fetch_sub", [](std::uint64_t a, std::uint64_t b) { return a - b; }},
      {"fetch_and", [](std::uint64_t a, std::uint64_t b) { return a & b; }},
      {"fetch_or", [](std::uint64_t a, std::uint64_t b) { return a | b; }},
      {"fetch_xor", [](std::uint64_t a, std::uint64_t b) { return a ^ b; }},
  }};
  // Two small examples tell them apart; narrow types wrap, so only low bits of the real values
  // count.
  for (const candidate& c : candidates) {
    if (((c.apply(old.low, op.operand.low) ^ made.low) & 0xff) != 0) continue;
    if (op.modify({12, 0}, {10, 0}).low == c.apply(12, 10) &&
        op.modify({7, 0}, {5, 0}).low == c.apply(7, 5))
      return c.name;
  }
  return "rmw";
}

row_maker::row_maker(const graph::execution_graph& graph, const run_facts& facts,
                     const linearisation& order)
    : graph_{graph}, facts_{facts}, order_{order}, locks_(graph.location_count(), false) {
  for (location_id l = 0; l < graph.location_count(); ++l)
    locks_[l] = kind(l) == graph::object_kind::mutex;
  for (graph::thread_id t = 0; t < graph.thread_count(); ++t) {
    numbers_.emplace_back(graph.size(t), 0);
    for (const event& e : graph.events(t))
      if (e.kind == event_kind::read && e.operation != 0) {
        const event_id id{t, static_cast<std::uint32_t>(&e - graph.events(t).data())};
        if (is_lock_acquisition(graph.operation_of(id))) locks_[e.location] = true;
      }
  }
  for (const waiting_thread& w : facts.waiting)
    if (w.operation && is_lock_acquisition(*w.operation) && w.operation->location < locks_.size())
      locks_[w.operation->location] = true;
  std::uint32_t number = 0;
  for (const step& s : order.steps) {
    if (is_hidden(s)) continue;
    ++number;
    for (std::uint32_t k = 0; k < s.events; ++k)
      numbers_[s.first.thread()][s.first.index() + k] = number;
  }
}

bool row_maker::is_hidden(const step& s) const {
  const event& e = graph_[s.first];
  const bool accesses = e.kind == event_kind::read || e.kind == event_kind::write;
  if (accesses && kind(e.location) == graph::object_kind::inner) return true;
  switch (e.kind) {
    case event_kind::end:
      return true;
    case event_kind::choice:  // the adversary did not strike
      return e.val.low == 0 && e.location != static_cast<location_id>(graph::choice_reason::body);
    case event_kind::read:  // a thread makes ready to sleep
      return (kind(e.location) == graph::object_kind::condition_slot ||
              kind(e.location) == graph::object_kind::futex_slot) &&
             e.operation == 0;
    default:
      return false;
  }
}

std::string row_maker::name(location_id location) const {
  return facts_.name_of ? facts_.name_of(location) : "object " + std::to_string(location);
}

std::string row_maker::text(location_id location, value v) const {
  if (auto words = object_value(kind(location), v)) return std::move(*words);
  std::string given = facts_.text_of ? facts_.text_of(location, v) : std::string{};
  return given.empty() ? value_text(v) : given;
}

std::string row_maker::place(event_id e) const {
  return facts_.place_of && !e.is_initial() ? facts_.place_of(e) : std::string{};
}

std::uint32_t row_maker::number_of(event_id e) const {
  return e.is_initial() ? 0 : numbers_[e.thread()][e.index()];
}

std::string row_maker::mention(event_id e) const {
  if (e.is_initial()) return "the start";
  const std::uint32_t number = number_of(e);
  return number == 0 ? std::string{} : "#" + std::to_string(number);
}

std::vector<row> row_maker::rows() const {
  std::vector<row> made;
  made.reserve(order_.steps.size());
  for (const step& s : order_.steps) made.push_back(make_row(s));
  return made;
}

std::vector<initial_value> row_maker::initially() const {
  std::vector<bool> used(graph_.location_count(), false);
  for (const step& s : order_.steps) {
    const event& e = graph_[s.first];
    if (e.kind == event_kind::read || e.kind == event_kind::write) used[e.location] = true;
  }
  std::vector<initial_value> values;
  for (location_id l = 0; l < graph_.location_count(); ++l)
    if (used[l] && has_user_value(kind(l)) && !locks_[l])
      values.push_back({name(l), text(l, graph_.initial(l))});
  return values;
}

row row_maker::make_row(const step& s) const {
  const event& e = graph_[s.first];
  row r;
  r.number = number_of(s.first);
  r.event = s.first;
  r.thread = s.first.thread();
  r.is_stale = s.is_stale;
  r.is_out_of_order = s.is_out_of_order;
  if (s.is_marked()) r.newest = number_of(s.newest);
  if (e.kind != event_kind::end) r.place = place(s.first);
  const bool has_order = facts_.memory_model != "sc";
  switch (e.kind) {
    case event_kind::read:
      r.object = name(e.location);
      if (has_order) r.order = order_text(s.events > 1 ? graph_[s.last()].order : e.order);
      fill_read(r, s);
      break;
    case event_kind::write:
      r.object = name(e.location);
      if (has_order) r.order = order_text(e.order);
      fill_write(r, e);
      break;
    case event_kind::fence:
      r.what = action::fence;
      r.order = order_text(e.order);
      break;
    case event_kind::choice:
      r.what = action::choice;
      r.read = std::to_string(e.val.low);
      r.phrase = adversary_text(static_cast<graph::choice_reason>(e.location));
      break;
    case event_kind::spawn:
      r.what = action::spawn;
      r.other = e.location;
      break;
    case event_kind::join:
      r.what = action::join;
      r.other = e.location;
      break;
    case event_kind::notify:
      r.what = action::notify;
      r.object = name(e.location);
      r.verb = e.val.low == 0 ? "notify_all" : "notify_one";
      break;
    case event_kind::end:
      r.what = action::end;
      break;
  }
  if (e.kind == event_kind::read || e.kind == event_kind::write) {
    if (auto phrase = object_step(graph_, s, facts_, r.object)) {
      r.what = action::synchronise;
      r.phrase = std::move(*phrase);
    }
  }
  if (r.what == action::synchronise || r.what == action::lock || r.what == action::try_lock ||
      r.what == action::unlock)
    r.order.clear();
  return r;
}

void row_maker::fill_write(row& r, const event& e) const {
  r.what = locks_[e.location] && e.val == value{} ? action::unlock : action::store;
  r.written = text(e.location, e.val);
}

void row_maker::fill_read(row& r, const step& s) const {
  const event& e = graph_[s.first];
  r.what = action::load;
  r.read = text(e.location, e.val);
  if (s.events > 1) r.written = text(e.location, graph_[s.last()].val);
  if (e.operation != 0) fill_operation(r, graph_.operation_of(s.first), e, s);
}

void row_maker::fill_operation(row& r, const operation& op, const event& e, const step& s) const {
  const bool wrote = s.events > 1;
  if (op.kind == operation_kind::pick) {
    r.what = action::pick;
    r.succeeded = wrote;
    if (s.events == 3)
      r.operand = std::to_string(graph::picked_element(
          e.val.low, static_cast<std::uint32_t>(graph_[{r.thread, s.first.index() + 1}].val.low)));
    return;
  }
  if (op.sleeps) {
    r.what = action::wait;
    r.succeeded = op.holds_for(e.val);
    r.expected = text(e.location, op.expected);
    return;
  }
  if (op.blocks) {
    r.what = is_lock_acquisition(op) ? action::lock : action::await;
    r.succeeded = op.kind == operation_kind::load ? op.holds_for(e.val) : wrote;
    return;
  }
  if (op.kind != operation_kind::rmw) return;
  if (op.when == condition::always) {
    r.what = action::read_modify_write;
    r.verb = rmw_verb(op, e.val, wrote ? graph_[s.last()].val : e.val);
    if (r.verb != "exchange" && r.verb != "rmw") r.operand = text(e.location, op.operand);
    return;
  }
  r.what = locks_[e.location] && op.when == condition::equal ? action::try_lock
                                                             : action::compare_exchange;
  r.succeeded = wrote;
  if (op.when == condition::equal) {
    r.verb = "compare_exchange";
    r.expected = text(e.location, op.expected);
    r.operand = text(e.location, op.operand);
  } else {
    r.verb = "try_update";
  }
}

}  // namespace heddle::report
