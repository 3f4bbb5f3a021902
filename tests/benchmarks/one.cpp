// Checks one benchmark program once, for counting instructions: `one NAME`; NAME `trivial` is a
// body that does nothing; without a name, lists the names, executions and targets.
#include <sys/resource.h>

#include <cstdio>
#include <string>

#include "heddle/check.hpp"
#include "tests/benchmarks/programs.hpp"

int main(int argc, char** argv) {
  const auto programs = heddle::benchmarks::programs();
  if (argc < 2) {
    for (const auto& p : programs)
      std::printf("%s %u %.0f\n", p.name.data(), p.executions, p.target);
    return 0;
  }
  const std::string name = argv[1];
  if (name == "trivial") return heddle::check([] {}).is_verified() ? 0 : 1;
  for (const auto& p : programs) {
    if (p.name != name) continue;
    const heddle::result r = heddle::check([&] { p.body(); });
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("executions %llu blocked %llu events %llu peak_kB %ld\n",
                static_cast<unsigned long long>(r.executions),
                static_cast<unsigned long long>(r.blocked),
                static_cast<unsigned long long>(r.events), usage.ru_maxrss);
    return r.is_verified() && r.executions == p.executions && r.blocked == 0 ? 0 : 1;
  }
  std::fprintf(stderr, "unknown program %s\n", argv[1]);
  return 3;
}
