// The heap of checked bodies: addresses that depend on the thread and the number alone, no reuse,
// nothing leaked by an abandoned execution.
#include "checker/runtime/heap.hpp"

#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdint>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "checker/runtime/fiber.hpp"

namespace heddle::runtime {
namespace {

// Allocates for a thread of the body.
[[gnu::noinline]] void* allocate(std::uint32_t thread, std::size_t size) {
  heap_enable(thread);
  void* const block = ::operator new(size);
  heap_disable();
  return block;
}

class Heap : public testing::Test {
 protected:
  void SetUp() override { heap_reset(); }
  void TearDown() override {
    heap_disable();
    heap_reset();
  }
};

TEST_F(Heap, GivesTheSameAddressesInEveryExecutionWhateverTheSchedule) {
  std::vector<void*> first;
  for (int i = 0; i < 3; ++i) {
    for (std::uint32_t thread = 0; thread < 3; ++thread) first.push_back(allocate(thread, 40));
  }
  heap_reset();
  std::vector<void*> second(9);
  for (std::uint32_t thread = 3; thread-- > 0;) {
    for (std::size_t i = 0; i < 3; ++i) second[i * 3 + thread] = allocate(thread, 40);
  }
  EXPECT_EQ(first, second);
}

TEST_F(Heap, NeverUsesABlockTwiceWithinAnExecution) {
  heap_enable(0);
  char* const first = new char[32];
  delete[] first;
  char* const second = new char[32];
  delete[] second;
  heap_disable();
  EXPECT_NE(first, second);
}

TEST_F(Heap, BlocksAreApartAndKeepTheirContents) {
  std::vector<unsigned char*> blocks;
  for (std::size_t size = 0; size < 200; ++size) {
    auto* const block = static_cast<unsigned char*>(allocate(0, size));
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 16, 0U);
    std::memset(block, static_cast<int>(size), size);
    blocks.push_back(block);
  }
  for (std::size_t size = 0; size < 200; ++size) {
    for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(blocks[size][i], size);
    EXPECT_EQ(heap_describe(blocks[size])->number, size + 1);
  }
}

TEST_F(Heap, ServesOnlyTheOsThreadThatEnabledIt) {
  heap_enable(0);
  bool owned = true;
  {
    const heap_pause real_heap;
    std::thread([&owned] {
      int* const other = new int;
      owned = heap_owns(other);
      delete other;
    }).join();
  }
  heap_disable();
  EXPECT_FALSE(owned);
}

TEST_F(Heap, DeletesForeignBlocksWhileEnabledAndArenaBlocksWhileDisabled) {
  auto foreign = std::make_unique<std::string>(100, 'x');
  EXPECT_FALSE(heap_owns(foreign.get()));
  heap_enable(0);
  foreign.reset();
  auto mine = std::make_unique<std::string>(100, 'y');
  EXPECT_TRUE(heap_owns(mine.get()));
  EXPECT_TRUE(heap_owns(mine->data()));
  heap_disable();
  mine.reset();
}

TEST_F(Heap, IgnoresABlockOfAnEarlierExecution) {
  void* const stale = allocate(0, 64);
  heap_reset();
  void* const fresh = allocate(0, 64);
  std::memset(fresh, 7, 64);
  ::operator delete(stale);
  EXPECT_EQ(static_cast<char*>(fresh)[0], 7);
  EXPECT_NE(allocate(0, 64), fresh);
}

TEST_F(Heap, AlignsAndKeepsCounting) {
  heap_enable(0);
  for (const std::size_t alignment : {32U, 64U, 4096U, 1U << 20, 8U, 64U}) {
    void* const block = ::operator new (24, std::align_val_t{alignment});
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignment, 0U);
    std::memset(block, 1, 24);
    ::operator delete (block, std::align_val_t{alignment});
  }
  void* const last = ::operator new(1);
  heap_disable();
  EXPECT_EQ(heap_describe(last)->number, 7U);
}

