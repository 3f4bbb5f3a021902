// await of the production build: spins with pause, then yields.
#pragma once

#include <atomic>
#include <concepts>
#include <thread>

namespace heddle {

namespace production {

// Between two looks at a condition: pauses for the first rounds, then lets others run.
class spin_wait {
 public:
  void again() noexcept {
    if (rounds_ < 64) {
      ++rounds_;
#if defined(__x86_64__) || defined(__i386__)
      __builtin_ia32_pause();
#endif
    } else {
      std::this_thread::yield();
    }
  }

 private:
  int rounds_ = 0;
};

}  // namespace production

// Waits until pred(value of object) holds, and returns that value.
template <class T, std::predicate<T> Predicate>
T await(const std::atomic<T>& object, Predicate pred,
        std::memory_order order = std::memory_order_seq_cst) {
  production::spin_wait wait;
  T value = object.load(order);
  while (!static_cast<bool>(pred(value))) {
    wait.again();
    value = object.load(order);
  }
  return value;
}

// The same; the checked build tells the two apart in its verdicts.
template <class T, std::predicate<T> Predicate>
T await_wakeup(const std::atomic<T>& object, Predicate pred,
               std::memory_order order = std::memory_order_seq_cst) {
  return await(object, pred, order);
}

template <std::predicate<bool> Predicate>
bool await(const std::atomic_flag& flag, Predicate pred,
           std::memory_order order = std::memory_order_seq_cst) {
  production::spin_wait wait;
  bool value = flag.test(order);
  while (!static_cast<bool>(pred(value))) {
    wait.again();
    value = flag.test(order);
  }
  return value;
}

// Waits until pred() holds.
template <std::predicate Predicate>
void await(Predicate pred) {
  production::spin_wait wait;
  while (!static_cast<bool>(pred())) wait.again();
}

}  // namespace heddle
