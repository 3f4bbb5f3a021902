#include "checker/runtime/spin_loop.hpp"

#include <unwind.h>

#include <algorithm>
#include <cstring>

namespace heddle::runtime {

namespace {

using graph::event;
using graph::event_kind;

// The numbers of the callee-saved registers in unwind tables.
#if defined(__x86_64__)
constexpr std::array saved_numbers{3, 6, 12, 13, 14, 15};
#elif defined(__aarch64__)
constexpr std::array saved_numbers{19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29};
#else
constexpr std::array<int, 0> saved_numbers{};
#endif

struct wanted_frame {
  std::uintptr_t frame;
  saved_registers found;
  int frames_left = 24;
};

_Unwind_Reason_Code look_at_frame(_Unwind_Context* context, void* wanted) {
  wanted_frame& w = *static_cast<wanted_frame*>(wanted);
  if (_Unwind_GetCFA(context) == w.frame) {
    for (std::size_t i = 0; i < saved_numbers.size(); ++i)
      w.found.values[i] = _Unwind_GetGR(context, saved_numbers[i]);
    w.found.known = !saved_numbers.empty();
    return _URC_END_OF_STACK;
  }
  return --w.frames_left == 0 ? _URC_END_OF_STACK : _URC_NO_REASON;
}

bool is_same_place(const location& a, const location& b) {
  return a.file == b.file && a.line == b.line;
}

// Does the event leave everything as it was?
bool changes_nothing(std::span<const event> events, std::size_t i) {
  switch (events[i].kind) {
    case event_kind::read:
    case event_kind::fence:
      return true;
    case event_kind::write:
      return events[i].is_rmw && i != 0 && events[i - 1].kind == event_kind::read &&
             events[i - 1].val == events[i].val;
    default:
      return false;
  }
}

bool is_same(const event& a, const event& b) {
  return a.kind == b.kind && a.location == b.location && a.val == b.val && a.order == b.order;
}

constexpr std::size_t longest_round = 12;  // events
constexpr std::size_t rounds_to_notice = 3;

}  // namespace

saved_registers registers_of(const void* frame) {
  wanted_frame wanted{reinterpret_cast<std::uintptr_t>(frame), {}};
  _Unwind_Backtrace(look_at_frame, &wanted);
  return wanted.found;
}

const void* spin_watch::lowest_frame() const {
  const void* lowest = rounds_.front().began.frame;
  for (const round& r : rounds_) lowest = std::min(lowest, r.began.frame);
  return lowest;
}

// Not memcpy: the sanitizers let nobody copy all of a stack.
[[gnu::no_sanitize_address]] static void copy_words(std::uint64_t* to, const std::uint64_t* from,
                                                    std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = from[i];
}

void spin_watch::stretch_begins(std::span<const memory_region> memory) {
  memory_.assign(memory.begin(), memory.end());
  std::size_t bytes = 0;
  for (const memory_region& r : memory_) bytes += static_cast<std::size_t>(r.end - r.begin);
  copy_.resize(bytes);
  std::byte* to = copy_.data();
  for (const memory_region& r : memory_) {
    const auto words = static_cast<std::size_t>(r.end - r.begin) / sizeof(std::uint64_t);
    copy_words(reinterpret_cast<std::uint64_t*>(to),
               reinterpret_cast<const std::uint64_t*>(r.begin), words);
    to += words * sizeof(std::uint64_t);
  }
}

[[gnu::no_sanitize_address]] void spin_watch::stretch_ends() {
  const auto* before = reinterpret_cast<const std::uint64_t*>(copy_.data());
  for (const memory_region& r : memory_) {
    const auto* now = reinterpret_cast<const std::uint64_t*>(r.begin);
    const auto words = static_cast<std::size_t>(r.end - r.begin) / sizeof(std::uint64_t);
    for (std::size_t i = 0; i < words; ++i)
      if (now[i] != before[i]) note_change(now + i, before[i]);
    before += words;
    if (!is_on()) return;
  }
}

void spin_watch::note_change(const std::uint64_t* at, std::uint64_t before) {
  for (round& r : rounds_) {
    const bool is_known = std::any_of(r.changes.begin(), r.changes.end(),
                                      [at](const change& c) { return c.at == at; });
    if (!is_known) r.changes.push_back({at, before});
  }
  if (rounds_.front().changes.size() > most_changes) stop();
}

[[gnu::no_sanitize_address]] bool spin_watch::is_undone(const round& r) const {
  for (const change& c : r.changes) {
    const auto* at = reinterpret_cast<const std::byte*>(c.at);
    const bool is_of_a_callee =
        at >= memory_.front().begin && at < static_cast<const std::byte*>(r.began.frame);
    if (!is_of_a_callee && *c.at != c.before) return false;
  }
  return true;
}

std::optional<std::uint32_t> spin_watch::arrive(const arrival& now) {
  const saved_registers registers = registers_of(now.frame);
  const auto same = std::find_if(rounds_.begin(), rounds_.end(), [&](const round& r) {
    return is_same_place(r.began.where, now.where) && r.began.frame == now.frame &&
           r.began.call == now.call && r.began.object == now.object;
  });
  if (same != rounds_.end()) {
    if (registers.known && registers.values == same->registers.values && is_undone(*same))
      return same->began.index;
    // the rounds of inner loops are over
    rounds_.erase(same, rounds_.end());
  }
  if (rounds_.size() == most_rounds) rounds_.erase(rounds_.begin());
  rounds_.push_back({now, registers, {}});
  return {};
}

std::optional<std::uint32_t> repeated_rounds(std::span<const event> events,
                                             std::span<const location> places) {
  const std::size_t n = events.size();
  // the lengths a round can have: the thread was at this location before, one round ago
  for (std::uint32_t before = events.back().previous_access; before != 0;
       before = events[before - 1].previous_access) {
    const std::size_t length = n - before;
    if (length > longest_round || rounds_to_notice * length > n) break;
    const auto repeats = [&](std::size_t i) {
      return is_same_place(places[i], places[i - length]) &&
             is_same(events[i], events[i - length]) && changes_nothing(events, i);
    };
    std::size_t i = n;
    while (i > length && repeats(i - 1)) --i;
    // events[first, n) have the period `length`; the first may be what ended an earlier round
    std::size_t first = i - length;
    if (!changes_nothing(events, first)) ++first;
    if (n - first >= rounds_to_notice * length && places[first].file != nullptr)
      return static_cast<std::uint32_t>(first);
  }
  return {};
}

}  // namespace heddle::runtime
