// What the runtime asks of a search: the interface that every search strategy implements.
//
// The runtime brings the threads of a body to their operations; the strategy says what happens.
// First the runtime replays the graph that the strategy presents, by itself; from then on each
// operation is one call of `perform`.
#pragma once

#include <span>

#include "checker/graph/execution_graph.hpp"

namespace heddle::runtime {

enum class outcome : std::uint8_t {
  done,  // the operation is in the graph, the thread goes on with the value
  wait,  // not now: the thread stands at the operation, which may be asked for again
  stuck  // never: the thread goes no further in this execution, which is no error
};

struct answer {
  outcome what = outcome::done;
  graph::value result{};
};

class decisions {
 public:
  virtual ~decisions() = default;

  // The prefix to replay, and what has come since. The runtime adds initial values to it, nothing
  // else.
  virtual graph::execution_graph& graph() = 0;

  // The thread's next operation, live.
  virtual answer perform(graph::thread_id thread, const graph::operation& op) = 0;

  // No thread can go on; these wait. True: try them again.
  virtual bool decide(std::span<const graph::thread_id> waiting,
                      std::span<const graph::operation* const> operations) = 0;

  // Does every operation of every thread go through `choose`? If not, the runtime picks the
  // threads itself, as few switches as possible.
  virtual bool schedules() const { return false; }
  // Which of these threads, all standing at operations, moves next: an index; or none, if it is
  // known that none can.
  virtual std::size_t choose(std::span<const graph::thread_id> /*threads*/,
                             std::span<const graph::operation* const> /*operations*/) {
    return 0;
  }
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
};

}  // namespace heddle::runtime
