// The commands of the `heddle` program. Each returns an exit status.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <vector>

#include "checker/memory_model/memory_model.hpp"
#include "checker/search/exhaustive.hpp"
#include "heddle/options.hpp"

namespace heddle::cli {

enum exit_status : int {
  as_declared = 0,
  surprise = 1,  // also: an assertion of a litmus program fails
  incomplete = 2,
  usage = 3,
  error = 4,  // a body that does not repeat itself, misuse of the checker, an internal error
};

struct list_arguments {
  std::string pattern;
};
int list(const list_arguments& arguments);

struct run_arguments {
  std::string pattern;
  std::vector<std::string> sets;  // name=value
  bool traces = false;            // print the counterexample of declared violations too
  std::string json;               // file for the whole result; empty: none
  heddle::options options;
};
int run(const run_arguments& arguments);

struct litmus_arguments {
  std::string program;  // text, or the name of a file
  std::string release_sequences = "c++20";
  std::string awaits = "parked";
  bool outcomes = false;
  heddle::options options;
};
int litmus(const litmus_arguments& arguments);

}  // namespace heddle::cli
