// Measures the reading and conversion of recordings: the MB/s of the reader, and the time and peak
// memory of the conversion of a 100 MB recording to every format. Each conversion runs in a child
// process that does nothing else, whose peak memory is reported.
//
// Measures the same for a recording in which all stacks differ (random walks), and for every view.
//
//   profile_bench --keep=FILE [--megabytes=N]   makes the recording in FILE and keeps it, for
//                                               other converters (scripts/bench convert)
//   profile_bench --walks --keep=FILE ...       makes the recording in which all stacks differ
#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "conversion/all_formats.h"
#include "formats/convert_to.h"
#include "profile/sample_reader.h"
#include "profile/synthetic_recording.h"
#include "support/temp_folder.h"
#include "views/view_table.h"

namespace jprof {

static std::string kept_path;  // if empty, the recording is removed when the program ends
static bool keeps_walks = false;
static int64_t megabytes = 100;

namespace {

using namespace profile;  // NOLINT(google-build-using-namespace): the module measured here

constexpr int64_t kMegabyte = 1'000'000;

const test::TempFolder& Folder() {
  static const test::TempFolder folder;
  return folder;
}

enum class Stacks : uint8_t { kFew, kAllDifferent };

std::string MadeRecording(Stacks stacks) {
  const bool are_different = stacks == Stacks::kAllDifferent;
  const bool is_kept = !kept_path.empty() && are_different == keeps_walks;
  std::string file = is_kept ? kept_path : Folder().File(are_different ? "walks.jfr" : "big.jfr");
  test::SyntheticRecording made{.bytes = megabytes * kMegabyte};
  if (are_different) {
    made.depth = 24;
    made.methods = 200;
    made.walks = true;
  }
  if (!test::MakeRecording(file, made)) std::abort();
  return file;
}

const std::string& Recording(Stacks stacks = Stacks::kFew) {
  static const std::string few = MadeRecording(Stacks::kFew);
  if (stacks == Stacks::kFew) return few;
  static const std::string different = MadeRecording(Stacks::kAllDifferent);
  return different;
}

class NullVisitor : public JfrVisitor {
 public:
  bool Wants(const RecordedType&) override { return true; }
  void OnEvent(const JfrEvent& event) override { benchmark::DoNotOptimize(&event); }
};

class NullSink : public SampleSink {
 public:
  void OnSample(const Sample& sample) override { benchmark::DoNotOptimize(sample.stack); }
};

void SetBytes(benchmark::State& state, Stacks stacks = Stacks::kFew) {
  const auto size = static_cast<int64_t>(std::filesystem::file_size(Recording(stacks)));
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

// Converts the recording in a child process, so that the child's peak memory is that of the
// conversion.
void ConvertTo(benchmark::State& state, const FormatRow& format, Stacks stacks) {
  const std::string& input = Recording(stacks);
  const std::string output = Folder().File(std::string(format.name));
  const ScopedFd fd(open(output.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  double peak_mb = 0;
  while (state.KeepRunning()) {
    if (ftruncate(fd.get(), 0) != 0 || lseek(fd.get(), 0, SEEK_SET) != 0) std::abort();
    const pid_t child = fork();
    if (child == 0) _exit(test::ConvertTo(input, format, fd.get()).ok() ? 0 : 1);
    int status = 0;
    rusage usage{};
    wait4(child, &status, 0, &usage);
    if (status != 0) state.SkipWithError("cannot convert");
    peak_mb = static_cast<double>(usage.ru_maxrss) / 1024;
  }
  SetBytes(state, stacks);
  state.counters["peak_MB"] = peak_mb;
  state.counters["output_MB"] = static_cast<double>(std::filesystem::file_size(output)) / 1e6;
}

void Add(const std::string& name, const FormatRow& format, Stacks stacks) {
  benchmark::RegisterBenchmark(
      name.c_str(),
      [&format, stacks](benchmark::State& state) { ConvertTo(state, format, stacks); })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

void AddFormats() {
  for (const FormatRow& format : AllFormats().rows()) {
    Add("ConvertTo/" + std::string(format.name), format, Stacks::kFew);
    Add("DifferentStacksTo/" + std::string(format.name), format, Stacks::kAllDifferent);
  }
  for (const FormatRow& view : Views()) {
    Add("View/" + std::string(view.name), view, Stacks::kFew);
    Add("DifferentStacksView/" + std::string(view.name), view, Stacks::kAllDifferent);
  }
}

}  // namespace
}  // namespace jprof

int main(int count, char** arguments) {
  constexpr std::string_view kKeep = "--keep=";
  constexpr std::string_view kMegabytes = "--megabytes=";
  constexpr std::string_view kWalks = "--walks";
  std::vector<char*> rest;
  for (char* argument : std::span(arguments, static_cast<size_t>(count))) {
    const std::string_view word(argument);
    if (word.starts_with(kKeep)) {
      jprof::kept_path = word.substr(kKeep.size());
    } else if (word.starts_with(kMegabytes)) {
      jprof::megabytes = std::atoll(argument + kMegabytes.size());
    } else if (word == kWalks) {
      jprof::keeps_walks = true;
    } else {
      rest.push_back(argument);
    }
  }
  auto left = static_cast<int>(rest.size());
  benchmark::Initialize(&left, rest.data());
  jprof::AddFormats();
  if (!jprof::kept_path.empty()) {
    using jprof::Stacks;
    jprof::Recording(jprof::keeps_walks ? Stacks::kAllDifferent : Stacks::kFew);
  }
  benchmark::RunSpecifiedBenchmarks();
}
