// The engine's compact work items are those of the copying search: the same graphs, stamps and
// park records included, handed to the runtime in the same order.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/oracle/engine_copying_search.hpp"
#include "tests/oracle/engine_run.hpp"
#include "tests/oracle/litmus_table.hpp"
#include "tests/oracle/random_program.hpp"

namespace heddle::oracle {
namespace {

std::string text_of(graph::event_id id) {
  if (id.is_initial()) return "init";
  return std::to_string(id.thread()) + "." + std::to_string(id.index());
}

// All that a search may go by, apart from the views. Threads and locations without events are left
// out: how many numbers are set aside for such is not the same.
std::string describe(const graph::execution_graph& g) {
  std::string text;
  for (graph::thread_id t = 0; t < g.thread_count(); ++t) {
    if (g.size(t) == 0) continue;
    text += " | " + std::to_string(t) + ":";
    for (const graph::event& e : g.events(t)) {
      text += " [" + std::to_string(e.stamp) + " " + std::to_string(static_cast<int>(e.kind)) +
              (e.is_rmw ? "u" : "") + (e.is_revisiter ? "!" : "") + " " +
              std::to_string(static_cast<int>(e.order)) + " " +
              std::to_string(static_cast<int>(e.location)) + "=" + std::to_string(e.val.low) + "@" +
              text_of(e.reads_from) + " " + std::to_string(e.previous_access) + "]";
    }
  }
  for (graph::location_id l = 0; l < g.location_count(); ++l) {
    if (g.modification_order(l).empty() && g.reads(l).empty()) continue;
    text += " co " + std::to_string(l) + ":";
    for (const graph::event_id w : g.modification_order(l)) text += " " + text_of(w);
    text += " reads";
    for (const graph::event_id r : g.reads(l)) text += " " + text_of(r);
  }
  for (const graph::sequence_entry& entry : g.sequence()) {
    if (!entry.is_record()) {
      text += " " + text_of(entry.event());
      continue;
    }
    const graph::park_record& record = g.records()[entry.record()];
    text += " park(" + std::to_string(record.stamp) + " " +
            text_of(graph::event_id{record.thread, record.index}) + " " + text_of(record.mark) +
            " " + std::to_string(record.bar) + ")";
  }
  return text + " next " + std::to_string(g.next_stamp());
}

// Notes every item of a search as the runtime gets it.
template <class Search>
class recording : public Search {
 public:
  using Search::Search;

  bool next() override {
    const bool found = Search::next();
    if (found) items.push_back(describe(this->graph()));
    return found;
  }

  std::vector<std::string> items;
};

template <class Search>
std::vector<std::string> items_of(const litmus::program& source, const configuration& how) {
  const auto memory_model = engine_model(how.in);
  recording<Search> search{*memory_model, engine_awaits(how.awaits)};
  const litmus::run_result result = litmus::run(source, search, {});
  search.items.push_back(std::to_string(result.exploration.counts.executions) + " executions, " +
                         std::to_string(result.exploration.counts.blocked) + " blocked");
  return std::move(search.items);
}

// How many there are.
std::size_t expect_same_items(const litmus::program& source, const configuration& how) {
  const std::vector<std::string> compact = items_of<search::exhaustive>(source, how);
  const std::vector<std::string> copied = items_of<copying_search>(source, how);
  if (compact == copied) return compact.size();
  std::size_t i = 0;
  while (i < compact.size() && i < copied.size() && compact[i] == copied[i]) ++i;
  ADD_FAILURE() << print(source) << "\nunder " << text_of(how) << ": item " << i << " of "
                << compact.size() << " and " << copied.size()
                << "\ncompact: " << (i < compact.size() ? compact[i] : "none")
                << "\ncopied:  " << (i < copied.size() ? copied[i] : "none");
  return 0;
}

TEST(engine_copying, hands_out_the_same_items_on_the_rows_of_the_table) {
  for (const litmus_row& row : read_litmus_table()) {
    SCOPED_TRACE(row.name);
    for (const dialect in : table_dialects) {
      expect_same_items(litmus::parse(row.text), {in, row.awaits});
    }
  }
}

constexpr std::uint64_t shards = 4;
constexpr std::uint64_t programs_of_a_shard = 1'500;

class engine_copying_random : public testing::TestWithParam<std::uint64_t> {};

TEST_P(engine_copying_random, hands_out_the_same_items) {
  const std::uint64_t first = 5'000'000 + GetParam() * programs_of_a_shard;
  std::size_t items = 0;
  for (std::uint64_t seed = first; seed < first + programs_of_a_shard; ++seed) {
    const litmus::program source =
        random_program(seed, {.max_events = 12, .plain_accesses = seed % 8 == 0});
    for (const configuration& how : configurations_for(source, seed % 4 == 1)) {
      items += expect_same_items(source, how);
    }
    if (HasFailure()) return;
  }
  EXPECT_GE(items, 100 * programs_of_a_shard / 2);
}

INSTANTIATE_TEST_SUITE_P(shard, engine_copying_random, testing::Range(std::uint64_t{0}, shards));

}  // namespace
}  // namespace heddle::oracle
