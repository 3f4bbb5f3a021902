// The `heddle` program: list and run scenarios, ask litmus questions.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>

#include "checker/cli/commands.hpp"
#include "heddle/error.hpp"

namespace heddle::cli {
namespace {

std::atomic<bool> interrupted{false};

void on_interrupt(int) { interrupted.store(true); }

// Options that both run and litmus take.
void add_options(CLI::App& command, heddle::options& with, std::string& memory_model,
                 std::string& search) {
  command.add_option("--memory-model", memory_model, "rc11, tso or sc")
      ->check(CLI::IsMember({"rc11", "tso", "sc"}));
  command.add_option("--search", search, "exhaustive, or interleavings (sc only)")
      ->check(CLI::IsMember({"exhaustive", "interleavings"}));
  command.add_option("--max-executions", with.max_executions, "stop after so many executions")
      ->check(CLI::PositiveNumber);
  command.add_option("--time-limit", with.time_limit, "seconds for each check; 60 if not given")
      ->check(CLI::NonNegativeNumber);
  command.add_option("--max-memory", with.max_memory, "bytes of the process")
      ->check(CLI::PositiveNumber);
  with.interrupted = &interrupted;
}

void finish_options(heddle::options& with, const std::string& memory_model,
                    const std::string& search) {
  for (model m : {model::rc11, model::tso, model::sc})
    if (to_string(m) == memory_model) with.memory_model = m;
  for (strategy s : {strategy::exhaustive, strategy::interleavings})
    if (to_string(s) == search) with.search = s;
  // interleavings exist in one model only
  if (with.search == strategy::interleavings && !with.memory_model) with.memory_model = model::sc;
  if (!with.time_limit && std::getenv("HEDDLE_TIME_LIMIT") == nullptr) with.time_limit = 60.0;
}

// The valid choices where an argument was not understood.
std::string choices(const CLI::App& app) {
  std::vector<std::string> names;
  const CLI::App* at = &app;
  for (const CLI::App* command : app.get_subcommands()) at = command;
  for (const CLI::App* command : at->get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  for (const CLI::Option* option : at->get_options()) names.push_back(option->get_name());
  return fmt::format("{}", fmt::join(names, ", "));
}

int main(int argc, char** argv) {
  CLI::App app{"Heddle: a deterministic concurrency model checker"};
  app.name("heddle");
  app.require_subcommand(1);

  list_arguments to_list;
  CLI::App* list_command = app.add_subcommand("list", "the scenarios and what they declare");
  list_command->add_option("pattern", to_list.pattern, "a name, family, id or shell pattern");

  run_arguments to_run;
  std::string run_model;
  std::string run_search;
  CLI::App* run_command = app.add_subcommand("run", "check scenarios against what they declare");
  run_command->add_option("pattern", to_run.pattern, "a name, family, id or shell pattern");
  run_command->add_option("--set", to_run.sets, "a parameter, as name=value")
      ->allow_extra_args(false);
  run_command->add_flag("--traces", to_run.traces, "print the counterexample of each violation");
  run_command->add_option("--json", to_run.json, "write the whole result to this file");
  run_command->add_option("--max-steps", to_run.options.max_steps, "events of one thread");
  run_command->add_option("--max-threads", to_run.options.max_threads, "threads of a body");
  run_command->add_option("--stack-size", to_run.options.stack_size, "bytes of a thread's stack");
  add_options(*run_command, to_run.options, run_model, run_search);

  litmus_arguments to_ask;
  std::string litmus_model;
  std::string litmus_search;
  CLI::App* litmus_command =
      app.add_subcommand("litmus", "count the executions of a small program");
  litmus_command->add_option("program", to_ask.program, "its text, or a file")->required();
  litmus_command->add_option("--awaits", to_ask.awaits, "parked, or assume")
      ->check(CLI::IsMember({"parked", "assume"}));
  litmus_command->add_option("--release-sequences", to_ask.release_sequences, "c++20 or c++11")
      ->check(CLI::IsMember({"c++20", "c++11"}));
  litmus_command->add_flag("--outcomes", to_ask.outcomes, "final values, and how often each");
  add_options(*litmus_command, to_ask.options, litmus_model, litmus_search);

  if (argc > 1 && argv[1][0] != '-') {
    const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
    if (std::none_of(commands.begin(), commands.end(),
                     [&](const CLI::App* c) { return c->get_name() == argv[1]; }))
      throw usage_error(fmt::format("unknown command '{}': valid are {}", argv[1], choices(app)));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::string what = e.what();
    std::replace(what.begin(), what.end(), '\n', ' ');
    fmt::print(stderr, "heddle: {}; valid here: {}\n", what, choices(app));
    return usage;
  }
  std::signal(SIGINT, on_interrupt);
  if (list_command->parsed()) return list(to_list);
  if (run_command->parsed()) {
    finish_options(to_run.options, run_model, run_search);
    return run(to_run);
  }
  finish_options(to_ask.options, litmus_model, litmus_search);
  return litmus(to_ask);
}

}  // namespace
}  // namespace heddle::cli

int main(int argc, char** argv) {
  try {
    return heddle::cli::main(argc, argv);
  } catch (const heddle::usage_error& e) {
    fmt::print(stderr, "heddle: {}\n", e.what());
    return heddle::cli::usage;
  } catch (const std::exception& e) {
    fmt::print(stderr, "heddle: internal error: {}\n", e.what());
    return heddle::cli::error;
  }
}
