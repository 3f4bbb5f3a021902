#include "tests/oracle/random_program.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "tests/oracle/split_mix.hpp"

namespace heddle::oracle {
namespace {

using litmus::comparison;
using litmus::instruction;
using litmus::memory_order;
using litmus::operand;
using litmus::operation;

enum class kind {
  load,
  store,
  update,
  compare_exchange,
  fence,
  lock,
  await,
  await_exchange,
  await_decrement,
  pick,
  choice,
  plain,
  skip,
  assume,
  assign,
  check,
  spawn
};

constexpr std::array common_kinds{kind::load,  kind::load,  kind::load,   kind::store,
                                  kind::store, kind::store, kind::update, kind::update,
                                  kind::fence, kind::assign};

constexpr std::array rare_kinds{kind::compare_exchange,
                                kind::lock,
                                kind::await,
                                kind::await_exchange,
                                kind::await_decrement,
                                kind::pick,
                                kind::choice,
                                kind::plain,
                                kind::skip,
                                kind::assume,
                                kind::spawn};

constexpr std::array updates{operation::fetch_add, operation::fetch_sub, operation::exchange,
                             operation::fetch_or, operation::fetch_and_not};
constexpr std::array set_updates{operation::fetch_or, operation::fetch_and_not,
                                 operation::exchange};

constexpr std::array load_orders{memory_order::relaxed, memory_order::acquire,
                                 memory_order::seq_cst};
constexpr std::array store_orders{memory_order::relaxed, memory_order::release,
                                  memory_order::seq_cst};
constexpr std::array update_orders{memory_order::relaxed, memory_order::acquire,
                                   memory_order::release, memory_order::acq_rel,
                                   memory_order::seq_cst};
constexpr std::array fence_orders{memory_order::acquire, memory_order::release,
                                  memory_order::acq_rel, memory_order::seq_cst};

// Everything a generated program can name; those it does not use are dropped at the end.
constexpr std::array location_names{"x", "y", "z", "q", "l", "d", "e"};
constexpr int shared_count = 3;  // x, y, z
constexpr int bit_set = 3;       // q: never negative, a pick would have 64 bits to choose from
constexpr int lock_word = 4;     // l
constexpr int plain_data = 5;    // d, e

class generator {
 public:
  generator(std::uint64_t seed, const random_options& how) : random_(seed), how_(how) {}

  litmus::program run() {
    choose_theme();
    program_.locations.assign(location_names.begin(), location_names.end());
    program_.initial.assign(location_names.size(), 0);
    if (random_.percent(25)) program_.initial[0] = random_.between(1, 2);
    program_.initial[bit_set] = random_.between(0, 3);

    const int threads = random_.percent(25) ? how_.max_threads : random_.between(2, 3);
    program_.threads.resize(static_cast<std::size_t>(std::min(threads, how_.max_threads)));
    for (std::size_t i = 0; i < program_.threads.size(); ++i) {
      add_thread(program_.threads[i], static_cast<int>(program_.threads.size() - i));
    }
    if (has_feature(kind::spawn)) add_spawns();
    drop_unused_locations();
    return std::move(program_);
  }

 private:
  void choose_theme() {
    is_sequential_ = random_.percent(25);
    locations_ = random_.percent(20) ? 1 : random_.percent(70) ? 2 : shared_count;
    // Programs of every size up to the limit.
    events_left_ = random_.between(std::min(6, how_.max_events), how_.max_events);
    while (features_.size() < 3) {
      const kind feature = random_.any_of(rare_kinds);
      if (!has_feature(feature)) features_.push_back(feature);
    }
  }

  [[nodiscard]] bool has_feature(kind what) const {
    return std::find(features_.begin(), features_.end(), what) != features_.end();
  }

  // The next one, and how many are still to come with it.
  void add_thread(std::vector<instruction>& thread, int threads_left) {
    thread_ = &thread;
    registers_ = 0;
    const int for_others = events_left_ * (threads_left - 1) / threads_left;
    const int least = random_.percent(70) ? std::min(2, how_.max_operations) : 1;
    const int operations = random_.between(least, how_.max_operations);
    // Plain accesses are dull unless several threads have them.
    const bool starts_plain = has_feature(kind::plain) && how_.plain_accesses;
    if (starts_plain && random_.percent(50)) add_operation(kind::plain);
    for (int i = 0; i < operations && events_left_ > for_others; ++i) add_operation(any_kind());
    if (how_.assertions && random_.percent(20)) add_operation(kind::check);
    // A skip or an assume may not have found anything to follow it.
    if (thread.empty()) add_operation(kind::load);
  }

