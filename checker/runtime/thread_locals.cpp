#include "checker/runtime/thread_locals.hpp"

#include <algorithm>
#include <cstring>

#include "checker/runtime/call_stack.hpp"

namespace heddle::runtime {

namespace {

// A sanitizer that is linked into the program keeps its own state among the program's
// thread_locals: then they stay shared.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool can_exchange = false;
#else
constexpr bool can_exchange = true;
#endif
#else
constexpr bool can_exchange = true;
#endif

// What the engine itself has in the block beside the storage of call stacks: which execution, fiber
// and arena is on, all null when it exchanges.
constexpr std::size_t engine_bytes = 3 * sizeof(void*);

}  // namespace

thread_locals::thread_locals() : block_{find_thread_locals()}, saved_(outside + 1) {
  const std::span<const std::byte> kept = call_stack_storage();
  if (owns(kept.data())) {
    kept_from_ = static_cast<std::size_t>(kept.data() - block_.begin);
    kept_to_ = kept_from_ + kept.size();
  }
  any_ = can_exchange && block_.size > (kept_to_ - kept_from_) + engine_bytes;
}

void thread_locals::copy(std::byte* to, const std::byte* from) const {
  std::memcpy(to, from, kept_from_);
  std::memcpy(to + kept_to_, from + kept_to_, block_.size - kept_to_);
}

void thread_locals::start_execution() {
  if (!any_) return;
  saved_[outside].resize(block_.size);
  copy(saved_[outside].data(), block_.begin);
  current_ = outside;
}

void thread_locals::make_new(graph::thread_id thread) {
  if (!any_) return;
  auto& mine = saved_[thread];
  mine.assign(block_.size, std::byte{0});
  std::copy(block_.initial.begin(), block_.initial.end(), mine.begin());
}

void thread_locals::enter(graph::thread_id thread) {
  if (!any_ || thread == current_) return;
  if (current_ != outside) copy(saved_[current_].data(), block_.begin);
  copy(block_.begin, saved_[thread].data());
  current_ = thread;
}

void thread_locals::leave() {
  if (!any_) return;
  copy(block_.begin, saved_[outside].data());
  current_ = outside;
}

}  // namespace heddle::runtime
