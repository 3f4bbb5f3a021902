#include "tests/oracle/blocking_random.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "tests/oracle/split_mix.hpp"

namespace heddle::oracle::blocking {
namespace {

class generator {
 public:
  generator(std::uint64_t seed, const random_options& how) : random_(seed), how_(how) {}

  program run() {
    theme_ = {any_feature(), any_feature()};
    if (random_.percent(40)) theme_[1] = theme_[0];
    any_location_ = random_.percent(30);
    if (random_.percent(20)) program_.memory[0] = 1;
    const int threads = std::min(how_.max_threads, random_.percent(45)   ? 2
                                                   : random_.percent(75) ? 3
                                                                         : 4);
    budget_ = how_.max_instructions;
    program_.threads.resize(static_cast<std::size_t>(threads));
    for (int t = 0; t < threads; ++t) {
      thread_ = &program_.threads[static_cast<std::size_t>(t)];
      held_.fill(false);
      next_register_ = 0;
      const int share = std::max(1, budget_ / (threads - t));
      const int end = budget_ - random_.between(std::max(1, share - 1), share + 1);
      while (budget_ > end) item();
    }
    if (counted_down_ != 0 || random_.percent(20))
      program_.latch = counted_down_ + (random_.percent(20) ? 1 : 0);
    for (int& count : program_.semaphores) count = random_.below(3);
    drop_unused();
    return std::move(program_);
  }

 private:
  feature any_feature() {
    return how_
        .features[static_cast<std::size_t>(random_.below(static_cast<int>(how_.features.size())))];
  }

  void add(operation kind, int object, int left = 0, int right = 0) {
    thread_->push_back({.kind = kind, .object = object, .left = left, .right = right});
    --budget_;
  }
  void add_with_result(operation kind, int object, int left = 0, int right = 0) {
    add(kind, object, left, right);
    thread_->back().result = next_register_++ % register_count;
  }
  // The instructions of `body` are skipped unless the last result is 1.
  template <class Body>
  void if_done(Body body) {
    const int result = thread_->back().result;
    const std::size_t at = thread_->size();
    add(operation::skip_unless, result, 1, 0);
    body();
    (*thread_)[at].right = static_cast<int>(thread_->size() - at) - 1;
  }

  int location() { return any_location_ ? random_.below(2) : random_.percent(85) ? 0 : 1; }
  int value() { return random_.percent(70) ? 1 : random_.below(3); }
  bool features(feature what) const {
    return std::find(theme_.begin(), theme_.end(), what) != theme_.end();
  }

  void item() {
    if (random_.percent(35)) return random_.percent(20) ? skip() : access();
    switch (theme_[static_cast<std::size_t>(random_.below(2))]) {
      case feature::mutex:
        return mutex_item();
      case feature::await:
        return add(operation::await, location(), value());
      case feature::condition:
        return condition_item(false);
      case feature::timed_wait:
        return condition_item(true);
      case feature::atomic_wait:
        return atomic_wait_item();
      case feature::semaphore:
        return semaphore_item();
      case feature::shared_mutex:
        return shared_item();
      case feature::latch:
        return latch_item();
    }
  }

  void access() {
    switch (random_.below(8)) {
      case 0:
      case 1:
        return add_with_result(operation::load, location());
      case 2:
      case 3:
      case 4:
        return add(operation::store, location(), value());
      case 5:
        return add_with_result(operation::add, location(), 1);
      case 6:
        return add_with_result(operation::exchange, location(), value());
      default:
        return add_with_result(operation::compare_exchange, location(), random_.below(2), value());
    }
  }

  void skip() {
    add(random_.percent(50) ? operation::skip_if : operation::skip_unless,
        std::max(next_register_ - 1, 0) % register_count, random_.below(2), 1);
    small_item();
  }

  // One instruction that leaves locks alone.
  void small_item() {
    if (features(feature::atomic_wait) && random_.percent(40)) return atomic_wait_item();
    if ((features(feature::condition) || features(feature::timed_wait)) && random_.percent(40))
      return notify(random_.percent(80) ? 0 : 1);
    if (features(feature::semaphore) && random_.percent(30))
      return add(random_.percent(50) ? operation::acquire : operation::release, 0);
    if (features(feature::await) && random_.percent(20))
      return add(operation::await, location(), value());
    access();
  }

