// Prints figures of a recording of any profiler, for scripts/bench.
//
//   recording_figures RECORDING cpu|wall [class=CLASS] [thread=NAME] [begin=NANOS] [end=NANOS]
//
// Prints key=value lines about the samples of that clock. The lines from `intervals` to `part`
// count intervals:
//   bytes                   the size of the file
//   samples.all             the number of events of the clock
//   samples                 the events of the thread from begin to end (nanoseconds of the epoch)
//   intervals               the intervals that these events stand for
//   stacks.empty            the intervals whose stack has no frame
//   stacks.unknown          the intervals of empty stacks and of stacks with an unknown frame
//   stacks.rootless         the intervals whose stack is cut off, or whose outermost frame is not
//                           where a thread starts
//   rootless.NAME           the rootless intervals by the name of their outermost frame
//   unknown.NAME            the unknown intervals by the name of their outermost unknown frame
//   part.METHOD             the intervals by their innermost frame that is a method of CLASS;
//                           METHOD is (none) if there is no such frame
//   time.PART               the nanoseconds that the profiler itself took for the whole recording,
//                           by part (profiler.ProfilerTime), if the profiler records them
#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jfr/reader/jfr_reader.h"
#include "profile/sample_reader.h"

namespace jprof::profile {
namespace {

constexpr std::string_view kTruncated = "[truncated stack]";

// The kinds of events that profilers use for the CPU clock (sigsafe/base/sample_kinds.def).
constexpr std::array<std::string_view, 3> kCpuKinds = {"cpu", "cpu-time",
                                                       "datadog.ExecutionSample"};
// The same for elapsed time. JDK Flight Recorder does not sample elapsed time, but has samples of
// running threads ("cpu") and of threads in native code ("native").
constexpr std::array<std::string_view, 4> kWallKinds = {"wall", "datadog.MethodSample", "cpu",
                                                        "native"};

// Native functions in which threads start. (kJavaRoots has the Java methods that the JVM itself
// calls.)
constexpr std::array<std::string_view, 6> kNativeRoots = {
    "clone", "start_thread", "_start", "JavaMain", "libc_start", "thread_native_entry"};
constexpr std::array<std::string_view, 11> kJavaRoots = {
    "run",  "main",     "checkAndLoadMain",          "initPhase1", "initPhase2", "initPhase3",
    "exit", "shutdown", "dispatchUncaughtException", "loadClass",  "<clinit>"};
// The class whose methods mount virtual threads; one of these methods is native.
constexpr std::string_view kContinuation = "jdk.internal.vm.Continuation";

// The properties of one stack, computed at its first sample.
struct StackFacts {
  bool is_known = false;
  bool is_empty = false;
  bool has_unknown = false;
  bool is_rootless = false;
  uint32_t part = 0;     // index of a text; 0 if there is none
  uint32_t root = 0;     // index of a text
  uint32_t unknown = 0;  // index of a text
};

void PrintCounts(const char* prefix, const std::map<std::string, uint64_t>& counts) {
  for (const auto& [name, count] : counts) std::printf("%s.%s=%lu\n", prefix, name.c_str(), count);
}

enum class Clock : uint8_t { kCpu, kWall };

// The request of the command line: the samples that count, and the class whose methods are the
// parts.
struct Question {
  Clock clock = Clock::kCpu;
  std::string part_class, thread;  // empty for no parts and all threads
  int64_t begin_ns = 0;
  int64_t end_ns = std::numeric_limits<int64_t>::max();
};

class Figures : public SampleSink {
 public:
  Figures(const Profile& profile, Question question)
      : profile_(profile), question_(std::move(question)) {}

  void OnSample(const Sample& sample) override {
    if (!IsOfClock(profile_.kinds[sample.kind].name)) return;
    ++all_;
    if (!IsAskedFor(sample)) return;
    const StackFacts& facts = FactsOf(sample.stack);
    ++samples_;
    intervals_ += sample.samples;
    if (facts.is_empty) empty_ += sample.samples;
    if (facts.has_unknown) {
      unknown_ += sample.samples;
      unknown_names_[profile_.texts[facts.unknown]] += sample.samples;
    }
    if (facts.is_rootless) {
      rootless_ += sample.samples;
      roots_[profile_.texts[facts.root]] += sample.samples;
    }
    if (question_.part_class.empty()) return;
    parts_[facts.part == 0 ? "(none)" : profile_.texts[facts.part]] += sample.samples;
  }

  void Print() const {
    std::printf("samples.all=%lu\nsamples=%lu\nintervals=%lu\n", all_, samples_, intervals_);
    std::printf("stacks.empty=%lu\nstacks.unknown=%lu\nstacks.rootless=%lu\n", empty_, unknown_,
                rootless_);
    PrintCounts("rootless", roots_);
    PrintCounts("unknown", unknown_names_);
    PrintCounts("part", parts_);
  }

 private:
  bool IsOfClock(std::string_view kind) const {
    const auto is_kind = [kind](std::string_view each) { return each == kind; };
    return question_.clock == Clock::kWall ? std::ranges::any_of(kWallKinds, is_kind)
                                           : std::ranges::any_of(kCpuKinds, is_kind);
  }

