#include "recording/recording_report.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <numeric>
#include <string>
#include <string_view>

#include "answers/amounts.h"
#include "base/engine_signals.h"
#include "base/no_samples_hint.h"

namespace jprof {
namespace {

// Adds the counts of a recording as facts for programs that read answers: how many samples are
// recorded, lost or outside of windows, and how many other things are missing.
void AddSummaryFacts(const RecordingSummary& summary, AgentFacts& facts) {
  const auto add = [&](const char* key, uint64_t number) {
    if (number != 0) facts.AddNumber(key, number);
  };
  facts.AddNumber("samples", summary.TotalRecorded());
  facts.AddNumber("lostSamples", summary.TotalLost());
  for (const SampleKindRow& row : kSampleKinds) {
    const auto kind = static_cast<size_t>(row.kind);
    const auto add_of_kind = [&](const std::string& what, uint64_t amount) {
      if (amount != 0) facts.AddNumber(AmountKey(what, row), amount);
    };
    add_of_kind("recorded", summary.recorded[kind]);
    add_of_kind("outsideOfWindows", summary.outside[kind]);
    for (size_t reason = 0; reason < kLostReasonCount; ++reason) {
      add_of_kind(std::string("lost.") + LossText(static_cast<LostReason>(reason)),
                  summary.lost[kind][reason]);
    }
    add_of_kind("lost.no thread slot", summary.lost_without_thread[kind]);
  }
  if (summary.windows) {
    facts.AddNumber("windows", summary.windows->windows);
    facts.AddNumber("windowsNs", static_cast<uint64_t>(summary.windows->open_ns));
  }
  add("samplesWithoutRoot", summary.TotalWithoutRoot());
  add("unwrittenEvents", summary.unwritten_events);
  add("unloadedMethods", summary.unloaded_methods);
  add("changedFiles", summary.changed_files);
  add("removedBytes", summary.removed_bytes);
  add("samplesWithoutContext", summary.unknown_virtual_threads);
  add("unstoredContexts", summary.unstored_contexts);
  add("refusedContexts", summary.refused_contexts);
}

using Running = RecordingStatus::Running;

std::optional<int> SignalOf(const Running& recording, SampleKind kind) {
  return recording.signals[static_cast<size_t>(kind)];
}

uint64_t NativeThreads(const PrimingCounts& counts) {
  return counts.slots_in_use - std::min(counts.slots_in_use, counts.java_threads);
}

// The texts in the keys "found.TEXT.threads" and "found.TEXT.after", indexed by PrimingPath. The
// facts count all threads of this recording, including ended ones.
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
  if (recording.lacks_waiting_virtual_threads && SignalOf(recording, SampleKind::kWall)) {
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

AgentAnswer SummaryAnswer(AnswerKind kind, const RecordingSummary& summary,
                          const std::string& path) {
  AgentAnswer answer{kind};
  answer.facts.AddText("file", path);
  AddSummaryFacts(summary, answer.facts);
  return answer;
}

std::vector<std::string> GapNotes(const RecordingSummary& summary) {
  constexpr uint64_t kPerPercent = 100;
  constexpr uint64_t kFewest = 10;  // fewer samples might have gaps by accident
  std::vector<std::string> notes;
  for (const SampleKindRow& row : kSampleKinds) {
    const uint64_t all = summary.recorded[static_cast<size_t>(row.kind)];
    const uint64_t gaps = summary.with_gaps[static_cast<size_t>(row.kind)];
    const uint64_t samples = summary.samples_with_gaps[static_cast<size_t>(row.kind)];
    if (samples < kFewest || gaps <= all / kPerPercent) continue;
    char share[16];
    std::snprintf(share, sizeof share, "%.1f",
                  100 * static_cast<double>(gaps) / static_cast<double>(all));
    notes.push_back("warning: in " + std::string(share) + " % of " + row.name +
                    " frames were not found or have no names: jprof view losses tells why");
  }
  return notes;
}

std::vector<std::string> NoSamplesNotes(const RecordingSummary& summary,
                                        const RequestedEvents& requested) {
  std::optional<uint64_t> windows;
  if (summary.windows) windows = summary.windows->windows;
  if (windows == 0) return {"warning: no window: nothing that begins one was called"};
  std::vector<std::string> notes;
  for (const SampleKindRow& row : kSampleKinds) {
    const KindSettings& settings = requested.samples[row.kind];
    const auto kind = static_cast<size_t>(row.kind);
    const auto& lost = summary.lost[kind];
    const uint64_t taken =
        std::accumulate(lost.begin(), lost.end(), summary.recorded[kind] + summary.outside[kind]);
    // These kinds can rightly be empty: the program might have had no slow call, no wait for a lock
    // or no closed span.
    const bool may_be_none = row.unit == WeightUnit::kDuration || row.unit == WeightUnit::kCount;
    if (!settings.enabled() || taken != 0 || may_be_none) continue;
    notes.push_back("warning: " +
                    NoSamplesHint(row.name, settings.interval, requested.filter, windows));
  }
  return notes;
}

AgentAnswer StatusAnswer(const RecordingStatus& status) {
  AgentAnswer answer{AnswerKind::kStatus};
  answer.facts.AddText("state", std::string(Text(status.phase)));
  if (!status.notice.empty()) answer.facts.AddText("note", status.notice);
  if (status.recording) AddFacts(*status.recording, answer.facts);
  return answer;
}

}  // namespace jprof
