#include "recording/recording_status.h"

#include <algorithm>
#include <array>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "base/duration_text.h"
#include "base/engine_signals.h"
#include "base/size_text.h"
#include "recording/recording_facts.h"
#include "recording/recording_report.h"

namespace jprof {
namespace {

using Running = RecordingStatus::Running;

std::string Seconds(Nanos nanos) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(nanos) / 1e9);
  return text;
}

std::string EnginesText(const Running& recording) {
  std::string text;
  for (const std::string& engine : recording.engines) text += (text.empty() ? "" : ", ") + engine;
  return text;
}

std::string TotalsText(const Running& recording) {
  std::string text;
  for (const std::string& line : recording.totals) {
    text += (text.empty() ? "" : "\n          ") + line;
  }
  return text;
}

std::optional<int> SignalOf(const Running& recording, SampleKind kind) {
  return recording.signals[static_cast<size_t>(kind)];
}

// "SIGPROF for cpu, SIGVTALRM for wall", and who else would like to have one of them.
std::string SignalsText(const Running& recording) {
  std::string text;
  for (const SampleKindRow& row : kSampleKinds) {
    const std::optional<int> signal = SignalOf(recording, row.kind);
    if (signal) text += (text.empty() ? "" : ", ") + SignalName(*signal) + " for " + row.name;
  }
  if (recording.jvm_samples_by_sigprof && SignalOf(recording, SampleKind::kCpu) == SIGPROF) {
    text += "; Flight Recorder cannot begin jdk.CPUTimeSample meanwhile, with signal=" +
            std::string(kCpuSignals[1].name) + " it can";
  }
  return text;
}

std::string VirtualText(const Running& recording) {
  const bool misses_some = recording.has_virtual_threads && SignalOf(recording, SampleKind::kWall);
  return misses_some ? "virtual threads that wait are not in wall, only those that run" : "";
}

std::string TimeLeftText(const Running& recording) {
  return recording.time_left_ns ? "in " + Seconds(*recording.time_left_ns) : "when told to";
}

std::string ChangedFilesText(const RecordingSummary& summary) {
  if (summary.changed_files == 0) return "";
  const bool is_one = summary.changed_files == 1;
  return "; " + std::to_string(summary.changed_files) +
         (is_one ? " earlier file was" : " earlier files were") + " changed by another program; " +
         KilobytesText(summary.removed_bytes) + " lost with " + (is_one ? "it" : "them");
}

std::string FileText(const Running& recording) {
  return recording.file + " (" + KilobytesText(static_cast<uint64_t>(recording.file_bytes)) +
         " written)" + ChangedFilesText(recording.summary);
}

uint64_t NativeThreads(const PrimingCounts& counts) {
  return counts.slots_in_use - std::min(counts.slots_in_use, counts.java_threads);
}

std::string ThreadsText(const Running& recording) {
  const PrimingCounts& counts = recording.threads;
  return std::to_string(counts.slots_in_use) + " (" + std::to_string(counts.java_threads) +
         " Java, " + std::to_string(NativeThreads(counts)) + " native)";
}

// By PrimingPath. "found": all threads of this recording, ended ones too.
constexpr auto kFoundTexts =
    std::to_array<std::string_view>({"at the start", "by the JVM", "by pthread_create",
                                     "by looking for new ones", "by their first sample"});
static_assert(kFoundTexts.size() == kPrimingPathCount);

// "9 at the start, 3 by pthread_create (0.012 ms after, at most 0.090 ms)": how threads became
// known and, where their beginning is, how soon after it.
std::string FoundText(const Running& recording) {
  std::string text;
  for (size_t path = 0; path < kPrimingPathCount; ++path) {
    const uint64_t count = recording.threads.threads[path];
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(count) + ' ';
    text += kFoundTexts[path];
    const PrimeLatency& latency = recording.threads.latency[path];
    if (latency.threads == 0) continue;
    char part[96];
    std::snprintf(
        part, sizeof part, " (%.3f ms after, at most %.3f ms)",
        static_cast<double>(latency.total_ns) / 1e6 / static_cast<double>(latency.threads),
        static_cast<double>(latency.max_ns) / 1e6);
    text += part;
  }
  return text.empty() ? "none" : text;
}

std::string DeepStacksText(const Running& recording) {
  const uint64_t samples = recording.summary.TotalWithoutRoot();
  return samples == 0 ? "" : WithoutRootText(samples);
}