  bool IsAskedFor(const Sample& sample) const {
    return sample.time_ns >= question_.begin_ns && sample.time_ns < question_.end_ns &&
           (question_.thread.empty() || profile_.ThreadName(sample.thread) == question_.thread);
  }

  const StackFacts& FactsOf(uint32_t stack) {
    if (facts_.size() <= stack) facts_.resize(profile_.stacks.size());
    StackFacts& facts = facts_[stack];
    if (!facts.is_known) Find(stack, facts);
    return facts;
  }

  // Computes `facts` from the frames of the stack, innermost frame first.
  void Find(uint32_t stack, StackFacts& facts) const {
    const ProfileFrame* outermost = nullptr;
    bool is_truncated = false;
    for (uint32_t node = stack; node != CallTree::kRoot; node = profile_.stacks.parent(node)) {
      const ProfileFrame& frame = profile_.frames()[profile_.stacks.frame(node)];
      const ProfileMethod& method = profile_.methods()[frame.method];
      const std::string_view name = profile_.texts[method.name];
      if (name == kTruncated) {
        is_truncated = true;
        continue;
      }
      if (frame.kind != FrameKind::kMarker) outermost = &frame;
      if (frame.kind == FrameKind::kMarker || IsUnknown(name)) {
        facts.has_unknown = true;
        facts.unknown = method.name;
      }
      const bool is_part = profile_.texts[method.owner] == question_.part_class;
      if (is_part && facts.part == 0) facts.part = method.name;
    }
    facts.is_known = true;
    facts.is_empty = outermost == nullptr;
    if (facts.is_empty) facts.has_unknown = true;
    facts.is_rootless = !facts.is_empty && (is_truncated || !IsRoot(*outermost));
    if (outermost != nullptr) facts.root = profile_.methods()[outermost->method].name;
  }

  static bool IsUnknown(std::string_view name) {
    return name.empty() || name == "unknown" || name.starts_with('[');
  }

  bool IsRoot(const ProfileFrame& frame) const {
    const ProfileMethod& method = profile_.methods()[frame.method];
    const std::string_view name = profile_.texts[method.name];
    if (profile_.texts[method.owner] == kContinuation) return name.starts_with("enter");
    if (frame.kind == FrameKind::kNative || frame.kind == FrameKind::kCpp) {
      return std::ranges::any_of(kNativeRoots, [name](std::string_view root) {
        return name.find(root) != std::string_view::npos;
      });
    }
    return std::ranges::find(kJavaRoots, name) != kJavaRoots.end();
  }

  const Profile& profile_;
  const Question question_;
  std::vector<StackFacts> facts_;  // indexed by stack
  uint64_t all_ = 0, samples_ = 0, intervals_ = 0;
  uint64_t empty_ = 0, unknown_ = 0, rootless_ = 0;
  std::map<std::string, uint64_t> roots_, unknown_names_, parts_;
};

class OwnTime : public JfrVisitor {
 public:
  bool Wants(const RecordedType& type) override { return type.name == "profiler.ProfilerTime"; }
  void OnEvent(const JfrEvent& event) override {
    totals_[event.Field("part").String()] = event.Field("total").Nanos();
  }
  void Print() const {
    for (const auto& [part, nanos] : totals_) std::printf("time.%s=%ld\n", part.c_str(), nanos);
  }

 private:
  std::map<std::string, int64_t> totals_;
};

// Parses the command line. Returns nullopt if a word is unknown.
std::optional<Question> QuestionOf(const std::vector<std::string>& words) {
  Question question;
  if (words.size() < 2 || (words[1] != "cpu" && words[1] != "wall")) return std::nullopt;
  if (words[1] == "wall") question.clock = Clock::kWall;
  for (size_t i = 2; i < words.size(); ++i) {
    const size_t equals = words[i].find('=');
    if (equals == std::string::npos) return std::nullopt;
    const std::string key = words[i].substr(0, equals);
    const std::string value = words[i].substr(equals + 1);
    if (key == "class") {
      question.part_class = value;
    } else if (key == "thread") {
      question.thread = value;
    } else if (key == "begin" || key == "end") {
      (key == "begin" ? question.begin_ns : question.end_ns) =
          std::strtoll(value.c_str(), nullptr, 10);
    } else {
      return std::nullopt;
    }
  }
  return question;
}

int Main(const std::vector<std::string>& words) {
  std::optional<Question> question = QuestionOf(words);
  if (!question) {
    std::fprintf(stderr,
                 "usage: recording_figures RECORDING cpu|wall [class=CLASS] "
                 "[thread=NAME] [begin=NANOS] [end=NANOS]\n");
    return 2;
  }
  Profile profile;
  Figures figures(profile, *std::move(question));
  const auto read = ReadSamples(words[0], LineNumbers::kDrop, profile, figures);
  if (!read.ok()) {
    std::fprintf(stderr, "%s\n", read.error().message().c_str());
    return 1;
  }
  std::printf("bytes=%ju\n", static_cast<uintmax_t>(std::filesystem::file_size(words[0])));
  figures.Print();
  OwnTime own;
  if (ReadJfr(words[0], own).ok()) own.Print();
  return 0;
}

}  // namespace
}  // namespace jprof::profile

int main(int argc, char** argv) { return jprof::profile::Main({argv + 1, argv + argc}); }
