// Plain C++ inside a body: the heap, exceptions, and data published by atomics; none of it is
// instrumented, and all of it is right after any number of revisits.
#include <gtest/gtest.h>

#include <exception>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "checker/runtime/fiber_switch.hpp"
#include "heddle/check.hpp"
#include "heddle/heddle.hpp"

namespace {

using heddle::check;
using heddle::model;
using heddle::require;
using heddle::result;
using std::memory_order_acq_rel;
using std::memory_order_acquire;
using std::memory_order_relaxed;
using std::memory_order_release;

constexpr model models[] = {model::rc11, model::tso, model::sc};

TEST(BodyHeap, ContainersOfEachThread) {
  const result r = check([] {
    heddle::atomic<int> x{0};
    const auto work = [&](int id) {
      std::map<int, std::vector<std::string>> table;
      for (int i = 0; i < 10; ++i) {
        table[i % 3].push_back(std::string(30, static_cast<char>('a' + i)));
        if (i == 5) x.fetch_add(id);
      }
      std::size_t all = 0;
      for (const auto& [key, texts] : table)
        for (const std::string& text : texts) {
          require(text.size() == 30, "its own");
          all += 1;
        }
      require(all == 10, "all of them");
    };
    heddle::thread t(work, 1);
    heddle::thread u(work, 2);
    work(4);
    t.join();
    u.join();
    require(x == 7, "all three");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 6u);
}

TEST(BodyHeap, SharedPointersAcrossThreads) {
  struct node {
    explicit node(int* count) : alive(count) { ++*alive; }
    node(const node&) = delete;
    ~node() { --*alive; }
    int* alive;
  };
  const result r = check([] {
    int alive = 0;
    {
      auto p = std::make_shared<node>(&alive);
      heddle::atomic<int> x{0};
      heddle::thread t([p, &x] { x.fetch_add(1); });
      const std::weak_ptr<node> weak = p;
      x.fetch_add(1);
      p.reset();
      t.join();
      require(weak.expired(), "both are gone");
    }
    require(alive == 0, "destroyed once");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

TEST(BodyHeap, MemoryOfOneThreadFreedByAnother) {
  const result r = check([] {
    heddle::atomic<std::string*> box{nullptr};
    heddle::thread t([&] { box.store(new std::string(50, 'x'), memory_order_release); });
    if (std::string* const got = box.exchange(nullptr, memory_order_acq_rel)) {
      require(got->size() == 50 && got->back() == 'x', "whole");
      delete got;
    }
    t.join();
    delete box.load();
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

// --- exceptions

TEST(BodyExceptions, CaughtWithinAThread) {
  const result r = check([] {
    heddle::atomic<int> caught{0};
    const auto work = [&] {
      try {
        (void)std::vector<int>(3).at(5);
        require(false, "at throws");
      } catch (const std::out_of_range&) {
        caught.fetch_add(1);
      }
    };
    heddle::thread t(work);
    work();
    t.join();
    require(caught == 2, "both");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

TEST(BodyExceptions, SurviveOperationsInTheHandler) {
  for (model m : models) {
    const result r = check({.memory_model = m}, [] {
      heddle::atomic<int> turn{0};
      heddle::atomic<int> right{0};
      const auto work = [&](int id, int wait_for, int next) {
        const std::string mine = "a text that is not short, of " + std::to_string(id);
        try {
          try {
            throw std::runtime_error(mine);
          } catch (const std::runtime_error& e) {
            // the other thread throws and catches meanwhile
            heddle::await(turn, [wait_for](int value) { return value >= wait_for; });
            turn.store(next);
            require(e.what() == mine, "my own exception");
            heddle::await(turn, [next](int value) { return value > next; });
            throw;
          }
        } catch (const std::exception& e) {
          require(e.what() == mine, "my own exception, again");
          require(std::uncaught_exceptions() == 0, "none in flight");
          right.fetch_add(1);
        }
        turn.fetch_add(1);
      };
      heddle::thread t(work, 1, 0, 1);
      heddle::thread u(work, 2, 1, 2);
      heddle::await(turn, [](int value) { return value >= 2; });
      turn.fetch_add(1);
      t.join();
      u.join();
      require(right == 2, "both");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
  }
}

TEST(BodyExceptions, DestructorsOperateWhileOneUnwinds) {
  struct announces {
    heddle::atomic<int>& count;
    ~announces() { count.fetch_add(std::uncaught_exceptions() > 0 ? 10 : 1); }
  };
  const result r = check([] {
    heddle::atomic<int> count{0};
    const auto work = [&] {
      try {
        const announces guard{count};
        throw 5;
      } catch (int value) {
        require(value == 5, "mine");
      }
      const announces guard{count};
    };
    heddle::thread t(work);
    work();
    t.join();
    require(count == 22, "10 + 1 from both");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 6u);
}

TEST(BodyExceptions, PassedToAnotherThread) {
  const result r = check([] {
    std::exception_ptr failure;
    heddle::atomic<bool> failed{false};
    heddle::thread t([&] {
      try {
        throw std::invalid_argument("of the other thread");
      } catch (...) {
        failure = std::current_exception();
        failed.store(true, memory_order_release);
      }
    });
    if (failed.load(memory_order_acquire)) {
      try {
        std::rethrow_exception(failure);
      } catch (const std::invalid_argument& e) {
        require(std::string(e.what()) == "of the other thread", "the same");
      }
    }
    t.join();
    require(failure != nullptr, "kept");
    failure = nullptr;
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_EQ(r.executions, 2u);
}

// --- linked structures

// Treiber's stack; nodes are plain and never reused.
class stack {
 public:
  void push(int value) {
    node* const made = new node{value, head_.load(memory_order_relaxed)};
    while (!head_.compare_exchange_weak(made->next, made, memory_order_release,
                                        memory_order_relaxed)) {
    }
  }
  std::optional<int> pop() {
    node* top = head_.load(memory_order_acquire);
    while (top != nullptr && !head_.compare_exchange_weak(top, top->next, memory_order_acquire,
                                                          memory_order_acquire)) {
    }
    if (top == nullptr) return {};
    return top->value;
  }

 private:
  struct node {
    int value;
    node* next;
  };
  heddle::atomic<node*> head_{nullptr};
};

TEST(BodyStructures, ATreiberStackLosesNothing) {
  for (model m : models) {
    const result r = check({.memory_model = m}, [] {
      stack shared;
      heddle::thread t([&] {
        shared.push(1);
        shared.push(2);
      });
      heddle::thread u([&] {
        shared.push(4);
        const std::optional<int> got = shared.pop();
        require(got.has_value() && (*got == 1 || *got == 2 || *got == 4), "a pushed one");
        shared.push(*got);
      });
      t.join();
      u.join();
      int sum = 0;
      for (std::optional<int> got = shared.pop(); got; got = shared.pop()) {
        require((sum & *got) == 0, "once");
        sum += *got;
      }
      require(sum == 7, "all");
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_GT(r.executions, 10u);
  }
}

// Michael and Scott's queue, release/acquire; values are race-checked.
class queue {
 public:
  queue() {
    node* const dummy = new node{};
    head_.store(dummy, memory_order_relaxed);
    tail_.store(dummy, memory_order_relaxed);
  }
  void push(int value) {
    node* const made = new node{};
    made->value = value;
    for (;;) {
      node* last = tail_.load(memory_order_acquire);
      node* next = last->next.load(memory_order_acquire);
      if (next == nullptr) {
        if (last->next.compare_exchange_strong(next, made, memory_order_release,
                                               memory_order_relaxed)) {
          tail_.compare_exchange_strong(last, made, memory_order_release, memory_order_relaxed);
          return;
        }
      } else {
        tail_.compare_exchange_strong(last, next, memory_order_release, memory_order_relaxed);
      }
    }
  }
  std::optional<int> pop() {
    for (;;) {
      node* first = head_.load(memory_order_acquire);
      node* next = first->next.load(memory_order_acquire);
      if (next == nullptr) return {};
      const int value = next->value;
      if (head_.compare_exchange_strong(first, next, memory_order_acq_rel, memory_order_relaxed))
        return value;
    }
  }

 private:
  struct node {
    heddle::var<int> value{0};
    heddle::atomic<node*> next{nullptr};
  };
  heddle::atomic<node*> head_{nullptr};
  heddle::atomic<node*> tail_{nullptr};
};

TEST(BodyStructures, AMichaelScottQueueKeepsOrder) {
  const result r = check([] {
    queue shared;
    heddle::thread t([&] {
      shared.push(1);
      shared.push(2);
    });
    const std::optional<int> first = shared.pop();
    const std::optional<int> second = shared.pop();
    require(!first || *first == 1 || *first == 2, "a pushed one");
    if (first) require(*first == 1 && (!second || *second == 2), "in order");
    t.join();
    std::vector<int> rest;
    for (std::optional<int> got = shared.pop(); got; got = shared.pop()) rest.push_back(*got);
    const std::size_t taken = (first ? 1u : 0u) + (second ? 1u : 0u);
    require(rest.size() + taken == 2, "all");
    require(rest.empty() || rest.back() == 2, "in order");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_GT(r.executions, 3u);
}

TEST(BodyStructures, TwoProducersOfAMichaelScottQueue) {
  const result r = check([] {
    queue shared;
    heddle::thread t([&] { shared.push(1); });
    heddle::thread u([&] { shared.push(2); });
    t.join();
    u.join();
    const int first = shared.pop().value_or(0);
    const int second = shared.pop().value_or(0);
    require(first + second == 3 && !shared.pop(), "both");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
}

TEST(BodyStructures, PlainDataIsRightAfterRevisits) {
  for (model m : models) {
    const result r = check({.memory_model = m}, [] {
      struct message {
        std::string text;
        std::vector<int> numbers;
      };
      message slots[3];
      heddle::atomic<int> published[3]{};
      std::vector<heddle::thread> writers;
      for (int id = 0; id < 3; ++id)
        writers.emplace_back([&, id] {
          message& mine = slots[id];
          mine.text = std::string(20, static_cast<char>('a' + id));
          for (int i = 0; i <= id; ++i) mine.numbers.push_back(i);
          published[id].store(1, memory_order_release);
        });
      for (int id = 2; id >= 0; --id)
        if (published[id].load(memory_order_acquire) == 1) {
          require(slots[id].text == std::string(20, static_cast<char>('a' + id)), "its text");
          require(static_cast<int>(slots[id].numbers.size()) == id + 1, "its numbers");
        }
      for (heddle::thread& each : writers) each.join();
    });
    EXPECT_TRUE(r.is_verified()) << r.report();
    EXPECT_EQ(r.executions, 8u);
  }
}

// --- memory over many executions

// kB; 0 if the system does not tell.
long peak_memory_of(int executions) {
  std::ofstream reset{"/proc/self/clear_refs"};
  if (!(reset << 5 << std::flush)) return 0;
  const result r = check([executions] {
    heddle::atomic<int> x{0};
    std::vector<std::string> kept(10, std::string(100, 'k'));
    heddle::thread t([&x] {
      std::vector<int> mine(100);
      try {
        throw std::runtime_error(std::string(200, 't'));
      } catch (const std::exception&) {
        x.store(1, memory_order_relaxed);
      }
      new int[64];  // leaked
    });
    (void)heddle::choose(executions / 4);
    heddle::mutex mutex;
    mutex.lock();
    const bool late = x.load(memory_order_relaxed) == 1;
    mutex.unlock();
    // half of the threads are abandoned where they stand
    heddle::assume(!late || heddle::choose(2) == 0);
    t.join();
    require(kept.size() == 10, "kept");
  });
  EXPECT_TRUE(r.is_verified()) << r.report();
  EXPECT_GE(r.runs, static_cast<std::uint64_t>(executions) / 2);
  std::ifstream status{"/proc/self/status"};
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  return 0;
}

TEST(BodyMemory, DoesNotGrowWithTheNumberOfExecutions) {
  peak_memory_of(1'000);
  const long few = peak_memory_of(1'000);
  const long many = peak_memory_of(100'000);
  if (few == 0 || many == 0) GTEST_SKIP() << "the system does not tell the peak";
  // kB; the address sanitizer keeps freed memory of the engine for a while
  const long most = heddle::runtime::detail::under_asan ? 8'192 : 1'024;
  EXPECT_LT(many - few, most) << few << " kB, then " << many << " kB";
}

}  // namespace
