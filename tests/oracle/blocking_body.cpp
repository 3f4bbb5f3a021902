#include "tests/oracle/blocking_body.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "checker/runtime/engine_section.hpp"
#include "heddle/heddle.hpp"

namespace heddle::oracle::blocking {
namespace {

std::size_t index(int number) { return static_cast<std::size_t>(number); }

bool is_wait(operation kind) {
  return kind == operation::wait || kind == operation::wait_until || kind == operation::wait_for;
}

}  // namespace

struct body::objects {
  explicit objects(const program& source)
      : memory{heddle::atomic<int>{source.memory[0]}, heddle::atomic<int>{source.memory[1]},
               heddle::atomic<int>{source.memory[2]}},
        semaphores{heddle::counting_semaphore<>{source.semaphores[0]},
                   heddle::counting_semaphore<>{source.semaphores[1]}},
        latch{source.latch} {}

  std::array<heddle::atomic<int>, atomic_count> memory;
  std::array<heddle::mutex, mutex_count> mutexes;
  std::array<heddle::condition_variable, condition_count> conditions;
  std::array<heddle::counting_semaphore<>, semaphore_count> semaphores;
  heddle::latch latch;
};

runtime::body body::call() const {
  return {[](const void* self) { const_cast<body*>(static_cast<const body*>(self))->start(); },
          this};
}

void body::start() {
  // Never destroyed: a thread may end with a lock held.
  objects& all = *new objects(source_);
  {
    const runtime::engine_section section;
    for (std::size_t i = 0; i < locations_.size(); ++i)
      locations_[i] = section->location_of(&all.memory[i]);
    for (std::size_t t = 0; t < source_.threads.size(); ++t) {
      ids_[t] = section->child(static_cast<std::uint32_t>(t), {});
      threads_[t] = {};
    }
  }
  std::array<heddle::thread, max_threads> threads;
  for (std::size_t t = 0; t < source_.threads.size(); ++t)
    threads[t] = heddle::thread([this, t, &all] { interpret(t, all); });
  for (std::size_t t = 0; t < source_.threads.size(); ++t) threads[t].join();
}

void body::interpret(std::size_t thread, objects& all) {
  const auto& code = source_.threads[thread];
  // The thread's own state stands on its stack, where the engine sees that it changes; what is read
  // at the end of the execution is a copy.
  thread_end me{.how = fate::waits};
  for (; index(me.at) < code.size(); ++me.at) {
    threads_[thread] = me;
    const instruction& what = code[index(me.at)];
    if (what.kind == operation::skip_if || what.kind == operation::skip_unless) {
      const bool equal = me.registers[index(what.object)] == what.left;
      if (equal == (what.kind == operation::skip_if)) me.at += what.right;
      continue;
    }
    const location where{"program", static_cast<std::uint32_t>(me.at) + 1};
    const int result = carry_out(what, all, where);
    if (what.result != none) me.registers[index(what.result)] = result;
  }
  me.at = static_cast<int>(code.size());
  me.how = fate::finished;
  threads_[thread] = me;
}

outcome body::ended(const runtime::execution& run, const graph::execution_graph& graph) const {
  outcome result;
  for (std::size_t t = 0; t < source_.threads.size(); ++t) {
    thread_end end = threads_[t];
    if (end.how == fate::waits && is_wait(source_.threads[t][index(end.at)].kind) &&
        run.pending(ids_[t]).object == graph::object_kind::mutex)
      end.how = fate::relocks;
    result.threads.push_back(end);
  }
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    const graph::value last = graph.value_of(locations_[i], graph.latest(locations_[i]));
    result.memory[i] = static_cast<int>(static_cast<std::uint32_t>(last.low));
  }
  return result;
}

int body::carry_out(const instruction& what, objects& all, location where) const {
  switch (kind_of_object(what.kind)) {
    case object_kind::atomic:
      return atomic_step(what, all, where);
    case object_kind::mutex:
      return mutex_step(what, all, where);
    case object_kind::condition:
      return condition_step(what, all, where);
    case object_kind::semaphore:
      return semaphore_step(what, all, where);
    case object_kind::shared_mutex:
      return shared_step(what, all, where);
    case object_kind::latch:
      return latch_step(what, all, where);
  }
  return 0;
}

int body::atomic_step(const instruction& what, objects& all, location where) {
  heddle::atomic<int>& object = all.memory[index(what.object)];
  switch (what.kind) {
    case operation::load:
      return object.load(std::memory_order_seq_cst, where);
    case operation::store:
      object.store(what.left, std::memory_order_seq_cst, where);
      return 0;
    case operation::add:
      return object.fetch_add(what.left, std::memory_order_seq_cst, where);
    case operation::exchange:
      return object.exchange(what.left, std::memory_order_seq_cst, where);
    case operation::compare_exchange: {
      int expected = what.left;
      object.compare_exchange_strong(expected, what.right, std::memory_order_seq_cst, where);
      return expected;
    }
    case operation::await:
      heddle::await(
          object, [wanted = what.left](int value) { return value == wanted; },
          std::memory_order_seq_cst, where);
      return 0;
    case operation::sleep_while:
      object.wait(what.left, std::memory_order_seq_cst, where);
      return 0;
    case operation::wake_one:
      object.notify_one(where);
      return 0;
    default:
      object.notify_all(where);
      return 0;
  }
}

int body::mutex_step(const instruction& what, objects& all, location where) {
  heddle::mutex& object = all.mutexes[index(what.object)];
  switch (what.kind) {
    case operation::lock:
      object.lock(where);
      return 0;
    case operation::try_lock:
      return object.try_lock(where) ? 1 : 0;
    default:
      object.unlock(where);
      return 0;
  }
}

int body::condition_step(const instruction& what, objects& all, location where) {
  heddle::condition_variable& object = all.conditions[index(what.object)];
  if (what.kind == operation::notify_one) {
    object.notify_one(where);
    return 0;
  }
  if (what.kind == operation::notify_all) {
    object.notify_all(where);
    return 0;
  }
  heddle::unique_lock<heddle::mutex> lock(all.mutexes[index(what.mutex)], std::adopt_lock);
  auto status = std::cv_status::no_timeout;
  switch (what.kind) {
    case operation::wait:
      object.wait(lock, where);
      break;
    case operation::wait_for:
      status = object.wait_for(lock, std::chrono::seconds(1), where);
      break;
    default: {
      const heddle::atomic<int>& flag = all.memory[index(what.location)];
      while (flag.load(std::memory_order_seq_cst, where) != what.left) object.wait(lock, where);
      break;
    }
  }
  lock.release();
  return status == std::cv_status::timeout ? 1 : 0;
}

int body::semaphore_step(const instruction& what, objects& all, location where) {
  heddle::counting_semaphore<>& object = all.semaphores[index(what.object)];
  switch (what.kind) {
    case operation::acquire:
      object.acquire(where);
      return 0;
    case operation::try_acquire:
      return object.try_acquire(where) ? 1 : 0;
    default:
      object.release(1, where);
      return 0;
  }
}

int body::shared_step(const instruction&, objects&, location where) {
  heddle::require(false, "not there yet", where);
  return 0;
}

int body::latch_step(const instruction& what, objects& all, location where) {
  if (what.kind == operation::count_down) {
    all.latch.count_down(1, where);
  } else {
    all.latch.wait(where);
  }
  return 0;
}

}  // namespace heddle::oracle::blocking
