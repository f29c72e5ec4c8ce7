#include "recording/recording_report.h"

#include <cstdio>
#include <numeric>
#include <string>

#include "answers/amounts.h"
#include "base/no_samples_hint.h"

namespace jprof {

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

AgentAnswer SummaryAnswer(AnswerKind kind, const RecordingSummary& summary,
                          const std::string& path) {
  AgentAnswer answer{kind};
  answer.facts.AddText("file", path);
  AddSummaryFacts(summary, answer.facts);
  return answer;
}

std::vector<std::string> GapNotes(const RecordingSummary& summary) {
  constexpr uint64_t kPerPercent = 100;
  constexpr uint64_t kFewest = 10;  // fewer might be chance
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
    // No samples are a valid result if no call was slow, no thread waited for a lock, or no span
    // was closed.
    const bool may_be_none = row.unit == WeightUnit::kDuration || row.unit == WeightUnit::kCount;
    if (!settings.enabled() || taken != 0 || may_be_none) continue;
    notes.push_back("warning: " +
                    NoSamplesHint(row.name, settings.interval, requested.filter, windows));
  }
  return notes;
}

}  // namespace jprof