  kind any_kind() {
    if (!random_.percent(45)) return random_.any_of(common_kinds);
    const kind feature = features_[static_cast<std::size_t>(random_.below(3))];
    const bool is_await = feature == kind::lock || feature == kind::await ||
                          feature == kind::await_exchange || feature == kind::await_decrement;
    if (feature == kind::spawn || (is_await && !how_.awaits) ||
        (feature == kind::plain && !how_.plain_accesses)) {
      return random_.any_of(common_kinds);
    }
    return feature;
  }

  void add_operation(kind what) {
    switch (what) {
      case kind::load:
        return add({.kind = operation::load,
                    .order = order(load_orders),
                    .location = shared_location(),
                    .result = new_register()},
                   1);
      case kind::store: {
        const int location = shared_location();
        return add({.kind = operation::store,
                    .order = order(store_orders),
                    .location = location,
                    .left = location == bit_set ? constant(0, 3) : stored_value()},
                   1);
      }
      case kind::update: {
        const int location = shared_location();
        return add(
            {.kind = location == bit_set ? random_.any_of(set_updates) : random_.any_of(updates),
             .order = order(update_orders),
             .location = location,
             .result = new_register(),
             .left = constant(1, 2)},
            2);
      }
      case kind::compare_exchange:
        return add({.kind = operation::compare_exchange,
                    .order = order(update_orders),
                    .failure_order = order(load_orders),
                    .location = counter(),
                    .result = new_register(),
                    .left = compared_value(),
                    .right = constant(0, 2)},
                   2);
      case kind::fence:
        return add({.kind = operation::fence, .order = order(fence_orders)}, 0);
      case kind::lock:
        return add_lock();
      case kind::await:
        return add({.kind = operation::await,
                    .order = order(load_orders),
                    .location = counter(),
                    .result = random_.percent(70) ? new_register() : litmus::none,
                    .left = constant(0, 2),
                    .relation = any_comparison()},
                   1);
      case kind::await_exchange:
        return add({.kind = operation::await_exchange,
                    .order = order(update_orders),
                    .location = counter(),
                    .left = constant(0, 1),
                    .right = constant(0, 2)},
                   2);
      case kind::await_decrement:
        return add({.kind = operation::await_decrement,
                    .order = order(update_orders),
                    .location = counter(),
                    .result = random_.percent(30) ? new_register() : litmus::none},
                   2);
      case kind::pick:
        return add({.kind = operation::pick,
                    .order = order(update_orders),
                    .location = bit_set,
                    .result = new_register()},
                   2);
      case kind::choice:
        return add(
            {.kind = operation::choice, .result = new_register(), .count = random_.between(2, 3)},
            0);
      case kind::plain:
        return add_plain();
      case kind::skip:
        return add_skip();
      case kind::assume:
        return add_condition(operation::assume);
      case kind::check:
        return add_condition(operation::check);
      case kind::assign:
        return add({.kind = operation::assign, .result = new_register(), .left = stored_value()},
                   0);
      case kind::spawn:
        return;
    }
  }

  void add(const instruction& what, int events) {
    thread_->push_back(what);
    events_left_ -= events;
  }

  void add_lock() {
    const bool is_weak = random_.percent(15);
    add({.kind = operation::await_exchange,
         .order = is_weak ? order(update_orders) : memory_order::acquire,
         .location = lock_word,
         .left = {.constant = 0},
         .right = {.constant = 1}},
        2);
    if (how_.plain_accesses && random_.percent(has_feature(kind::plain) ? 60 : 20)) {
      add_plain_access();
    } else if (random_.percent(70)) {
      constexpr std::array bodies{kind::load, kind::store, kind::store, kind::update};
      add_operation(random_.any_of(bodies));
    }
    add({.kind = operation::store,
         .order = is_weak ? order(store_orders) : memory_order::release,
         .location = lock_word,
         .left = {.constant = 0}},
        1);
  }

  // Bare, or in one of the two roles of message passing.
  void add_plain() {
    const int role = random_.below(3);
    const int flag = counter();
    if (role == 1) {
      add({.kind = operation::load,
           .order = random_.percent(80) ? memory_order::acquire : order(load_orders),
           .location = flag,
           .result = new_register()},
          1);
      add({.kind = operation::skip_if,
           .left = {.base = registers_ - 1},
           .right = {.constant = 1},
           .relation = comparison::not_equal,
           .count = 1},
          0);
    }
    add_plain_access();
    if (role == 2) {
      add({.kind = operation::store,
           .order = random_.percent(80) ? memory_order::release : order(store_orders),
           .location = flag,
           .left = {.constant = 1}},
          1);
    }
  }

  void add_plain_access() {
    const int location = plain_data + (random_.percent(15) ? 1 : 0);
    if (random_.percent(40)) {
      return add({.kind = operation::load,
                  .order = memory_order::plain,
                  .location = location,
                  .result = new_register()},
                 1);
    }
    add({.kind = operation::store,
         .order = memory_order::plain,
         .location = location,
         .left = stored_value()},
        1);
  }

