#include "checker/sync/futex.hpp"

#include <bit>
#include <cstddef>
#include <cstring>
#include <functional>
#include <utility>

#include "checker/sync/inner_lock.hpp"

namespace heddle::sync {

namespace {

using graph::memory_order;
using graph::object_kind;
using graph::operation;
using graph::operation_kind;
using graph::value;

// Numbers of parts of a word; below them the places to sleep, by thread.
constexpr std::uint32_t lock_part = graph::max_thread_count;
constexpr std::uint32_t set_part = lock_part + 1;

value with(value old, value operand) { return {old.low | operand.low, 0}; }
value without(value old, value operand) { return {old.low & ~operand.low, 0}; }

// A place to sleep: in the lower half of `low` the number of wake-ups. If the last one was to move
// on, the object of the other word is in `high`, and what to sleep for there in the upper half.
constexpr std::uint64_t count_mask = 0xffffffff;
value one_more(value old, value operand) {
  return {((old.low + 1) & count_mask) | operand.low, operand.high};
}
bool has_count(value current, const std::byte* state) {
  std::uint64_t expected = 0;
  std::memcpy(&expected, state, sizeof(expected));
  return (current.low & count_mask) == expected;
}

void acquire(futex_word word, runtime::location where) {
  acquire_inner(word.object, word.initial, lock_part, where);
}
void release(futex_word word, runtime::location where) {
  release_inner(word.object, word.initial, lock_part, where);
}

value access_word(futex_word word, runtime::location where) {
  operation op;
  op.kind = operation_kind::load;
  return runtime::perform(word.object, word.initial, op, where);
}

std::uint64_t access_set(futex_word word, operation op, runtime::location where) {
  op.object = object_kind::futex;
  return runtime::perform_part(word.object, word.initial, set_part, op, where).low;
}
std::uint64_t change_set(futex_word word, graph::modify_function modify, std::uint64_t operand,
                         runtime::location where) {
  operation op;
  op.kind = operation_kind::rmw;
  op.modify = modify;
  op.skips_unchanged = true;
  op.operand = {operand, 0};
  return access_set(word, op, where);
}
std::uint64_t read_set(futex_word word, runtime::location where) {
  operation op;
  op.kind = operation_kind::load;
  return access_set(word, op, where);
}

value access_slot(futex_word word, graph::thread_id thread, operation op, runtime::location where) {
  op.object = object_kind::futex_slot;
  return runtime::perform_part(word.object, word.initial, thread, op, where);
}
// How often the thread was woken there.
std::uint64_t wakeups(futex_word word, graph::thread_id thread, runtime::location where) {
  operation op;
  op.kind = operation_kind::load;
  return access_slot(word, thread, op, where).low & count_mask;
}
void wake_thread(futex_word word, graph::thread_id thread, value how, runtime::location where) {
  operation op;
  op.kind = operation_kind::rmw;
  op.order = memory_order::release;
  op.modify = &one_more;
  op.operand = how;
  access_slot(word, thread, op, where);
}

template <class F>
void for_each(std::uint64_t set, const F& f) {
  for (; set != 0; set &= set - 1) f(static_cast<graph::thread_id>(std::countr_zero(set)));
}

// Any `count` of the set, or all of it.
std::uint64_t any_of(std::uint64_t set, std::uint32_t count, runtime::location where) {
  std::uint64_t chosen = 0;
  for (auto left = static_cast<std::uint32_t>(std::popcount(set)); left != 0 && count != 0;
       --left, set &= set - 1) {
    // take the first one, or not, if there are enough others
    if (left > count && runtime::choose(2, where) == 1) continue;
    chosen |= set & (~set + 1);
    --count;
  }
  return chosen;
}

}  // namespace

bool futex_wait::enter(value expected, bool is_over) {
  acquire(word_, where_);
  const bool is_equal = access_word(word_, where_) == expected;
  if (is_equal && !is_over) {
    const graph::thread_id me = runtime::this_thread();
    wakeups_ = (wakeups(word_, me, where_) + 1) & count_mask;
    change_set(word_, &with, std::uint64_t{1} << me, where_);
  }
  release(word_, where_);
  return is_equal;
}

// Until the wake-up here; true: it only was to move on.
bool futex_wait::follow() {
  operation op;
  op.kind = operation_kind::load;
  op.order = memory_order::acquire;
  op.when = graph::condition::predicate;
  op.blocks = true;
  op.predicate = &has_count;
  op.state = {};
  std::memcpy(op.state.data(), &wakeups_, sizeof(wakeups_));
  const value woken = access_slot(word_, runtime::this_thread(), op, where_);
  if (woken.high == 0) return false;
  word_ = {reinterpret_cast<const void*>(static_cast<std::uintptr_t>(woken.high)), {}};
  wakeups_ = woken.low >> 32;
  return true;
}

void futex_wait::sleep() {
  while (follow()) {
  }
}

bool futex_wait::leave() {
  const std::uint64_t me = std::uint64_t{1} << runtime::this_thread();
  do {
    acquire(word_, where_);
    const bool was_waiting = (change_set(word_, &without, me, where_) & me) != 0;
    release(word_, where_);
    if (was_waiting) return true;
  } while (follow());
  return false;
}

std::uint32_t futex_wake(futex_word word, std::uint32_t count, runtime::location where) {
  acquire(word, where);
  std::uint64_t woken = 0;
  if (count == 1) {
    operation op;
    op.kind = operation_kind::pick;
    const std::uint64_t picked = access_set(word, op, where);
    if (picked != graph::nothing_picked.low) woken = std::uint64_t{1} << picked;
  } else if (count >= graph::max_thread_count) {
    woken = change_set(word, nullptr, 0, where);
  } else {
    const std::uint64_t set = read_set(word, where);
    woken = any_of(set, count, where);
    if (woken != 0) change_set(word, nullptr, set & ~woken, where);
  }
  for_each(woken, [&](graph::thread_id thread) { wake_thread(word, thread, {}, where); });
  release(word, where);
  return static_cast<std::uint32_t>(std::popcount(woken));
}

std::int64_t futex_requeue(futex_word from, const value* expected, std::uint32_t wake,
                           std::uint32_t move, futex_word to, runtime::location where) {
  const bool in_order = std::less<const void*>{}(from.object, to.object);
  const std::pair order = in_order ? std::pair{from, to} : std::pair{to, from};
  acquire(order.first, where);
  acquire(order.second, where);
  std::int64_t result = -1;
  if (expected == nullptr || access_word(from, where) == *expected) {
    const std::uint64_t set = read_set(from, where);
    const std::uint64_t woken = any_of(set, wake, where);
    const std::uint64_t moved = any_of(set & ~woken, move, where);
    if (woken != 0) change_set(from, nullptr, set & ~woken, where);
    if (moved != 0) {
      change_set(from, &without, moved, where);
      change_set(to, &with, moved, where);
    }
    for_each(woken, [&](graph::thread_id thread) { wake_thread(from, thread, {}, where); });
    for_each(moved, [&](graph::thread_id thread) {
      const std::uint64_t there = (wakeups(to, thread, where) + 1) & count_mask;
      const auto object = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(to.object));
      wake_thread(from, thread, {there << 32, object}, where);
    });
    result = std::popcount(woken | moved);
  }
  release(order.second, where);
  release(order.first, where);
  return result;
}

}  // namespace heddle::sync
