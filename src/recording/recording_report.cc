#include "recording/recording_report.h"

#include <cinttypes>
#include <cstdio>
#include <numeric>

#include "base/duration_text.h"
#include "base/no_samples_hint.h"
#include "recording/recording_facts.h"

namespace jprof {
namespace {

// Appends "N text" to a parenthesised list, unless N is 0.
void AddPart(std::string& list, uint64_t count, const std::string& text) {
  if (count == 0) return;
  list += (list.empty() ? "" : ", ") + std::to_string(count) + ' ' + text;
}

std::string WithParts(uint64_t total, const char* counted, const std::string& parts) {
  std::string text = std::to_string(total) + ' ' + counted;
  if (!parts.empty()) text += " (" + parts + ')';
  return text;
}

// "1234 samples (1000 cpu, 234 wall), 4096 bytes of alloc as sampled".
std::string AmountsText(const std::array<uint64_t, kSampleKindCount>& amounts, uint64_t total,
                        const char* counted) {
  std::string parts;
  std::string others;
  for (const SampleKindRow& row : kSampleKinds) {
    const uint64_t amount = amounts[static_cast<size_t>(row.kind)];
    if (IsCutIntoIntervals(row.unit)) {
      AddPart(parts, amount, row.name);
    } else if (amount != 0) {
      others += ", " + AmountText(row, amount);
    }
  }
  return WithParts(total, counted, parts) + others;
}

AgentAnswer OutcomeAnswer(const char* what, const RecordingSummary& summary,
                          const std::string& path) {
  const std::string windows = WindowsText(summary);
  const std::string counts = what + (": " + RecordedText(summary)) + ", " + LostText(summary) +
                             (windows.empty() ? "" : ", " + windows);
  std::string notes;
  AddPart(notes, summary.unwritten_events, "events not written");
  AddPart(notes, summary.unloaded_methods, "methods unloaded before they were named");
  AddPart(notes, summary.changed_files, "files changed by another program");
  AddPart(notes, summary.removed_bytes, "bytes lost with them");
  AddPart(notes, summary.unknown_virtual_threads,
          "samples without context, perhaps of virtual threads that this JVM does not name there");
  if (const uint64_t count = summary.TotalWithoutRoot(); count != 0) {
    notes += (notes.empty() ? "" : ", ") + WithoutRootText(count);
  }
  AddPart(notes, summary.unstored_contexts, "contexts not stored: more memlimit holds them");
  AddPart(notes, summary.refused_contexts,
          "contexts not kept: too many virtual threads have one, or no memory");
  if (!notes.empty()) notes = " (" + notes + ')';
  AgentAnswer answer = {
      .text = counts + " in " + path + notes, .outcome = counts + notes, .file = path};
  AddSummaryFacts(summary, answer.facts);
  return answer;
}

}  // namespace

std::string AmountText(const SampleKindRow& kind, uint64_t amount) {
  switch (kind.unit) {
    case WeightUnit::kBytes:
      return std::to_string(amount) + " bytes of " + kind.name + " as sampled";
    case WeightUnit::kCount:
      return std::to_string(amount) + ' ' + kind.name;
    default:
      return RoundedDurationText(static_cast<Nanos>(amount)) + " of " + kind.name;
  }
}

std::string RecordedText(const RecordingSummary& summary) {
  return AmountsText(summary.recorded, summary.TotalRecorded(), "samples");
}

std::string LostText(const RecordingSummary& summary) {
  std::string parts;
  for (size_t reason = 0; reason < kLostReasonCount; ++reason) {
    AddPart(parts, summary.LostBy(static_cast<LostReason>(reason)),
            LossText(static_cast<LostReason>(reason)));
  }
  AddPart(parts, summary.LostWithoutThread(), "no thread slot");
  std::string others;
  for (const SampleKindRow& row : kSampleKinds) {
    const uint64_t lost = summary.LostOf(row.kind);
    if (!IsCutIntoIntervals(row.unit) && lost != 0) others += ", " + AmountText(row, lost);
  }
  return WithParts(summary.TotalLost(), "lost", parts) + others;
}

std::string WithoutRootText(uint64_t samples) {
  return std::to_string(samples) + (samples == 1 ? " sample" : " samples") +
         " without the root of the stack, which was too deep to walk for each";
}

std::string WindowsText(const RecordingSummary& summary) {
  if (!summary.windows) return "";
  const uint64_t windows = summary.windows->windows;
  return std::to_string(windows) + (windows == 1 ? " window" : " windows") + " of " +
         RoundedDurationText(summary.windows->open_ns) + ", " +
         AmountsText(summary.outside, summary.TotalOutside(), "outside");
}

std::string SinceText(time_t start, Nanos ago_ns) {
  constexpr Nanos kMinute = 60 * kNanosPerSecond;
  std::tm local{};
  localtime_r(&start, &local);
  char time[32];
  const size_t length = std::strftime(time, sizeof time, "%Y-%m-%d %H:%M:%S", &local);
  char ago[48];
  if (ago_ns < 2 * kMinute) {
    std::snprintf(ago, sizeof ago, " (%.1f s ago)", static_cast<double>(ago_ns) / 1e9);
  } else if (ago_ns < 120 * kMinute) {
    std::snprintf(ago, sizeof ago, " (%" PRId64 " min ago)", ago_ns / kMinute);
  } else {
    std::snprintf(ago, sizeof ago, " (%" PRId64 " h ago)", ago_ns / (60 * kMinute));
  }
  return std::string(time, length) + ago;
}

std::string StartLine(const std::vector<std::unique_ptr<Engine>>& engines,
                      const std::string& path) {
  std::string list;
  for (const auto& engine : engines) {
    list += (list.empty() ? "" : ", ") + engine->Description();
  }
  return "recording " + list + " to " + path;
}

AgentAnswer DumpAnswer(const RecordingSummary& summary, const std::string& path) {
  AgentAnswer answer = OutcomeAnswer("dumped", summary, path);
  answer.text += "; the recording goes on";
  return answer;
}

std::vector<std::string> GapNotes(const RecordingSummary& summary) {
  constexpr uint64_t kPerPercent = 100;
  constexpr uint64_t kFewest = 10;  // fewer may be chance
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
    // That no call was slow, no lock waited for, or no span closed, is a result.
    const bool may_be_none = row.unit == WeightUnit::kDuration || row.unit == WeightUnit::kCount;
    if (!settings.enabled() || taken != 0 || may_be_none) continue;
    notes.push_back("warning: " +
                    NoSamplesHint(row.name, settings.interval, requested.filter, windows));
  }
  return notes;
}

AgentAnswer ExitAnswer(const RecordingSummary& summary, const std::string& path) {
  return OutcomeAnswer("ended with the JVM", summary, path);
}

AgentAnswer StopAnswer(const RecordingSummary& summary, const std::string& path) {
  return OutcomeAnswer("stopped", summary, path);
}

}  // namespace jprof
