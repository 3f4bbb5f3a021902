// The benchmark programs of shared/data/performance.md, one to one: same orders, same loops. Each
// is a body for heddle::check; the sizes are the table's.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <heddle/heddle.hpp>
#include <string_view>
#include <vector>

namespace heddle::benchmarks {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr auto acquire = std::memory_order_acquire;
constexpr auto release = std::memory_order_release;

inline constexpr int most = 20;
inline atomic<int> x[most];
inline atomic<int> y;

// Starts n threads that run f(i), and joins them or lets them go, as the originals do.
template <class F>
void run_joined(int n, F f) {
  std::vector<thread> threads;
  threads.reserve(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) threads.emplace_back(f, i);
  for (thread& t : threads) t.join();
}
template <class F>
void run_detached(int n, F f) {
  for (int i = 0; i < n; ++i) thread(f, i).detach();
}

inline void store_buffering(int n) {
  run_detached(n, [n](int i) {
    x[i].store(1, relaxed);
    (void)x[(i + 1) % n].load(relaxed);
  });
}

inline void load_buffering(int n) {
  run_detached(n, [n](int i) {
    (void)x[i].load(relaxed);
    x[(i + 1) % n].store(1, relaxed);
  });
}

inline void message_passing(int readers) {
  run_detached(1, [](int) {
    x[0].store(1, relaxed);
    y.store(1, release);
  });
  run_detached(readers, [](int) {
    (void)y.load(acquire);
    (void)x[0].load(relaxed);
  });
}

inline void independent_reads(int readers) {
  run_detached(1, [](int) { x[0].store(1, release); });
  run_detached(1, [](int) { y.store(1, release); });
  run_detached(readers, [](int i) {
    (void)(i % 2 != 0 ? y : x[0]).load(acquire);
    (void)(i % 2 != 0 ? x[0] : y).load(acquire);
  });
}

inline void coherent_reads(int n) {
  run_detached(3, [](int i) { x[0].store(i + 1, relaxed); });
  run_detached(n, [](int) {
    (void)x[0].load(relaxed);
    (void)x[0].load(relaxed);
  });
}

inline void fetch_add(int n, int k) {
  run_joined(n, [k](int) {
    for (int j = 0; j < k; ++j) x[0].fetch_add(1, relaxed);
  });
  require(x[0].load() == n * k, "an increment was lost");
}

inline void compare_exchange(int n) {
  run_joined(n, [](int) {
    int seen = x[0].load(relaxed);
    while (!x[0].compare_exchange_strong(seen, seen + 1, relaxed, relaxed)) {
    }
  });
  require(x[0].load() == n, "an increment was lost");
}

inline void treiber_stack(int n) {
  std::array<int, most> next{};
  std::array<int, most> got{};
  atomic<int>& head = x[0];
  run_joined(n, [&](int i) {
    const int me = i + 1;
    int h = head.load(relaxed);
    do {
      next[static_cast<std::size_t>(me)] = h;
    } while (!head.compare_exchange_strong(h, me, release, relaxed));
    h = head.load(acquire);
    while (h != 0 &&
           !head.compare_exchange_strong(h, next[static_cast<std::size_t>(h)], acquire, acquire)) {
    }
    got[static_cast<std::size_t>(me)] = h;
  });
  for (std::size_t i = 1; i <= static_cast<std::size_t>(n); ++i) {
    require(got[i] != 0, "nothing was popped");
    for (std::size_t j = 1; j < i; ++j) require(got[j] != got[i], "one node was popped twice");
  }
}

inline atomic<int> queue_head{1};
inline atomic<int> queue_tail{1};

inline void michael_scott_queue(int n) {
  std::array<int, most> val{};
  std::array<int, most> got{};
  run_joined(n, [&](int i) {
    const int me = i + 1;
    const int node = me + 1;
    val[static_cast<std::size_t>(node)] = me;
    for (;;) {
      int last = queue_tail.load(acquire);
      int following = x[last].load(acquire);
      if (following == 0) {
        if (x[last].compare_exchange_strong(following, node, release, relaxed)) {
          queue_tail.compare_exchange_strong(last, node, release, relaxed);
          break;
        }
      } else {
        queue_tail.compare_exchange_strong(last, following, release, relaxed);
      }
    }
    for (;;) {
      int first = queue_head.load(acquire);
      int last = queue_tail.load(acquire);
      const int following = x[first].load(acquire);
      if (first == last) {
        if (following == 0) break;
        queue_tail.compare_exchange_strong(last, following, release, relaxed);
      } else if (following != 0) {
        const int v = val[static_cast<std::size_t>(following)];
        if (queue_head.compare_exchange_strong(first, following, std::memory_order_acq_rel,
                                               relaxed)) {
          got[static_cast<std::size_t>(me)] = v;
          break;
        }
      }
    }
  });
  for (std::size_t i = 1; i <= static_cast<std::size_t>(n); ++i) {
    require(got[i] != 0, "nothing was dequeued");
    for (std::size_t j = 1; j < i; ++j) require(got[j] != got[i], "one element came out twice");
  }
}

inline void last_zero(int n) {
  run_detached(1, [n](int) {
    for (int i = n; x[i].load(acquire) != 0; --i) {
    }
  });
  run_detached(n, [](int i) {
    const int v = x[i].load(acquire);
    x[i + 1].store(v + 1, release);
  });
}

inline mutex lock;

inline void locked_counter(int n) {
  int count = 0;
  run_joined(n, [&](int) {
    lock.lock();
    ++count;
    lock.unlock();
  });
  require(count == n, "an increment was lost");
}

inline void ticket_lock(int n) {
  int count = 0;
  atomic<int>& next_ticket = x[0];
  atomic<int>& now_serving = x[1];
  run_joined(n, [&](int) {
    const int mine = next_ticket.fetch_add(1, relaxed);
    await(
        now_serving, [mine](int serving) { return serving == mine; }, acquire);
    ++count;
    now_serving.store(mine + 1, release);
  });
  require(count == n, "an increment was lost");
}

struct program {
  std::string_view name;
  std::function<void()> body;
  unsigned executions;  // what it must come to
  double target;        // instructions per execution to reach, performance.md
};

inline std::vector<program> programs() {
  return {
      {"sb-2", [] { store_buffering(2); }, 4, 0},
      {"sb-ring-10", [] { store_buffering(10); }, 1024, 7'500},
      {"lb-ring-10", [] { load_buffering(10); }, 1023, 11'000},
      {"mp-7", [] { message_passing(7); }, 2187, 7'000},
      {"iriw-acquire-5", [] { independent_reads(5); }, 1024, 6'000},
      {"corr-3x3", [] { coherent_reads(3); }, 6000, 4'500},
      {"fetch-add-6x1", [] { fetch_add(6, 1); }, 720, 27'000},
      {"fetch-add-4x2", [] { fetch_add(4, 2); }, 2520, 20'000},
      {"cas-loop-4", [] { compare_exchange(4); }, 1536, 20'000},
      {"treiber-2", [] { treiber_stack(2); }, 40, 31'000},
      {"treiber-3", [] { treiber_stack(3); }, 25'680, 34'000},
      {"ms-queue-2", [] { michael_scott_queue(2); }, 100, 45'000},
      {"lastzero-8", [] { last_zero(8); }, 704, 20'000},
      {"mutex-6", [] { locked_counter(6); }, 720, 40'000},
      {"ticket-lock-5", [] { ticket_lock(5); }, 120, 45'000},
  };
}

}  // namespace heddle::benchmarks