  // A condition on the last value read, and one or two operations that it may skip.
  void add_skip() {
    if (registers_ == 0) add_operation(kind::load);
    add_condition(operation::skip_if);
    const std::size_t at = thread_->size() - 1;
    for (int i = random_.between(1, 2); i > 0 && events_left_ > 0; --i) {
      add_operation(random_.any_of(common_kinds));
    }
    (*thread_)[at].count = static_cast<int>(thread_->size() - 1 - at);
  }

  void add_condition(operation what) {
    if (registers_ == 0) add_operation(kind::load);
    add({.kind = what,
         .left = {.base = registers_ - 1},
         .right = constant(0, 1),
         .relation = any_comparison()},
        0);
  }

  // Lower threads spawn higher ones, and sometimes wait for them.
  void add_spawns() {
    const int threads = static_cast<int>(program_.threads.size());
    for (int target = 1; target < threads; ++target) {
      if (target != threads - 1 && random_.percent(50)) continue;
      auto& spawner = program_.threads[static_cast<std::size_t>(random_.below(target))];
      const std::size_t at = insert(spawner, 0, {.kind = operation::spawn, .count = target});
      if (random_.percent(75)) insert(spawner, at + 1, {.kind = operation::join, .count = target});
    }
  }

  // Somewhere from `first` on where no skip jumps over it.
  std::size_t insert(std::vector<instruction>& thread, std::size_t first, instruction what) {
    std::vector<std::size_t> places;
    std::size_t skipped_until = 0;
    for (std::size_t i = 0; i <= thread.size(); ++i) {
      if (i >= first && i >= skipped_until) places.push_back(i);
      if (i < thread.size() && thread[i].kind == operation::skip_if) {
        skipped_until = std::max(skipped_until, i + static_cast<std::size_t>(thread[i].count) + 1);
      }
    }
    const std::size_t at =
        places[static_cast<std::size_t>(random_.below(static_cast<int>(places.size())))];
    thread.insert(thread.begin() + static_cast<std::ptrdiff_t>(at), what);
    return at;
  }

  template <std::size_t Size>
  memory_order order(const std::array<memory_order, Size>& choices) {
    return is_sequential_ && random_.percent(80) ? memory_order::seq_cst : random_.any_of(choices);
  }

  comparison any_comparison() {
    constexpr std::array comparisons{
        comparison::equal,         comparison::equal,         comparison::equal,
        comparison::not_equal,     comparison::not_equal,     comparison::not_equal,
        comparison::greater_equal, comparison::greater_equal, comparison::less,
        comparison::less_equal,    comparison::greater};
    return random_.any_of(comparisons);
  }

  int counter() { return random_.below(locations_); }

  int shared_location() {
    if (has_feature(kind::pick) && random_.percent(25)) return bit_set;
    return counter();
  }

  operand constant(int least, int most) { return {.constant = random_.between(least, most)}; }

  // Most often a constant, as values from elsewhere make fewer different graphs.
  operand stored_value() {
    if (registers_ == 0 || random_.percent(70)) return constant(0, 2);
    return {.base = random_.below(registers_), .constant = random_.percent(50) ? 1 : 0};
  }

  operand compared_value() {
    if (registers_ == 0 || random_.percent(70)) return constant(0, 1);
    return {.base = registers_ - 1};
  }

  // The last register is used again when there are no more.
  int new_register() { return registers_ < litmus::register_count ? registers_++ : registers_ - 1; }

  void drop_unused_locations() {
    std::array<int, location_names.size()> renamed;
    renamed.fill(litmus::none);
    litmus::program used;
    for (auto& thread : program_.threads) {
      for (instruction& what : thread) {
        if (what.location == litmus::none) continue;
        const auto old = static_cast<std::size_t>(what.location);
        if (renamed[old] == litmus::none) {
          renamed[old] = static_cast<int>(used.locations.size());
          used.locations.push_back(program_.locations[old]);
          used.initial.push_back(program_.initial[old]);
        }
        what.location = renamed[old];
      }
    }
    program_.locations = std::move(used.locations);
    program_.initial = std::move(used.initial);
  }

  split_mix random_;
  const random_options& how_;
  litmus::program program_;

  bool is_sequential_ = false;
  int locations_ = 2;  // of the shared ones
  int events_left_ = 0;
  std::vector<kind> features_;

  std::vector<instruction>* thread_ = nullptr;  // the one in the making
  int registers_ = 0;                           // that it has used
};

}  // namespace

litmus::program random_program(std::uint64_t seed, const random_options& how) {
  return generator(seed, how).run();
}

}  // namespace heddle::oracle
