// The offline half: MB/s of the reader, and time and peak memory of a 100 MB recording on its way
// to a flame graph. Peak memory is that of a child process that does nothing else.
#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "formats/convert.h"
#include "profile/sample_reader.h"
#include "profile/synthetic_recording.h"
#include "support/temp_folder.h"

namespace jprof {
namespace {

using namespace profile;  // NOLINT(google-build-using-namespace): the module measured here

constexpr int64_t kBytes = 100'000'000;

const test::TempFolder& Folder() {
  static const test::TempFolder folder;
  return folder;
}

const std::string& Recording() {
  static const std::string path = [] {
    std::string file = Folder().File("big.jfr");
    if (!test::MakeRecording(file, {.bytes = kBytes})) std::abort();
    return file;
  }();
  return path;
}

class NullVisitor : public JfrVisitor {
 public:
  bool Wants(const JfrType&) override { return true; }
  void OnEvent(const JfrEvent& event) override { benchmark::DoNotOptimize(&event); }
};

class NullSink : public SampleSink {
 public:
  void OnSample(const Sample& sample) override { benchmark::DoNotOptimize(sample.stack); }
};

void SetBytes(benchmark::State& state) {
  const auto size = static_cast<int64_t>(std::filesystem::file_size(Recording()));
  state.SetBytesProcessed(state.iterations() * size);
  state.counters["file_MB"] = static_cast<double>(size) / 1e6;
}

void ReadEvents(benchmark::State& state) {
  while (state.KeepRunning()) {
    NullVisitor visitor;
    if (!ReadJfr(Recording(), visitor)) state.SkipWithError("cannot read");
  }
  SetBytes(state);
}
BENCHMARK(ReadEvents)->Unit(benchmark::kMillisecond);

void ReadAllSamples(benchmark::State& state) {
  while (state.KeepRunning()) {
    Profile profile;
    NullSink sink;
    if (!ReadSamples(Recording(), LineNumbers::kKeep, profile, sink)) {
      state.SkipWithError("cannot read");
    }
  }
  SetBytes(state);
}
BENCHMARK(ReadAllSamples)->Unit(benchmark::kMillisecond);

// In a child, whose peak memory is then that of the conversion.
void ConvertTo(benchmark::State& state, const std::string& output) {
  const std::string& input = Recording();
  double peak_mb = 0;
  while (state.KeepRunning()) {
    const pid_t child = fork();
    if (child == 0) _exit(Convert(input, Folder().File(output)).ok() ? 0 : 1);
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    if (status != 0) state.SkipWithError("cannot convert");
    peak_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  }
  SetBytes(state);
  state.counters["peak_MB"] = peak_mb;
  state.counters["output_MB"] =
      static_cast<double>(std::filesystem::file_size(Folder().File(output))) / 1e6;
}

void FlameGraph(benchmark::State& state) { ConvertTo(state, "big.html"); }
BENCHMARK(FlameGraph)->Unit(benchmark::kMillisecond)->UseRealTime();

void Collapsed(benchmark::State& state) { ConvertTo(state, "big.collapsed"); }
BENCHMARK(Collapsed)->Unit(benchmark::kMillisecond)->UseRealTime();

}  // namespace
}  // namespace jprof

BENCHMARK_MAIN();
