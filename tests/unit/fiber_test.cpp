// Fibers: switching order, what is switched along, new lives on old stacks, guard pages.
#include "checker/runtime/fiber.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <exception>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "checker/runtime/heap.hpp"

namespace heddle::runtime {
namespace {

// A fiber that runs a function object; the object must outlive the fiber's life.
struct running_body {
  fiber thread;
  std::function<void(fiber&)> body;

  void start(std::function<void(fiber&)> function) {
    body = std::move(function);
    thread.start(
        [](void* self) {
          running_body& the = *static_cast<running_body*>(self);
          the.body(the.thread);
        },
        this);
  }
};

TEST(Fiber, RunsOnlyWhenResumedAndInTheOrderOfTheResumes) {
  std::string trace;
  running_body a;
  running_body b;
  const auto body = [&trace](char name) {
    return [&trace, name](fiber& self) {
      for (int i = 0; i < 3; ++i) {
        trace += name;
        self.suspend();
      }
    };
  };
  a.start(body('a'));
  b.start(body('b'));
  EXPECT_EQ(trace, "");
  for (running_body* next : {&a, &b, &b, &a, &a, &b}) next->thread.resume();
  EXPECT_EQ(trace, "abbaab");
  EXPECT_FALSE(a.thread.finished());
  a.thread.resume();
  EXPECT_TRUE(a.thread.finished());
}

TEST(Fiber, KnowsWhichFiberRuns) {
  running_body a;
  const fiber* seen = nullptr;
  a.start([&](fiber& self) {
    seen = fiber::current();
    self.suspend();
  });
  EXPECT_EQ(fiber::current(), nullptr);
  a.thread.resume();
  EXPECT_EQ(seen, &a.thread);
  EXPECT_EQ(fiber::current(), nullptr);
}

TEST(Fiber, MayResumeAnotherFiber) {
  std::string trace;
  running_body outer;
  running_body inner;
  inner.start([&](fiber& self) {
    trace += "1";
    self.suspend();
    trace += "3";
  });
  outer.start([&](fiber& self) {
    inner.thread.resume();
    trace += fiber::current() == &self ? "2" : "?";
    inner.thread.resume();
    trace += "4";
  });
  outer.thread.resume();
  EXPECT_EQ(trace, "1234");
}

TEST(Fiber, KeepsLocalsOfAllKindsAcrossSwitches) {
  running_body a;
  double sum = 0;
  a.start([&](fiber& self) {
    long double x = 1.5L;
    double y[4] = {1, 2, 3, 4};
    int i = 0;
    for (; i < 100; ++i) {
      self.suspend();
      x += 1;
      y[i % 4] *= 1.01;
    }
    sum = static_cast<double>(x) + static_cast<double>(i) + (y[0] > 1.28 ? 0.25 : 0);
  });
  volatile double noise = 1;
  while (!a.thread.finished()) {
    a.thread.resume();
    noise = noise * 1.0001 + 3;
  }
  EXPECT_EQ(sum, 1.5 + 100 + 100 + 0.25);
}

TEST(Fiber, KeepsCaughtExceptionsApart) {
  std::string trace;
  running_body a;
  running_body b;
  const auto body = [&trace](const char* text) {
    return [&trace, text](fiber& self) {
      try {
        try {
          throw std::runtime_error(text);
        } catch (const std::exception&) {
          self.suspend();
          throw;
        }
      } catch (const std::exception& exception) {
        trace += exception.what();
      }
    };
  };
  a.start(body("a"));
  b.start(body("b"));
  a.thread.resume();
  b.thread.resume();
  EXPECT_EQ(std::current_exception(), nullptr);
  a.thread.resume();  // out of order: b was caught last
  b.thread.resume();
  EXPECT_EQ(trace, "ab");
}

TEST(Fiber, KeepsTheCountOfUncaughtExceptionsApart) {
  struct suspends {
    fiber& self;
    int& seen;
    ~suspends() {
      self.suspend();
      seen = std::uncaught_exceptions();
    }
  };
  running_body a;
  running_body b;
  int in_a = -1;
  int in_b = -1;
  a.start([&](fiber& self) {
    try {
      const suspends parked{self, in_a};
      throw 1;
    } catch (int) {
    }
  });
  b.start([&](fiber&) { in_b = std::uncaught_exceptions(); });
  a.thread.resume();
  EXPECT_EQ(std::uncaught_exceptions(), 0);
  b.thread.resume();
  EXPECT_EQ(in_b, 0);
  a.thread.resume();
  EXPECT_EQ(in_a, 1);
}

TEST(Fiber, KeepsTheResumersExceptions) {
  running_body a;
  bool clean = false;
  a.start([&](fiber& self) {
    clean = std::current_exception() == nullptr;
    heap_enable(0);  // the exception is never freed
    try {
      throw 1;
    } catch (int) {
      heap_disable();
      self.suspend();
    }
  });
  try {
    throw std::runtime_error("mine");
  } catch (const std::exception&) {
    a.thread.resume();
    try {
      throw;
    } catch (const std::exception& exception) {
      EXPECT_STREQ(exception.what(), "mine");
    }
  }
  EXPECT_TRUE(clean);
}

TEST(Fiber, KeepsErrnoApart) {
  running_body a;
  int seen = 0;
  a.start([&](fiber& self) {
    errno = ENOENT;
    self.suspend();
    seen = errno;
  });
  errno = EAGAIN;
  a.thread.resume();
  EXPECT_EQ(errno, EAGAIN);
  errno = EINTR;
  a.thread.resume();
  EXPECT_EQ(seen, ENOENT);
  errno = 0;
}

TEST(Fiber, StartsAgainWhereverItStands) {
  struct counts {
    int& destroyed;
    ~counts() { ++destroyed; }
  };
  running_body a;
  int lives = 0;
  int destroyed = 0;
  for (int i = 0; i < 100; ++i) {
    a.start([&](fiber& self) {
      const counts local{destroyed};
      ++lives;
      heap_enable(0);  // the exception is never freed
      try {
        throw i;
      } catch (int) {
        heap_disable();
        self.suspend();  // for ever
      }
    });
    a.thread.resume();
    EXPECT_FALSE(a.thread.finished());
    EXPECT_EQ(std::current_exception(), nullptr);
  }
  EXPECT_EQ(lives, 100);
  EXPECT_EQ(destroyed, 0);  // never unwound
  // What an abandoned life had caught does not exist in the next one.
  bool clean = false;
  a.start([&](fiber&) { clean = std::current_exception() == nullptr; });
  a.thread.resume();
  EXPECT_TRUE(clean);
}

TEST(Fiber, AbandonedFromWithinIsFinishedAndStartsAgain) {
  running_body a;
  a.start([](fiber& self) { self.abandon_to_scheduler(); });
  a.thread.resume();
  EXPECT_TRUE(a.thread.finished());
  bool ran = false;
  a.start([&](fiber&) { ran = true; });
  a.thread.resume();
  EXPECT_TRUE(ran);
}

TEST(Fiber, HasTheSameStackInEveryLife) {
  running_body a;
  std::vector<const void*> places;
  for (int i = 0; i < 3; ++i) {
    a.start([&](fiber& self) {
      int local = 0;
      places.push_back(&local);
      self.suspend();
    });
    a.thread.resume();
  }
  EXPECT_EQ(places[0], places[1]);
  EXPECT_EQ(places[0], places[2]);
}

TEST(FiberStack, LiesAtTheSamePlaceWhenMadeAgain) {
  const void* first = nullptr;
  const void* second = nullptr;
  for (int i = 0; i < 2; ++i) {
    const fiber_stack a;
    const fiber_stack b;
    if (i == 0) {
      first = a.top();
      second = b.top();
    }
    EXPECT_EQ(a.top(), first);
    EXPECT_EQ(b.top(), second);
    EXPECT_NE(first, second);
  }
}

TEST(FiberStack, KnowsItsGuard) {
  const fiber_stack stack(std::size_t{64} << 10);
  const char* const bottom = static_cast<const char*>(stack.bottom());
  EXPECT_TRUE(stack.guards(bottom - 1));
  EXPECT_TRUE(stack.guards(bottom - 4096));
  EXPECT_FALSE(stack.guards(bottom));
  EXPECT_FALSE(stack.guards(stack.top()));
  EXPECT_FALSE(stack.guards(nullptr));
  EXPECT_TRUE(stack.contains(bottom));
  EXPECT_FALSE(stack.contains(stack.top()));
  EXPECT_EQ(stack.size(), std::size_t{64} << 10);
}

TEST(FiberStack, LargerThanAPlaceLiesAnywhere) {
  const fiber_stack stack(std::size_t{64} << 20);
  static_cast<char*>(stack.bottom())[0] = 1;
  EXPECT_TRUE(stack.guards(static_cast<const char*>(stack.bottom()) - 1));
}

TEST(FiberStack, MoreStacksThanFixedPlacesWork) {
  std::vector<std::unique_ptr<fiber_stack>> stacks;
  for (int i = 0; i < 300; ++i) stacks.push_back(std::make_unique<fiber_stack>(4096));
  for (const auto& stack : stacks) static_cast<char*>(stack->bottom())[17] = 1;
}

}  // namespace
}  // namespace heddle::runtime
