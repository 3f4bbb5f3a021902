// Small programs over blocking primitives, and their notation:
//
//   s=1 :: lock(m); wait_until(c,m,x,1); unlock(m) | lock(m); store(x,1); unlock(m); notify_one(c)
//
// Before `::` initial values other than 0; threads by `|`, instructions by `;`. Objects have fixed
// names: atomics x y z, mutexes m n, condition variables c d, semaphores s t, a shared mutex w, a
// latch l. A thread has the registers r0 to r3, initially 0. All accesses are sequentially
// consistent.
//
//   r0=load(x)  store(x,1)  r0=add(x,1)  r0=exchange(x,1)  r0=cas(x,0,1)    what the atomic was
//   await(x,1)                                     waits until it is 1
//   sleep_while(x,0)  wake_one(x)  wake_all(x)     atomic wait and notify
//   lock(m)  unlock(m)  r0=try_lock(m)             tries give 1 for success
//   wait(c,m)  wait_until(c,m,x,1)                 the latter: while (x != 1) wait(c,m)
//   r0=wait_for(c,m)                               1: timed out
//   notify_one(c)  notify_all(c)
//   acquire(s)  r0=try_acquire(s)  release(s)
//   lock_exclusive(w)  r0=try_lock_exclusive(w)  unlock_exclusive(w)
//   lock_shared(w)  r0=try_lock_shared(w)  unlock_shared(w)
//   count_down(l)  wait_zero(l)
//   skip_if(r0,1,2)  skip_unless(r0,1,2)           the next two instructions, if r0 is 1 or not
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::oracle::blocking {

inline constexpr int max_threads = 4;
inline constexpr int register_count = 4;
inline constexpr int none = -1;

enum class operation : std::uint8_t {
  load,
  store,
  add,
  exchange,
  compare_exchange,
  await,
  sleep_while,
  wake_one,
  wake_all,
  lock,
  unlock,
  try_lock,
  wait,
  wait_until,
  wait_for,
  notify_one,
  notify_all,
  acquire,
  try_acquire,
  release,
  lock_exclusive,
  try_lock_exclusive,
  unlock_exclusive,
  lock_shared,
  try_lock_shared,
  unlock_shared,
  count_down,
  wait_zero,
  skip_if,
  skip_unless,
};

// Kinds of objects, and how many of each there may be.
enum class object_kind : std::uint8_t { atomic, mutex, condition, semaphore, shared_mutex, latch };
inline constexpr int atomic_count = 3;
inline constexpr int mutex_count = 2;
inline constexpr int condition_count = 2;
inline constexpr int semaphore_count = 2;

struct instruction {
  operation kind = operation::load;
  int result = none;  // a register
  int object = 0;     // number of its kind; of a skip the register
  int mutex = 0;      // of a wait on a condition variable
  int location = 0;   // of wait_until: an atomic
  int left = 0;       // values, in the order of the arguments
  int right = 0;

  friend bool operator==(const instruction&, const instruction&) = default;
};

struct program {
  std::array<int, atomic_count> memory{};
  std::array<int, semaphore_count> semaphores{};
  int latch = 0;
  std::vector<std::vector<instruction>> threads;
};

[[nodiscard]] program parse(std::string_view text);  // throws std::invalid_argument
[[nodiscard]] std::string print(const program& source);
[[nodiscard]] std::string print(const instruction& what);

// Does an instruction of the program use an object of this kind?
[[nodiscard]] bool uses(const program& source, object_kind kind);
// Of the object that the instruction acts on; an atomic for skips.
[[nodiscard]] object_kind kind_of_object(operation kind);

// Where a thread is in the end.
enum class fate : std::uint8_t {
  finished,
  waits,    // at this instruction, for ever
  relocks,  // at this wait on a condition variable, which has been notified: for the mutex
};

struct thread_end {
  fate how = fate::finished;
  int at = 0;  // instruction; number of instructions if it has finished
  std::array<int, register_count> registers{};

  friend auto operator<=>(const thread_end&, const thread_end&) = default;
};

// What can be seen of an execution when no thread can go on.
struct outcome {
  std::vector<thread_end> threads;
  std::array<int, atomic_count> memory{};

  [[nodiscard]] bool is_blocked() const;
  friend auto operator<=>(const outcome&, const outcome&) = default;
};

// For example "r0=1, done | at 2 # x=1": registers and atomics that are 0 are left out.
[[nodiscard]] std::string text_of(const outcome& what);

}  // namespace heddle::oracle::blocking
