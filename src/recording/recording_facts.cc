#include "recording/recording_facts.h"

#include <string>

#include "answers/amounts.h"

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

}  // namespace jprof
