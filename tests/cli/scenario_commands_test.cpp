// heddle list and heddle run: patterns, options, rows, JSON and exit statuses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/program.hpp"

namespace heddle::cli_tests {
namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream{text};
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

// The rows whose first word starts with `start`.
std::size_t rows(const std::string& text, const std::string& start) {
  const auto all = lines(text);
  return static_cast<std::size_t>(
      std::ranges::count_if(all, [&](const std::string& line) { return line.starts_with(start); }));
}

// A usage error: status 3, nothing on standard output, one line that names what is valid.
void expect_usage(const outcome& o, const std::vector<std::string>& parts) {
  EXPECT_EQ(o.status, 3) << o.out << o.err;
  EXPECT_EQ(o.out, "");
  EXPECT_EQ(lines(o.err).size(), 1u) << o.err;
  EXPECT_TRUE(o.err.starts_with("heddle: ")) << o.err;
  for (const std::string& part : parts) EXPECT_TRUE(contains(o.err, part)) << part << ": " << o.err;
}

class temporary_file {
 public:
  explicit temporary_file(const std::string& name)
      : path_(std::filesystem::path(testing::TempDir()) / ("heddle_cli_" + name)) {}
  ~temporary_file() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// --- list

TEST(List, ShowsAllScenariosOfAPattern) {
  const outcome all = run_heddle({"list"});
  EXPECT_EQ(all.status, 0) << all.err;
  EXPECT_GE(lines(all.out).size(), 70u);
  EXPECT_EQ(all.err, "");
  const outcome family = run_heddle({"list", "quiesce"});
  EXPECT_EQ(family.status, 0);
  EXPECT_EQ(rows(family.out, "quiesce."), lines(family.out).size() - 1) << "and a head";
  EXPECT_GE(rows(family.out, "quiesce."), 2u);
  EXPECT_EQ(rows(family.out, "quiesce."), rows(all.out, "quiesce."));
}

TEST(List, ShowsParametersAndTheirRanges) {
  const outcome o = run_heddle({"list", "backlog.compare_exchange_loop"});
  EXPECT_TRUE(contains(o.out, "threads=3 (1..8)")) << o.out;
}

TEST(List, AnUnknownPatternNamesTheScenarios) {
  expect_usage(run_heddle({"list", "nowhere"}),
               {"no scenario matches 'nowhere'", "backlog.compare_exchange_loop"});
}

// --- run: patterns

TEST(Run, AllShippedScenariosComeOutAsDeclared) {
  const outcome o = run_heddle({"run"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_EQ(o.err, "");
  EXPECT_FALSE(contains(o.out, "SURPRISE")) << o.out;
  const std::string sum = lines(o.out).back();
  EXPECT_TRUE(contains(sum, " 0 surprises, 0 incomplete, 0 errors, 0 not judged")) << sum;
  EXPECT_EQ(run_heddle({"run"}), o) << "byte for byte";
}

TEST(Run, AFamilyANameAnIdAndAPattern) {
  const outcome family = run_heddle({"run", "quiesce"});
  EXPECT_EQ(family.status, 0) << family.out;
  EXPECT_GE(rows(family.out, "quiesce."), 2u);
  EXPECT_EQ(rows(family.out, "backlog."), 0u);

  const outcome name = run_heddle({"run", "backlog.compare_exchange_loop"});
  EXPECT_EQ(name.status, 0);
  EXPECT_EQ(rows(name.out, "backlog.compare_exchange_loop "), 3u) << name.out;
  EXPECT_EQ(lines(name.out).size(), 5u) << "head, one row a model, sum: " << name.out;

  const outcome id = run_heddle({"run", "A-cmploop"});
  EXPECT_EQ(id.status, 0);
  EXPECT_TRUE(contains(id.out, "backlog.compare_exchange_loop")) << id.out;

  const outcome pattern = run_heddle({"run", "*.compare_exchange_*"});
  EXPECT_EQ(pattern.status, 0);
  EXPECT_GE(rows(pattern.out, "backlog.compare_exchange_"), 4u);

  expect_usage(run_heddle({"run", "backlog.nothing"}),
               {"no scenario matches", "families, ids, patterns", "backlog.compare_exchange_loop"});
}

// --- run: options

TEST(Run, OneMemoryModelOnly) {
  for (const std::string model : {"rc11", "tso", "sc"}) {
    const outcome o = run_heddle({"run", "backlog.compare_exchange_loop", "--memory-model", model});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(lines(o.out).size(), 3u) << o.out;
    EXPECT_TRUE(contains(lines(o.out)[1], " " + model + " ")) << o.out;
    const outcome variable = run_heddle({"run", "backlog.compare_exchange_loop"},
                                        {.environment = {{"HEDDLE_MEMORY_MODEL", model}}});
    EXPECT_EQ(variable, o);
  }
}

TEST(Run, SettingParametersPrintsTheVerdictWithoutJudgingIt) {
  const outcome o = run_heddle(
      {"run", "backlog.compare_exchange_loop", "--memory-model", "sc", "--set", "threads=2"});
  EXPECT_EQ(o.status, 0) << o.out << o.err;
  EXPECT_TRUE(contains(o.out, "not judged")) << o.out;
  const outcome declared = run_heddle(
      {"run", "backlog.compare_exchange_loop", "--memory-model", "sc", "--set", "threads=3"});
  EXPECT_TRUE(contains(declared.out, "as declared")) << declared.out;
}

TEST(Run, UnusableSettings) {
  const auto set = [](const std::string& value) {
    return run_heddle({"run", "backlog.compare_exchange_loop", "--set", value});
  };
  expect_usage(set("thread=2"), {"thread=2", "names", "threads"});
  expect_usage(set("threads"), {"name=value"});
  expect_usage(set("threads=x"), {"whole number"});
  expect_usage(set("threads=2x"), {"whole number"});
  expect_usage(set("threads="), {"whole number"});
  expect_usage(set("threads=9"), {"1..8"});
  expect_usage(set("threads=0"), {"1..8"});
}

TEST(Run, UnknownOptionsAndValuesNameTheValidOnes) {
  expect_usage(run_heddle({"run", "backlog", "--models", "sc"}), {"--models", "--memory-model"});
  expect_usage(run_heddle({"run", "backlog", "--memory-model", "arm"}), {"rc11", "tso", "sc"});
  expect_usage(run_heddle({"run", "backlog", "--search", "random"}),
               {"exhaustive", "interleavings"});
  expect_usage(run_heddle({"run", "backlog", "--time-limit", "-1"}), {"--time-limit"});
  expect_usage(run_heddle({"run", "backlog", "--max-executions", "0"}), {"--max-executions"});
  expect_usage(run_heddle({"run", "backlog", "--max-steps", "0"}), {"1 to 1000000"});
  expect_usage(run_heddle({"run", "backlog", "--max-threads", "65"}), {"1 to 64"});
  expect_usage(run_heddle({"run", "backlog", "--stack-size", "1"}), {"16384 to 67108864"});
  expect_usage(run_heddle({"run", "backlog", "more"}), {"more"});
  expect_usage(run_heddle({"run", "backlog", "--search", "interleavings", "--memory-model", "tso"}),
               {"interleavings", "sc"});
}

TEST(Run, MalformedVariablesNameTheValidValues) {
  const auto with = [](const std::string& name, const std::string& value) {
    return run_heddle({"run", "quiesce"}, {.environment = {{name, value}}});
  };
  expect_usage(with("HEDDLE_MEMORY_MODEL", "power"),
               {"HEDDLE_MEMORY_MODEL=power", "rc11, tso, sc"});
  expect_usage(with("HEDDLE_SEARCH", "all"), {"HEDDLE_SEARCH=all", "exhaustive, interleavings"});
  expect_usage(with("HEDDLE_MAX_STEPS", "many"), {"HEDDLE_MAX_STEPS=many", "1 to 1000000"});
  expect_usage(with("HEDDLE_TIME_LIMIT", "1h"), {"HEDDLE_TIME_LIMIT=1h", "seconds"});
  expect_usage(with("HEDDLE_STACK_SIZE", "1"), {"HEDDLE_STACK_SIZE=1", "16384"});
}

TEST(Run, InterleavingsAreASecondOpinion) {
  const outcome o = run_heddle(
      {"run", "backlog.compare_exchange_loop", "--search", "interleavings", "--set", "threads=2"});
  EXPECT_EQ(o.status, 0) << o.err;
  EXPECT_TRUE(contains(o.out, "verified")) << o.out;
}

TEST(Run, ABoundThatCutsIsIncomplete) {
  const outcome o = run_heddle(
      {"run", "backlog.compare_exchange_loop", "--memory-model", "sc", "--max-executions", "2"});
  EXPECT_EQ(o.status, 2) << o.out;
  EXPECT_TRUE(contains(o.out, "incomplete")) << o.out;
  EXPECT_TRUE(contains(o.out, "max_executions = 2")) << o.out;
  EXPECT_FALSE(contains(o.out, "sc     verified")) << o.out;
  EXPECT_FALSE(contains(o.out, "as declared\n")) << o.out;
  const outcome late = run_heddle({"run", "backlog.compare_exchange_loop"},
                                  {.environment = {{"HEDDLE_MAX_EXECUTIONS", "2"}}});
  EXPECT_EQ(late.status, 2) << late.out;
}

TEST(Run, TracesShowTheCounterexampleOfADeclaredViolation) {
  const std::vector<std::string> plain{"run", "backlog.compare_exchange_ignored", "--memory-model",
                                       "sc"};
  std::vector<std::string> traced = plain;
  traced.emplace_back("--traces");
  EXPECT_LE(lines(run_heddle(plain).out).size(), 3u);
  const outcome o = run_heddle(traced);
  EXPECT_EQ(o.status, 0);
  EXPECT_TRUE(contains(o.out, "thread 1")) << o.out;
  EXPECT_TRUE(contains(o.out, "compare_exchange")) << o.out;
  EXPECT_EQ(run_heddle(traced), o) << "byte for byte";
}

TEST(Run, JsonHoldsTheWholeResult) {
  const temporary_file file("run.json");
  const outcome o = run_heddle({"run", "backlog.compare_exchange_*", "--json", file.path()});
  ASSERT_EQ(o.status, 0) << o.err;
  std::ifstream stream{file.path()};
  const auto whole = nlohmann::json::parse(stream);
  EXPECT_TRUE(whole.at("tables").empty()) << "not the whole family";
  const auto& runs = whole.at("runs");
  ASSERT_TRUE(runs.is_array());
  EXPECT_EQ(runs.size(), rows(o.out, "backlog.compare_exchange_"));
  for (const auto& each : runs) {
    EXPECT_TRUE(each.at("scenario").get<std::string>().starts_with("backlog.compare_exchange_"));
    EXPECT_EQ(each.at("verdict"), each.at("declared"));
    EXPECT_TRUE(each.at("surprises").empty());
    EXPECT_GT(each.at("events").get<int>(), 0);
    EXPECT_EQ(each.at("counterexample").get<std::string>().empty(),
              each.at("verdict") == "verified");
    for (const char* field : {"id", "memory_model", "executions", "blocked", "largest_graph",
                              "message", "where", "other", "bound"}) {
      EXPECT_TRUE(each.contains(field)) << field;
    }
  }
}

// --- run: tables

std::vector<std::string> table_of(const std::string& out) {
  std::vector<std::string> table;
  for (const std::string& line : lines(out))
    if (!table.empty() || line.starts_with("Is the drain exact?")) table.push_back(line);
  while (!table.empty() && (table.back().empty() || contains(table.back(), " scenarios, ")))
    table.pop_back();
  return table;
}

TEST(Run, AWholeFamilyEndsWithItsTable) {
  const temporary_file file("table.json");
  const outcome o = run_heddle({"run", "backlog", "--json", file.path()});
  ASSERT_EQ(o.status, 0) << o.out;
  const std::vector<std::string> table = table_of(o.out);
  ASSERT_EQ(table.size(), 10u) << "title, head, rule and six rows: " << o.out;
  EXPECT_TRUE(contains(table[0], "(sc, tso, rc11)"));
  EXPECT_TRUE(contains(lines(o.out).back(), "tables: 72 of 72 cells as declared")) << o.out;

  std::ifstream stream{file.path()};
  const auto cells = nlohmann::json::parse(stream).at("tables");
  ASSERT_EQ(cells.size(), 72u);
  int holds = 0;
  for (const auto& cell : cells) {
    EXPECT_EQ(cell.at("declared") == "holds", cell.at("verdict") == "verified") << cell;
    EXPECT_FALSE(cell.at("surprise").get<bool>());
    EXPECT_GT(cell.at("executions").get<int>() + (cell.at("verdict") == "verified" ? 0 : 1), 0);
    holds += cell.at("verdict") == "verified";
  }
  EXPECT_EQ(holds, 7 * 3) << "exact combinations under three models";
}

TEST(Run, TheReadmeHasTheTableAsItIsPrinted) {
  std::ifstream stream{std::string{HEDDLE_TEST_DATA} + "/../README.md"};
  std::string readme{std::istreambuf_iterator<char>{stream}, {}};
  for (const std::string& line : table_of(run_heddle({"run", "backlog"}).out))
    EXPECT_TRUE(contains(readme, line.empty() ? line : "    " + line + '\n')) << line;
}

TEST(Run, PartOfAFamilyHasNoTable) {
  EXPECT_TRUE(table_of(run_heddle({"run", "backlog.exchange*"}).out).empty());
  EXPECT_TRUE(table_of(run_heddle({"run", "quiesce"}).out).empty());
  EXPECT_TRUE(table_of(run_heddle({"run", "backlog", "--set", "threads=2"}).out).empty());
}

TEST(Run, ATableCutByABoundIsIncomplete) {
  const outcome o = run_heddle({"run", "backlog", "--max-executions", "1"});
  EXPECT_EQ(o.status, 2) << o.out;
  EXPECT_TRUE(contains(o.out, "exchange, add: RMW; mutex (rc11): cut by max_executions = 1"))
      << o.out;
}

TEST(Run, AJsonFileThatCannotBeWrittenIsSaidBeforeAnythingRuns) {
  expect_usage(run_heddle({"run", "quiesce", "--json", "/nowhere/at/all.json"}),
               {"--json /nowhere/at/all.json"});
}

// --- the program

TEST(Program, ASubcommandIsNeededAndUnknownOnesNameTheValidOnes) {
  expect_usage(run_heddle({}), {"list", "run", "litmus"});
  expect_usage(run_heddle({"weave"}), {"weave", "list", "run", "litmus"});
  expect_usage(run_heddle({"--verbose"}), {"list", "run", "litmus"});
}

TEST(Program, Help) {
  const outcome o = run_heddle({"--help"});
  EXPECT_EQ(o.status, 0);
  for (const char* command : {"list", "run", "litmus"}) EXPECT_TRUE(contains(o.out, command));
  const outcome of_run = run_heddle({"run", "--help"});
  EXPECT_EQ(of_run.status, 0);
  EXPECT_TRUE(contains(of_run.out, "--memory-model")) << of_run.out;
}

}  // namespace
}  // namespace heddle::cli_tests
