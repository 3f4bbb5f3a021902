// thread_local variables: each thread of a body has its own, in every execution anew.
#include <gtest/gtest.h>

#include <array>
#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>
#include <string>

namespace {

using heddle::atomic;
using heddle::check;
using heddle::thread;

thread_local int number = 7;
thread_local std::array<int, 100> table{};

TEST(BodyThreadLocal, StartsAsDeclaredInEveryThreadAndExecution) {
  number = 9;
  const heddle::result r = check([] {
    heddle::require(number == 7, "the first thread's is not as declared");
    number = 1;
    table[50] = 1;
    atomic<int> x{0};
    thread other([&x] {
      heddle::require(number == 7 && table[50] == 0, "the other thread's is not as declared");
      number = 2;
      x.store(1);
    });
    (void)x.load();  // two executions
    heddle::require(number == 1 && table[50] == 1, "another thread has written ours");
    other.join();
    heddle::require(number == 1, "another thread has written ours");
  });
  EXPECT_VERIFIED(r);
  EXPECT_EQ(r.executions, 2u);
  EXPECT_EQ(number, 9) << "the check has not put back what was there";
  number = 7;
}

struct logged {
  ~logged() {
    if (log != nullptr) log->fetch_add(by);
  }
  atomic<int>* log = nullptr;
  int by = 1;
};
thread_local logged first;
thread_local logged second;
thread_local std::string text = "as declared";

// A peer's test: destructors count 1, 2, 3 at the ends of the threads.
TEST(BodyThreadLocal, IsDestroyedAtTheEndOfItsThread) {
  const heddle::result r = check([] {
    atomic<int> destroyed{0};
    for (int i = 1; i <= 3; ++i) {
      thread t([&] {
        first.log = &destroyed;
        text += " and more than fits into the string itself";
      });
      t.join();
      heddle::require(destroyed.load() == i, "not destroyed with its thread");
    }
    heddle::require(text == "as declared", "another thread's text");
  });
  EXPECT_VERIFIED(r);
}

TEST(BodyThreadLocal, TheLastMadeIsDestroyedFirst) {
  const heddle::result r = check([] {
    atomic<int> digits{0};
    thread t([&] {
      first.log = &digits;  // makes all of this file, in order
      first.by = 10;
      second.log = &digits;
      second.by = 1;
      digits.store(100);
    });
    thread watcher([&] {
      const int seen = digits.load();
      heddle::require(seen != 110, "the first was destroyed before the second");
    });
    t.join();
    watcher.join();
    heddle::require(digits.load() == 111, "not both destroyed");
  });
  EXPECT_VERIFIED(r);
}

thread_local atomic<int> own{0};

TEST(BodyThreadLocal, AtomicsAreOnesOwn) {
  const heddle::result r = check([] {
    own.store(1);
    thread t([] {
      heddle::require(own.load() == 0, "another thread's atomic");
      own.store(2);
    });
    heddle::require(own.fetch_add(10) == 1, "another thread's atomic");
    t.join();
    heddle::require(own.load() == 11, "another thread's atomic");
  });
  EXPECT_EQ(r.verdict, heddle::verdict_kind::verified) << r.report();
  EXPECT_EQ(r.executions, 1u);
  EXPECT_EQ(r.vacuous, "the threads share nothing");
}

struct node {
  int value = 0;
};
thread_local node mine;

TEST(BodyThreadLocal, GivingItsAddressAwayIsAnErrorThatSaysSo) {
  const heddle::result r = check([] {
    atomic<node*> tail{nullptr};
    thread t([&] { tail.exchange(&mine); });
    t.join();
  });
  EXPECT_EQ(r.verdict, heddle::verdict_kind::error);
  EXPECT_NE(r.message.find("thread_local"), std::string::npos) << r.message;
}

}  // namespace
