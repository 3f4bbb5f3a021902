// Shared ownership whose count the checker sees. It does not see that of std::shared_ptr, which so
// orders nothing for it.
#pragma once

#include <atomic>
#include <heddle/heddle.hpp>
#include <optional>
#include <utility>

namespace peer {

// A handle of one of several owners of a T; the last of them deletes it.
template <class T>
class counted {
 public:
  // `drop`: the order of giving up a handle; release, for the destruction to see what all owners
  // did.
  template <class... Args>
  explicit counted(std::memory_order drop, Args&&... args)
      : drop_{drop}, held_{new block{1, T{std::forward<Args>(args)...}}} {}
  counted(const counted& other) : drop_{other.drop_}, held_{other.held_} {
    held_->count.fetch_add(1, std::memory_order_relaxed);
  }
  counted(counted&& other) noexcept
      : drop_{other.drop_}, held_{std::exchange(other.held_, nullptr)} {}
  counted& operator=(const counted&) = delete;
  ~counted() { reset(); }

  T& operator*() const { return held_->value; }
  T* operator->() const { return &held_->value; }

  void reset() {
    block* const mine = std::exchange(held_, nullptr);
    if (mine == nullptr || mine->count.fetch_sub(1, drop_) != 1) return;
    heddle::atomic_thread_fence(std::memory_order_acquire);
    delete mine;
  }

  // The value, if this is the only owner; the handle is then empty.
  std::optional<T> unwrap() {
    int only = 1;
    if (!held_->count.compare_exchange_strong(only, 0, std::memory_order_acquire,
                                              std::memory_order_relaxed))
      return std::nullopt;
    std::optional<T> value{std::move(held_->value)};
    delete std::exchange(held_, nullptr);
    return value;
  }

 private:
  struct block {
    heddle::atomic<int> count;
    T value;
  };

  std::memory_order drop_;
  block* held_;
};

}  // namespace peer
