#include "recording/recording_status.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <string_view>

#include "base/engine_signals.h"
#include "recording/recording_report.h"

namespace jprof {
namespace {

using Running = RecordingStatus::Running;

std::optional<int> SignalOf(const Running& recording, SampleKind kind) {
  return recording.signals[static_cast<size_t>(kind)];
}

uint64_t NativeThreads(const PrimingCounts& counts) {
  return counts.slots_in_use - std::min(counts.slots_in_use, counts.java_threads);
}

// The texts of the facts "found.", indexed by PrimingPath. The facts count all threads of this
// recording, including ended ones.
constexpr auto kFoundTexts =
    std::to_array<std::string_view>({"at the start", "by the JVM", "by pthread_create",
                                     "by looking for new ones", "by their first sample"});
static_assert(kFoundTexts.size() == kPrimingPathCount);

uint64_t Unsigned(Nanos nanos) { return nanos < 0 ? 0 : static_cast<uint64_t>(nanos); }

void AddThreadFacts(const PrimingCounts& counts, AgentFacts& facts) {
  facts.AddNumber("threads.java", counts.java_threads);
  facts.AddNumber("threads.native", NativeThreads(counts));
  for (size_t path = 0; path < kPrimingPathCount; ++path) {
    if (counts.threads[path] == 0) continue;
    facts.AddNumber("found." + std::string(kFoundTexts[path]) + ".threads", counts.threads[path]);
    const PrimeLatency& latency = counts.latency[path];
    if (latency.threads == 0) continue;
    const std::string later = "found." + std::string(kFoundTexts[path]) + ".after.";
    facts.AddNumber(later + "threads", latency.threads);
    facts.AddNumber(later + "totalNs", Unsigned(latency.total_ns));
    facts.AddNumber(later + "longestNs", Unsigned(latency.max_ns));
  }
}

void AddFacts(const Running& recording, AgentFacts& facts) {
  for (const std::string& engine : recording.engines) facts.AddText("engines[]", engine);
  for (const SampleKindRow& row : kSampleKinds) {
    const std::optional<int> signal = SignalOf(recording, row.kind);
    if (signal) facts.AddText(std::string("signals.") + row.name, SignalName(*signal));
  }
  if (recording.jvm_samples_by_sigprof && SignalOf(recording, SampleKind::kCpu) == SIGPROF) {
    facts.AddNumber("cpuTimeSampleBlocked", 1);
  }
  if (recording.has_virtual_threads && SignalOf(recording, SampleKind::kWall)) {
    facts.AddNumber("waitingVirtualThreadsMissing", 1);
  }
  facts.AddNumber("startTime", Unsigned(Nanos{recording.start_time} * kNanosPerSecond));
  facts.AddNumber("elapsedNs", Unsigned(recording.uptime_ns));
  if (recording.time_left_ns) facts.AddNumber("stopsInNs", Unsigned(*recording.time_left_ns));
  facts.AddText("file", recording.file);
  facts.AddNumber("fileBytes", static_cast<uint64_t>(recording.file_bytes));
  AddSummaryFacts(recording.summary, facts);
  for (const std::string& total : recording.totals) facts.AddText("totals[]", total);
  AddThreadFacts(recording.threads, facts);
  facts.AddNumber("cost.handlersNs", Unsigned(recording.summary.handler_ns));
  facts.AddNumber("cost.walksNs", Unsigned(recording.summary.walk_ns));
  facts.AddNumber("cost.threadsNs", Unsigned(recording.summary.own_threads_ns));
  facts.AddNumber("memoryBytes", recording.memory_bytes);
}

}  // namespace

AgentAnswer StatusAnswer(const RecordingStatus& status) {
  AgentAnswer answer{AnswerKind::kStatus};
  answer.facts.AddText("state", std::string(Text(status.phase)));
  if (!status.notice.empty()) answer.facts.AddText("note", status.notice);
  if (status.recording) AddFacts(*status.recording, answer.facts);
  return answer;
}

}  // namespace jprof