// The time of handlers is elapsed time. What runs inside of the program's threads, apart from
// handlers, has no clock of its own: reading one for each call would cost more than the call.
std::string CostText(const Running& recording) {
  const RecordingSummary& summary = recording.summary;
  const Nanos cost_ns = summary.handler_ns + summary.own_threads_ns;
  if (recording.uptime_ns <= 0) return "";
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.2f %%",
                100.0 * static_cast<double>(cost_ns) / static_cast<double>(recording.uptime_ns));
  return RoundedDurationText(summary.handler_ns) + " in signal handlers, " +
         RoundedDurationText(summary.own_threads_ns) + " in threads of jprof, together " + percent +
         " of one processor; without probes, hooks and callbacks of the JVM, which are not "
         "measured";
}

std::string UnwrittenText(const Running& recording) {
  const uint64_t events = recording.summary.unwritten_events;
  return events == 0 ? ""
                     : std::to_string(events) +
                           " events, as the file could not be written: "
                           "is the disk full?";
}

struct StatusRow {
  std::string_view key;
  std::string (*value)(const Running&);
};

constexpr auto kRows = std::to_array<StatusRow>({
    {"engines", EnginesText},
    {"signals", SignalsText},
    {"not seen", VirtualText},
    {"since", [](const Running& r) { return SinceText(r.start_time, r.uptime_ns); }},
    {"stops", TimeLeftText},
    {"file", FileText},
    {"samples", [](const Running& r) { return RecordedText(r.summary); }},
    {"totals", TotalsText},
    {"lost", [](const Running& r) { return LostText(r.summary); }},
    {"deep", DeepStacksText},
    {"unwritten", UnwrittenText},
    {"windows", [](const Running& r) { return WindowsText(r.summary); }},
    {"threads", ThreadsText},
    {"found", FoundText},
    {"cost", CostText},
    {"memory", [](const Running& r) { return KilobytesText(r.memory_bytes); }},
});

uint64_t Unsigned(Nanos nanos) { return nanos < 0 ? 0 : static_cast<uint64_t>(nanos); }

void AddThreadFacts(const PrimingCounts& counts, AgentFacts& facts) {
  facts.Number("threads.java", counts.java_threads);
  facts.Number("threads.native", NativeThreads(counts));
  for (size_t path = 0; path < kPrimingPathCount; ++path) {
    if (counts.threads[path] == 0) continue;
    facts.Number("found." + std::string(kFoundTexts[path]) + ".threads", counts.threads[path]);
    const PrimeLatency& latency = counts.latency[path];
    if (latency.threads == 0) continue;
    const std::string later = "found." + std::string(kFoundTexts[path]) + ".after.";
    facts.Number(later + "threads", latency.threads);
    facts.Number(later + "totalNs", Unsigned(latency.total_ns));
    facts.Number(later + "longestNs", Unsigned(latency.max_ns));
  }
}

void AddFacts(const Running& recording, AgentFacts& facts) {
  for (const std::string& engine : recording.engines) facts.Text("engines[]", engine);
  for (const SampleKindRow& row : kSampleKinds) {
    const std::optional<int> signal = SignalOf(recording, row.kind);
    if (signal) facts.Text(std::string("signals.") + row.name, SignalName(*signal));
  }
  facts.Number("startTime", Unsigned(Nanos{recording.start_time} * kNanosPerSecond));
  facts.Number("elapsedNs", Unsigned(recording.uptime_ns));
  if (recording.time_left_ns) facts.Number("stopsInNs", Unsigned(*recording.time_left_ns));
  facts.Text("file", recording.file);
  facts.Number("fileBytes", static_cast<uint64_t>(recording.file_bytes));
  AddSummaryFacts(recording.summary, facts);
  for (const std::string& total : recording.totals) facts.Text("totals[]", total);
  AddThreadFacts(recording.threads, facts);
  facts.Number("cost.handlersNs", Unsigned(recording.summary.handler_ns));
  facts.Number("cost.walksNs", Unsigned(recording.summary.walk_ns));
  facts.Number("cost.threadsNs", Unsigned(recording.summary.own_threads_ns));
  facts.Number("memoryBytes", recording.memory_bytes);
}

std::string Line(std::string_view key, std::string_view value) {
  constexpr size_t kColumn = 10;
  std::string line(key);
  line.resize(kColumn, ' ');
  return line.append(value) + '\n';
}

}  // namespace

AgentAnswer StatusAnswer(const RecordingStatus& status) {
  AgentAnswer answer = {.text = Line("state", Text(status.phase))};
  answer.facts.Text("state", std::string(Text(status.phase)));
  if (!status.notice.empty()) {
    answer.text += Line("note", status.notice);
    answer.facts.Text("note", status.notice);
  }
  if (!status.recording) return answer;
  for (const StatusRow& row : kRows) {
    const std::string value = row.value(*status.recording);
    if (!value.empty()) answer.text += Line(row.key, value);
  }
  AddFacts(*status.recording, answer.facts);
  return answer;
}

}  // namespace jprof