TEST_F(Heap, AllFormsOfNewTakeTheArena) {
  constexpr std::align_val_t wide{64};
  heap_enable(5);
  void* const blocks[] = {::operator new(8),
                          ::operator new[](8),
                          ::operator new(8, std::nothrow),
                          ::operator new[](8, std::nothrow),
                          ::operator new(8, wide),
                          ::operator new[](8, wide),
                          ::operator new(8, wide, std::nothrow),
                          ::operator new[](8, wide, std::nothrow)};
  heap_disable();
  std::uint64_t number = 0;
  for (void* block : blocks) {
    EXPECT_TRUE(heap_owns(block));
    EXPECT_EQ(heap_describe(block)->number, ++number);
  }
  ::operator delete(blocks[0]);
  ::operator delete[](blocks[1]);
  ::operator delete(blocks[2], std::nothrow);
  ::operator delete[](blocks[3], std::nothrow);
  ::operator delete(blocks[4], wide);
  ::operator delete[](blocks[5], wide);
  ::operator delete(blocks[6], wide, std::nothrow);
  ::operator delete[](blocks[7], wide, std::nothrow);
}

TEST_F(Heap, NamesBlocksByThreadAndNumber) {
  allocate(2, 100);
  char* const block = static_cast<char*>(allocate(2, 40));
  allocate(2, 100);
  const auto described = heap_describe(block + 9);
  ASSERT_TRUE(described);
  EXPECT_EQ(described->thread, 2U);
  EXPECT_EQ(described->number, 2U);
  EXPECT_EQ(described->offset, 9U);
  EXPECT_EQ(described->size, 48U);
  EXPECT_EQ(heap_text(block), "thread 2 block 2");
  EXPECT_EQ(heap_text(block + 9), "thread 2 block 2 + 9");
}

TEST_F(Heap, NamesNothingElse) {
  char* const block = static_cast<char*>(allocate(0, 40));
  int local = 0;
  EXPECT_EQ(heap_text(&local), "");
  EXPECT_EQ(heap_text(nullptr), "");
  EXPECT_EQ(heap_text(block - 1), "");     // the header
  EXPECT_EQ(heap_text(block + 1000), "");  // not yet allocated
  EXPECT_EQ(heap_text(block + heap_arena_size), "");
  heap_reset();
  EXPECT_EQ(heap_text(block), "");
}

TEST_F(Heap, SurvivesABodyThatWritesBeyondABlock) {
  char* const block = static_cast<char*>(allocate(0, 16));
  void* const next = allocate(0, 16);
  volatile std::size_t size = 16;  // so that no compiler sees what this does
  std::memset(block + size, 0xff, size);
  EXPECT_FALSE(heap_describe(next));
}

TEST_F(Heap, GivesBigBlocksAndTheirMemoryBack) {
  constexpr std::size_t size = std::size_t{64} << 20;
  void* first = nullptr;
  for (int i = 0; i < 3; ++i) {
    char* const block = static_cast<char*>(allocate(1, size));
    if (first == nullptr) first = block;
    EXPECT_EQ(block, first);
    EXPECT_EQ(block[size - 1], 0);  // the pages were given back after each execution
    block[size - 1] = 1;
    block[size / 2] = 1;
    heap_reset();
  }
}

TEST_F(Heap, ThrowsBadAllocWhenAnArenaIsFull) {
  allocate(0, heap_arena_size / 2);
  heap_enable(0);
  EXPECT_THROW(static_cast<void>(::operator new(heap_arena_size / 2)), std::bad_alloc);
  EXPECT_EQ(::operator new(heap_arena_size, std::nothrow), nullptr);
  EXPECT_EQ(::operator new (heap_arena_size / 2, std::align_val_t{64}, std::nothrow), nullptr);
  volatile std::size_t huge = SIZE_MAX;
  EXPECT_EQ(::operator new(huge, std::nothrow), nullptr);
  EXPECT_EQ(::operator new (huge, std::align_val_t{64}, std::nothrow), nullptr);
  void* const small = ::operator new(100);  // what fits is still given
  heap_disable();
  EXPECT_TRUE(heap_owns(small));
}

