// Executions per CPU second, time per event and peak memory of the programs of
// shared/data/performance.md. Instructions, which repeat exactly, come from the script beside this
// file. Nothing here is a test.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <string>

#include "heddle/check.hpp"
#include "tests/benchmarks/programs.hpp"

namespace {

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

void run_program(benchmark::State& state, const heddle::benchmarks::program& program) {
  std::uint64_t executions = 0;
  std::uint64_t events = 0;
  for (auto _ : state) {
    const heddle::result r = heddle::check([&] { program.body(); });
    if (!r.is_verified() || r.executions != program.executions) {
      state.SkipWithError(("wrong result: " + r.summary()).c_str());
      break;
    }
    executions += r.executions;
    events += r.events;
  }
  const auto per = [](std::uint64_t n) { return static_cast<double>(n); };
  state.counters["executions/s"] = benchmark::Counter(per(executions), benchmark::Counter::kIsRate);
  state.counters["s/event"] =
      benchmark::Counter(per(events), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.counters["peak_MB"] = peak_megabytes();
}

}  // namespace

int main(int argc, char** argv) {
  const auto programs = heddle::benchmarks::programs();
  for (const auto& program : programs)
    benchmark::RegisterBenchmark(std::string{program.name}.c_str(), [&program](
                                                                        benchmark::State& s) {
      run_program(s, program);
    })->Unit(benchmark::kMillisecond);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 3;
  benchmark::RunSpecifiedBenchmarks();
}