  void some_small_items() {
    for (int count = random_.below(3); count > 0; --count) small_item();
  }

  // --- mutexes and condition variables

  template <class Body>
  void section(int mutex, Body body) {
    bool& held = held_[static_cast<std::size_t>(mutex)];
    if (held) return access();
    held = true;
    if (random_.percent(20)) {
      add_with_result(operation::try_lock, mutex);
      if_done([&] {
        body();
        add(operation::unlock, mutex);
      });
    } else {
      add(operation::lock, mutex);
      body();
      if (random_.percent(3)) return;  // held for ever
      add(operation::unlock, mutex);
    }
    held = false;
  }

  void mutex_item() {
    const int mutex = random_.percent(65) ? 0 : 1;
    section(mutex, [&] {
      some_small_items();
      if (random_.percent(30)) section(1 - mutex, [&] { some_small_items(); });
    });
  }

  void notify(int condition) {
    add(random_.percent(60) ? operation::notify_one : operation::notify_all, condition);
  }

  // Each condition variable has its mutex.
  void condition_item(bool timed) {
    const int condition = random_.percent(80) ? 0 : 1;
    switch (random_.below(6)) {
      case 0:
      case 1:
      case 2:
        return section(condition, [&] {
          if (random_.percent(30)) small_item();
          wait(condition, timed);
          if (random_.percent(40)) small_item();
        });
      case 3:
        return section(condition, [&] {
          some_small_items();
          notify(condition);
        });
      case 4:
        section(condition, [&] { small_item(); });
        return notify(condition);
      default:
        return notify(condition);
    }
  }

  void wait(int condition, bool timed) {
    if (timed) {
      add_with_result(operation::wait_for, condition);
    } else if (random_.percent(50)) {
      add(operation::wait, condition);
    } else {
      add(operation::wait_until, condition, value());
      thread_->back().location = location();
    }
    thread_->back().mutex = condition;
    budget_ -= 2;
  }

  // --- the others

  void atomic_wait_item() {
    const int object = location();
    if (random_.percent(45)) return add(operation::sleep_while, object, random_.below(2));
    add(random_.percent(60) ? operation::wake_one : operation::wake_all, object);
  }

  void semaphore_item() {
    const int object = random_.percent(80) ? 0 : 1;
    switch (random_.below(6)) {
      case 0:
      case 1:
        return add(operation::acquire, object);
      case 2:
        return add_with_result(operation::try_acquire, object);
      case 3:
      case 4:
        return add(operation::release, object);
      default:
        add(operation::acquire, object);
        some_small_items();
        add(operation::release, object);
    }
  }

  void shared_item() {
    const bool exclusive = random_.percent(45);
    const operation unlock = exclusive ? operation::unlock_exclusive : operation::unlock_shared;
    if (random_.percent(70)) {
      add(exclusive ? operation::lock_exclusive : operation::lock_shared, 0);
      some_small_items();
      add(unlock, 0);
    } else {
      add_with_result(exclusive ? operation::try_lock_exclusive : operation::try_lock_shared, 0);
      if_done([&] {
        some_small_items();
        add(unlock, 0);
      });
    }
  }

  void latch_item() {
    const int what = random_.below(3);
    if (what != 0) {
      add(operation::count_down, 0);
      ++counted_down_;
    }
    if (what != 1) add(operation::wait_zero, 0);
  }

  void drop_unused() {
    if (!uses(program_, object_kind::semaphore)) program_.semaphores = {};
    if (!uses(program_, object_kind::latch)) program_.latch = 0;
  }

  split_mix random_;
  const random_options& how_;
  std::array<feature, 2> theme_{};
  program program_;
  std::vector<instruction>* thread_ = nullptr;  // the one at work
  std::array<bool, mutex_count> held_{};        // by it
  int next_register_ = 0;
  int budget_ = 0;
  bool any_location_ = false;
  int counted_down_ = 0;
};

}  // namespace

program random_program(std::uint64_t seed, const random_options& how) {
  return generator(seed, how).run();
}

}  // namespace heddle::oracle::blocking
