#include "recording/recording_facts.h"

#include <string>

namespace jprof {
namespace {

// The last name of a key: what an amount of a kind counts.
const char* NameOf(WeightUnit unit) {
  switch (unit) {
    case WeightUnit::kBytes:
      return ".bytes";
    case WeightUnit::kDuration:
      return ".ns";
    case WeightUnit::kCount:
      return ".count";
    default:
      return ".samples";
  }
}

}  // namespace

void AddSummaryFacts(const RecordingSummary& summary, AgentFacts& facts) {
  const auto add = [&](const char* key, uint64_t number) {
    if (number != 0) facts.Number(key, number);
  };
  facts.Number("samples", summary.TotalRecorded());
  facts.Number("lostSamples", summary.TotalLost());
  for (const SampleKindRow& row : kSampleKinds) {
    const auto kind = static_cast<size_t>(row.kind);
    const auto add_of_kind = [&](const std::string& what, uint64_t amount) {
      if (amount != 0) facts.Number(what + row.name + NameOf(row.unit), amount);
    };
    add_of_kind("recorded.", summary.recorded[kind]);
    add_of_kind("outsideOfWindows.", summary.outside[kind]);
    for (size_t reason = 0; reason < kLostReasonCount; ++reason) {
      add_of_kind("lost." + std::string(LossText(static_cast<LostReason>(reason))) + '.',
                  summary.lost[kind][reason]);
    }
    add_of_kind("lost.no thread slot.", summary.lost_without_thread[kind]);
  }
  if (summary.windows) {
    facts.Number("windows", summary.windows->windows);
    facts.Number("windowsNs", static_cast<uint64_t>(summary.windows->open_ns));
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

}  // namespace jprof
