// Runs the `heddle` program as a user does, and keeps what comes out.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace heddle::cli_tests {

struct outcome {
  int status = -1;  // exit status; 128 + signal if it was killed by one
  std::string out;
  std::string err;

  bool operator==(const outcome&) const = default;
};

struct settings {
  std::vector<std::pair<std::string, std::string>> environment{};  // set on top of this one
  // Sends SIGINT after so long.
  std::optional<std::chrono::milliseconds> interrupt_after{};
};

outcome run_heddle(const std::vector<std::string>& arguments, const settings& with = {});

}  // namespace heddle::cli_tests
