// Function-local statics: made anew in every execution, by one of the threads that come to them.
#include <gtest/gtest.h>

#include <heddle/gtest.hpp>
#include <heddle/heddle.hpp>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

using heddle::atomic;
using heddle::check;
using heddle::thread;
using heddle::var;
using heddle::verdict_kind;

int initialisations = 0;  // of the execution; reset by the body

struct settings {
  settings() { ++initialisations; }
  var<int> value{42};
};
settings& shared_settings() {
  static settings made;
  return made;
}

TEST(BodyStatic, IsMadeOnceInEachExecutionAndOrdersItsUsers) {
  const heddle::result r = check([] {
    initialisations = 0;
    thread a([] { heddle::require(shared_settings().value == 42, "not initialised"); });
    thread b([] { heddle::require(shared_settings().value == 42, "not initialised"); });
    a.join();
    b.join();
    heddle::require(initialisations == 1, "initialised twice, or not at all");
  });
  EXPECT_VERIFIED(r);
  EXPECT_EQ(r.executions, 2u);  // either of them makes it
  EXPECT_EQ(r.blocked, 0u);
}

// A peer's test: a yield in the constructor.
struct slow {
  slow() { heddle::this_thread::yield(); }
  atomic<int> uses{0};
};
slow& shared_slow() {
  static slow made;
  return made;
}

TEST(BodyStatic, TwoThreadsUseOneEvenIfItsConstructorYields) {
  const heddle::result r = check([] {
    thread a([] { shared_slow().uses.fetch_add(1); });
    thread b([] { shared_slow().uses.fetch_add(1); });
    a.join();
    b.join();
    heddle::require(shared_slow().uses.load() == 2, "two objects");
  });
  EXPECT_VERIFIED(r);
}

struct picky {
  explicit picky(atomic<int>& attempts) {
    if (attempts.fetch_add(1) == 0) throw std::runtime_error("not the first time");
  }
};

TEST(BodyStatic, IsTriedAgainAfterAnException) {
  const heddle::result r = check([] {
    atomic<int> attempts{0};
    const auto use = [&attempts] {
      try {
        static picky made{attempts};
      } catch (const std::runtime_error&) {
        return 1;
      }
      return 0;
    };
    int failures_there = 0;
    thread t([&] { failures_there = use(); });
    const int failures_here = use();
    t.join();
    heddle::require(failures_here + failures_there == 1, "the first attempt alone fails");
    heddle::require(attempts.load() == 2, "tried again once");
  });
  EXPECT_VERIFIED(r);
}

struct counted {
  explicit counted(std::shared_ptr<int> what) : handle{std::move(what)} {}
  ~counted() { *handle += 1; }
  std::shared_ptr<int> handle;
};

TEST(BodyStatic, IsDestroyedAtTheEndOfTheBodyBeforeAnotherOneIsMade) {
  const heddle::result r = check([] {
    atomic<int> x{0};
    thread t([&x] { x.store(1); });
    (void)x.load();
    t.join();
    static const std::string text(100, 'x');  // would be freed twice, or leak
    static counted made{std::make_shared<int>(0)};
    heddle::require(*made.handle == 0, "another execution's object");
    heddle::require(text.size() == 100, "another execution's text");
  });
  EXPECT_VERIFIED(r);
  EXPECT_EQ(r.executions, 2u);
}

// A peer's test: a detached thread comes to a static while the program ends.
TEST(BodyStatic, IsNotToBeUsedAfterTheBodysEnd) {
  const heddle::result r = check([] {
    thread t([] { shared_settings(); });
    shared_settings();
    t.detach();
  });
  EXPECT_VIOLATION(r, verdict_kind::misuse);
  EXPECT_NE(r.message.find("destroyed"), std::string::npos) << r.message;
}

int& recursive(int depth) {
  static int made = depth == 0 ? 1 : recursive(depth - 1);
  return made;
}

TEST(BodyStatic, IsNotToBeUsedWhileItIsInitialised) {
  const heddle::result r = check([] { recursive(1); });
  EXPECT_VIOLATION(r, verdict_kind::misuse);
  EXPECT_FALSE(r.other.empty());
}

// The writer comes to the static after its data, the reader only once it knows of that.
template <class Function>
heddle::result passed_beside(Function made) {
  return check([made] {
    var<int> data{0};
    atomic<bool> written{false};
    thread a([&] {
      data = 1;
      made().store(1, std::memory_order_relaxed);
      written.store(true, std::memory_order_relaxed);
    });
    if (written.load(std::memory_order_relaxed)) {
      (void)made().load(std::memory_order_relaxed);
      heddle::require(data == 1, "not written");
    }
    a.join();
  });
}

atomic<int>& constant_atomic() {
  static atomic<int> made{0};
  return made;
}
atomic<int>& atomic_of_an_array() {
  static atomic<int> made[2]{};
  return made[1];
}
struct two_atomics {
  atomic<int> first{1};
  atomic<int> second{2};
};
atomic<int>& atomic_of_a_class() {
  static two_atomics made;
  return made.second;
}

// Such statics are there from the start. g++ 12 makes them at run time in the checked build.
TEST(BodyStatic, AnAtomicWithAConstantInitialiserOrdersNobody) {
  EXPECT_VIOLATION(passed_beside(constant_atomic), verdict_kind::data_race);
  EXPECT_VIOLATION(passed_beside(atomic_of_an_array), verdict_kind::data_race);
  EXPECT_VIOLATION(passed_beside(atomic_of_a_class), verdict_kind::data_race);
}

TEST(BodyStatic, AnAtomicWithAConstantInitialiserStartsEachExecutionAfresh) {
  const heddle::result r = check([] {
    static atomic<int> x{5};
    thread a([] { x.fetch_add(1); });
    const int seen = x.load();
    a.join();
    heddle::require(seen == 5 || seen == 6, "another execution's value");
    heddle::require(x.load() == 6, "not its own value");
  });
  EXPECT_VERIFIED(r);
  EXPECT_EQ(r.executions, 2u);
}

#ifdef __OPTIMIZE__  // else nobody can tell that the initialiser is no constant
int seven() {
  static volatile int value = 7;
  return value;
}
atomic<int>& computed_atomic() {
  static atomic<int> made{seven()};
  return made;
}

TEST(BodyStatic, AnAtomicWhoseInitialiserIsComputedOrdersItsUsers) {
  EXPECT_VERIFIED(passed_beside(computed_atomic));
}
#endif

}  // namespace
