// The same three techniques written with std::atomic and std::mutex alone.
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <optional>

namespace {

struct backlog {
  std::mutex walking;
  std::atomic<int> deferred;
};

struct percpu_counter {
  std::mutex lock;
  std::atomic<int> count;
  std::array<std::atomic<int>, 4> slots;
  const int cpus;
  const int batch;
};

// Returns the count that a fold added to.
std::optional<int> add(percpu_counter& c, int cpu, int amount, int batch) {
  std::atomic<int>& slot = c.slots[static_cast<std::size_t>(cpu)];
  const int local = slot.load(std::memory_order_relaxed);
  if (std::abs(local + amount) < batch) {
    slot.store(local + amount, std::memory_order_relaxed);
    return std::nullopt;
  }
  c.lock.lock();
  const int before = c.count.load(std::memory_order_relaxed);
  c.count.store(before + local + amount, std::memory_order_relaxed);
  if (local != 0) slot.store(0, std::memory_order_relaxed);
  c.lock.unlock();
  return before;
}

int sum_of_slots(percpu_counter& c) {
  int total = 0;
  for (int cpu = 0; cpu < c.cpus; ++cpu)
    total += c.slots[static_cast<std::size_t>(cpu)].load(std::memory_order_relaxed);
  return total;
}

struct reservation {
  std::atomic<int> free;
};

}  // namespace

extern "C" {

int same_backlog_shrink(backlog& b, int objects) {
  if (!b.walking.try_lock()) {
    b.deferred.fetch_add(objects, std::memory_order_relaxed);
    return 0;
  }
  const int scanned = objects + b.deferred.exchange(0, std::memory_order_relaxed);
  b.walking.unlock();
  return scanned;
}

void same_percpu_add(percpu_counter& c, int cpu, int amount) { add(c, cpu, amount, c.batch); }

int same_percpu_sum(percpu_counter& c) {
  c.lock.lock();
  const int count = c.count.load(std::memory_order_relaxed);
  const int total = count + sum_of_slots(c);
  c.lock.unlock();
  return total;
}

bool same_reserve(reservation& r, int blocks) {
  int free = r.free.load(std::memory_order_relaxed);
  while (free >= blocks) {
    if (r.free.compare_exchange_strong(free, free - blocks, std::memory_order_relaxed)) return true;
  }
  return false;
}

int different_backlog_take(backlog& b) {
  const int found = b.deferred.load(std::memory_order_relaxed);
  b.deferred.store(0, std::memory_order_relaxed);
  return found;
}
}
