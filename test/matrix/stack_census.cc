#include "matrix/stack_census.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "profile/sample_reader.h"

namespace jprof::test {
namespace {

using profile::CallTree;
using profile::FrameKind;
using profile::LineNumbers;
using profile::Profile;
using profile::ProfileFrame;
using profile::ProfileMethod;
using profile::ProfileThread;
using profile::Sample;
using profile::SampleSink;

constexpr std::string_view kNoSymbol = "[unknown]";

// Methods that the JVM itself calls: the bodies of threads, and methods of start-up, shutdown and
// class loading.
constexpr std::string_view kEntries[] = {
    "java.lang.Thread.run",
    "java.lang.Thread.exit",
    "java.lang.Thread.<init>",
    "java.lang.Thread.init",
    "java.lang.Thread.uncaughtException",
    "java.lang.Thread.dispatchUncaughtException",
    "java.lang.Shutdown.shutdown",
    "java.lang.System.getProperty",
    "java.lang.ref.Reference$ReferenceHandler.run",
    "java.lang.ref.Finalizer$FinalizerThread.run",
    "java.util.concurrent.ForkJoinWorkerThread.run",
    "jdk.internal.misc.InnocuousThread.run",
    "sun.misc.InnocuousThread.run",
};

// Methods that the JVM can call in any class.
constexpr std::string_view kEntryMethods[] = {"main", "<clinit>"};

// The launcher, a C program, calls the methods of this class.
constexpr std::string_view kLauncherHelper = "sun.launcher.LauncherHelper";

// Markers in place of stacks, for CPU time without a signal. They are not walks.
constexpr std::string_view kNoWalk[] = {"[before the first sample]", "[thread end]"};

bool Holds(const auto& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// What is wrong with one stack; both texts are empty if nothing is.
struct Verdict {
  std::string unrooted;
  std::string unknown;
};

class Judge {
 public:
  explicit Judge(const Profile& profile) : profile_(profile) {}

  const Verdict& Of(uint32_t stack) {
    const auto [entry, is_new] = verdicts_.try_emplace(stack);
    if (is_new) entry->second = Look(stack);
    return entry->second;
  }

 private:
  Verdict Look(uint32_t stack) const {
    Verdict verdict;
    uint32_t outermost = stack;
    for (uint32_t node = stack; node != CallTree::kRoot; node = profile_.stacks.parent(node)) {
      outermost = node;
      const ProfileFrame& frame = profile_.frames()[profile_.stacks.frame(node)];
      const ProfileMethod& method = profile_.methods()[frame.method];
      const std::string_view name = profile_.texts[method.name];
      if (frame.kind == FrameKind::kMarker && name != kNoSymbol) {
        if (IsJavaWithoutName(name)) {
          verdict.unknown = name;
        } else {
          verdict.unrooted = name;
        }
      } else if (name == kNoSymbol && profile_.texts[method.owner] == "[generated code]") {
        verdict.unknown = "[generated code without a name]";
      } else if (IsJavaWithoutName(name)) {
        verdict.unknown = name;
      }
    }
    if (verdict.unrooted.empty() && !IsEntry(outermost)) {
      const uint32_t frame = profile_.stacks.frame(outermost);
      verdict.unrooted = "ends in " + profile_.FrameText(frame);
    }
    return verdict;
  }

  static bool IsJavaWithoutName(std::string_view name) {
    return name == "[no method id]" || name == "[unloaded class]" || name == "[no method name]" ||
           name == "[unknown method]";
  }

  bool IsEntry(uint32_t node) const {
    const ProfileFrame& frame = profile_.frames()[profile_.stacks.frame(node)];
    const ProfileMethod& method = profile_.methods()[frame.method];
    const bool is_native = profile_.texts[method.descriptor].empty();
    if (is_native) {
      return frame.kind != FrameKind::kMarker || profile_.texts[method.name] == kNoSymbol;
    }
    return Holds(kEntries, profile_.MethodText(frame.method)) ||
           profile_.texts[method.owner] == kLauncherHelper ||
           Holds(kEntryMethods, profile_.texts[method.name]);
  }

  const Profile& profile_;
  std::unordered_map<uint32_t, Verdict> verdicts_;
};

class Counter : public SampleSink {
 public:
  Counter(const Profile& profile, std::string kind)
      : profile_(profile), kind_(std::move(kind)), judge_(profile) {}

  void OnSample(const Sample& sample) override {
    if (profile_.kinds[sample.kind].name != kind_) return;
    census_.samples += sample.samples;
    const ProfileThread& thread = profile_.threads()[sample.thread];
    if (profile_.texts[thread.java_name].empty() && !thread.is_virtual) return;
    const Verdict& verdict = judge_.Of(sample.stack);
    if (Holds(kNoWalk, verdict.unrooted)) return;
    census_.walks += sample.samples;
    if (verdict.unrooted.empty()) census_.rooted += sample.samples;
    if (!verdict.unknown.empty()) census_.unknown += sample.samples;
    for (const std::string& failure : {verdict.unrooted, verdict.unknown}) {
      if (!failure.empty()) census_.failures[failure] += sample.samples;
    }
  }

  StackCensus Take() { return std::move(census_); }

 private:
  const Profile& profile_;
  const std::string kind_;
  Judge judge_;
  StackCensus census_;
};

double Percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace

double StackCensus::RootedPercent() const { return Percent(rooted, walks); }
double StackCensus::UnknownPercent() const { return Percent(unknown, walks); }

Result<StackCensus> TakeStackCensus(const std::string& recording, const std::string& kind) {
  Profile profile;
  Counter counter(profile, kind);
  const auto report = ReadSamples(recording, LineNumbers::kDrop, profile, counter);
  if (!report) return report.error();
  if (!report.value().complete()) return Error(recording + ": " + report.value().missing);
  return counter.Take();
}

}  // namespace jprof::test