TEST_F(Heap, CallsTheOverflowHandlerWithTheRealHeap) {
  static std::size_t wanted = 0;
  static bool enabled = true;
  const auto before = set_heap_overflow_handler([](std::size_t size) {
    wanted = size;
    enabled = heap_enabled();
  });
  heap_enable(0);
  EXPECT_THROW(static_cast<void>(::operator new(heap_arena_size + 5)), std::bad_alloc);
  EXPECT_TRUE(heap_enabled());
  heap_disable();
  set_heap_overflow_handler(before);
  EXPECT_EQ(wanted, heap_arena_size + 5);
  EXPECT_FALSE(enabled);
}

TEST_F(Heap, PauseGivesTheRealHeapWithinAScope) {
  heap_enable(3);
  {
    const heap_pause real_heap;
    EXPECT_FALSE(heap_owns(std::make_unique<int>().get()));
  }
  const auto block = std::make_unique<int>();
  EXPECT_TRUE(heap_owns(block.get()));
  heap_disable();
}

TEST_F(Heap, ExceptionsLiveInTheArenaWhileItIsEnabled) {
  heap_enable(0);
  try {
    throw std::string("text");
  } catch (const std::string& text) {
    EXPECT_TRUE(heap_owns(&text));
  }
  std::exception_ptr kept = std::make_exception_ptr(5);
  heap_disable();
  try {
    std::rethrow_exception(kept);  // thrown again by way of a dependent exception
  } catch (int& value) {
    EXPECT_TRUE(heap_owns(&value));
    EXPECT_EQ(value, 5);
  }
  kept = nullptr;
  try {
    throw 6;
  } catch (int& value) {
    EXPECT_FALSE(heap_owns(&value));
  }
}

TEST_F(Heap, ExceptionsMayCrossFromOneHeapToTheOther) {
  std::exception_ptr kept;
  try {
    throw std::runtime_error("a text that is too long for the string itself");
  } catch (...) {
    kept = std::current_exception();
  }
  heap_enable(0);
  std::string seen;
  try {
    std::rethrow_exception(std::move(kept));
  } catch (const std::exception& exception) {
    seen = exception.what();
  }
  EXPECT_EQ(seen, "a text that is too long for the string itself");
  seen = std::string();
  heap_disable();
}

// Bytes that the program holds from malloc.
std::size_t real_heap_in_use() { return mallinfo2().uordblks + mallinfo2().hblkhd; }

TEST_F(Heap, AbandonedExecutionsLeakNothing) {
  fiber thread;
  const auto body = [](void* self) {
    heap_enable(0);
    std::vector<std::string> strings(10, std::string(100, 'x'));
    try {
      throw std::runtime_error(std::string(100, 'y'));
    } catch (const std::exception&) {
      try {
        throw std::string(100, 'z');
      } catch (const std::string&) {
        heap_disable();
        static_cast<fiber*>(self)->suspend();  // for ever
      }
    }
  };
  std::size_t before = 0;
  for (int i = 0; i < 1000; ++i) {
    if (i == 1) before = real_heap_in_use();
    heap_reset();
    thread.start(body, &thread);
    thread.resume();
    ASSERT_FALSE(thread.finished());
  }
  EXPECT_EQ(real_heap_in_use(), before);
}

TEST_F(Heap, ResetGivesTheLastThreadsBlocksBackToo) {
  void* const block = allocate(max_heap_threads - 1, 8);
  heap_reset();
  EXPECT_EQ(allocate(max_heap_threads - 1, 8), block);
}

}  // namespace
}  // namespace heddle::runtime
