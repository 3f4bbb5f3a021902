// Litmus programs: a tiny text language for a few threads over shared locations, in the style of
// the herd and GenMC literature. The language is the one of shared/design/exploration-counts.md,
// section "Program text":
//
//   s=2 :: r0=add(x,1).rlx; if(r0!=1)skip1; y.rel=r0+1 | r1=await(y==1).acq; fence.sc; join0
//
// Threads are separated by `|` and numbered from 0, instructions by `;`. Values are 64-bit
// integers, registers r0 to r7 belong to a thread and start at 0, locations start at 0 unless the
// part in front of `::` says otherwise. A thread that some `spawnN` names starts there, any other
// at once. A skip jumps forward only, and beyond the last instruction it ends the thread. What
// `andn` and `pick` compute is said at `operation`.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::litmus {

inline constexpr int none = -1;  // "no register", "no location"
inline constexpr int register_count = 8;
using register_file = std::array<std::int64_t, register_count>;

// In the text: na, rlx, acq, rel, ar, sc.
enum class memory_order { plain, relaxed, acquire, release, acq_rel, seq_cst };

enum class comparison { equal, not_equal, less, less_equal, greater, greater_equal };

// What an instruction does, and which of its fields it uses (besides `result`).
enum class operation {
  load,              // r0=x.acq                location, order
  store,             // x.rel=1                 location, order, left
  fetch_add,         // r0=add(x,1).rlx         location, order, left; yields the old value,
  fetch_sub,         // r0=sub(x,1).rlx           as do the next four
  exchange,          // r0=xchg(x,1).rlx
  fetch_or,          // r0=or(x,1).rlx
  fetch_and_not,     // r0=andn(x,1).rlx        clears the bits of `left`
  compare_exchange,  // r0=cas(x,0,1).ar/acq    location, order, failure_order, left, right;
                     //                         yields the value read; a failure is a plain read
  fence,             // fence.sc                order
  assign,            // r0=r1+1                 left
  skip_if,           // if(r0!=1)skip2          left, relation, right, count
  assume,            // assume(r0==1)           left, relation, right; otherwise stuck for good
  check,             // assert(r0==1)           left, relation, right; otherwise a violation
  await,             // r0=await(x==1).acq      location, order, relation, left; blocks until then
  await_exchange,    // r0=awaitcas(x,0,1).acq  location, order, left, right; blocks until equal
  await_decrement,   // r0=awaitdec(x).acq      location, order; blocks until above 0
  pick,              // r0=pick(x).rlx          location, order; takes any one bit out of the set
                     //                         and yields its index; -1 and no write if empty
  choice,            // r0=choice(3)            count; yields any of 0 .. count-1
  spawn,             // spawn1                  count: the thread
  join               // join1                   count: the thread
};

// A constant, a register, or a register plus a constant.
struct operand {
  int base = none;  // register
  std::int64_t constant = 0;

  bool operator==(const operand&) const = default;
};

// Fields that an operation does not use keep their defaults, so programs compare by value.
struct instruction {
  operation kind = operation::fence;
  memory_order order = memory_order::relaxed;
  memory_order failure_order = memory_order::relaxed;
  int location = none;  // index into program::locations
  int result = none;    // register that takes the value, if one is wanted
  operand left{};
  operand right{};
  comparison relation = comparison::equal;
  int count = 0;

  bool operator==(const instruction&) const = default;
};

struct program {
  std::vector<std::string> locations;  // in the order in which the text names them
  std::vector<std::int64_t> initial;   // one a location
  std::vector<std::vector<instruction>> threads;

  bool operator==(const program&) const = default;
};

// One line: where, what was found, what would have been right.
class parse_error : public std::runtime_error {
 public:
  parse_error(const std::string& line, std::size_t column);

  [[nodiscard]] std::size_t column() const { return column_; }  // the first character is 1

 private:
  std::size_t column_;
};

[[nodiscard]] program parse(std::string_view text);

// parse(print(p)) == p for every p that parse can return.
[[nodiscard]] std::string print(const program& source);

// Sums wrap around.
[[nodiscard]] std::int64_t evaluate(const operand& what, const register_file& registers);
[[nodiscard]] bool holds(comparison relation, std::int64_t left, std::int64_t right);

}  // namespace heddle::litmus
