#include "tests/cli/program.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <system_error>
#include <thread>

namespace heddle::cli_tests {

namespace {

using file = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

file temporary() {
  file made{std::tmpfile(), &std::fclose};
  if (made == nullptr) throw std::system_error(errno, std::generic_category(), "tmpfile");
  return made;
}

std::string contents(std::FILE* from) {
  std::rewind(from);
  std::string text;
  std::array<char, 4096> part{};
  for (std::size_t n; (n = std::fread(part.data(), 1, part.size(), from)) > 0;)
    text.append(part.data(), n);
  return text;
}

// In the child; does not return.
[[noreturn]] void become(const std::vector<std::string>& arguments, const settings& with,
                         std::FILE* out, std::FILE* err) {
  for (const auto& [name, value] : with.environment) setenv(name.c_str(), value.c_str(), 1);
  dup2(fileno(out), STDOUT_FILENO);
  dup2(fileno(err), STDERR_FILENO);
  std::vector<char*> raw;
  static char program[] = HEDDLE_PROGRAM;
  raw.push_back(program);
  for (const std::string& each : arguments) raw.push_back(const_cast<char*>(each.c_str()));
  raw.push_back(nullptr);
  execv(program, raw.data());
  _exit(127);
}

}  // namespace

outcome run_heddle(const std::vector<std::string>& arguments, const settings& with) {
  const file out = temporary();
  const file err = temporary();
  const pid_t child = fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (child == 0) become(arguments, with, out.get(), err.get());
  if (with.interrupt_after) {
    std::this_thread::sleep_for(*with.interrupt_after);
    kill(child, SIGINT);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child)
    throw std::system_error(errno, std::generic_category(), "waitpid");
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(out.get()),
          contents(err.get())};
}

}  // namespace heddle::cli_tests
