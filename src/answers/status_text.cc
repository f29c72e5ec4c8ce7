#include <array>
#include <cinttypes>
#include <cstdio>
#include <string_view>

#include "answers/amounts.h"
#include "answers/answer_text.h"
#include "base/engine_signals.h"
#include "base/printable_text.h"
#include "base/scaled_text.h"

namespace jprof {
namespace {

std::string Seconds(Nanos nanos) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f s", static_cast<double>(nanos) / 1e9);
  return text;
}

std::string EnginesText(const AgentFacts& facts) {
  std::string text;
  for (const std::string& engine : facts.Texts("engines[]")) {
    text += (text.empty() ? "" : ", ") + engine;
  }
  return text;
}

// Returns "SIGPROF for cpu, SIGVTALRM for wall", with a remark if Flight Recorder needs one of
// these signals.
std::string SignalsText(const AgentFacts& facts) {
  constexpr std::string_view kSignals = "signals.";
  std::string text;
  for (const AgentFact& fact : facts.all()) {
    if (!fact.key.starts_with(kSignals)) continue;
    text += (text.empty() ? "" : ", ") + fact.value + " for " + fact.key.substr(kSignals.size());
  }
  if (facts.Number("cpuTimeSampleBlocked") != 0) {
    text += "; Flight Recorder cannot begin jdk.CPUTimeSample meanwhile, with signal=" +
            std::string(kCpuSignals[1].name) + " it can";
  }
  return text;
}

std::string NotSeenText(const AgentFacts& facts) {
  return facts.Number("waitingVirtualThreadsMissing") != 0
             ? "virtual threads that wait are not in wall, only those that run"
             : "";
}

std::string StartText(const AgentFacts& facts) {
  return SinceText(facts.Time("startTime") / kNanosPerSecond, facts.Time("elapsedNs"));
}

std::string TimeLeftText(const AgentFacts& facts) {
  return facts.Has("stopsInNs") ? "in " + Seconds(facts.Time("stopsInNs")) : "when told to";
}

std::string FileText(const AgentFacts& facts) {
  std::string text =
      facts.Text("file") + " (" + KilobytesText(facts.Number("fileBytes")) + " written)";
  const uint64_t changed = facts.Number("changedFiles");
  if (changed == 0) return text;
  return text + "; " + std::to_string(changed) +
         (changed == 1 ? " earlier file was" : " earlier files were") +
         " changed by another program; " + KilobytesText(facts.Number("removedBytes")) +
         " lost with " + (changed == 1 ? "it" : "them");
}

// Returns the totals, one a line. Each further line is indented so that it is aligned with the
// first one.
std::string TotalsText(const AgentFacts& facts) {
  std::string text;
  for (const std::string& line : facts.Texts("totals[]")) {
    text += (text.empty() ? "" : "\n          ") + PrintableText(line, Layout::kEscape);
  }
  return text;
}

std::string ThreadsText(const AgentFacts& facts) {
  const uint64_t java = facts.Number("threads.java");
  const uint64_t native = facts.Number("threads.native");
  return std::to_string(java + native) + " (" + std::to_string(java) + " Java, " +
         std::to_string(native) + " native)";
}

// Returns how many threads became known in which way. For threads whose start time is known, adds
// how long after their start they became known: "9 at the start, 3 by pthread_create (0.012 ms
// after, at most 0.090 ms)". Counts all threads of this recording, including ended ones.
std::string FoundText(const AgentFacts& facts) {
  constexpr std::string_view kFound = "found.";
  constexpr std::string_view kThreads = ".threads";
  constexpr std::string_view kAfter = ".after";
  std::string text;
  for (const AgentFact& fact : facts.all()) {
    std::string_view path = fact.key;
    if (!path.starts_with(kFound) || !path.ends_with(kThreads)) continue;
    path.remove_suffix(kThreads.size());
    if (path.ends_with(kAfter) || path.size() <= kFound.size()) continue;
    text += (text.empty() ? "" : ", ") + std::to_string(NumberOf(fact)) + ' ';
    text += path.substr(kFound.size());
    const std::string after = std::string(path) + std::string(kAfter);
    const uint64_t threads = facts.Number(after + ".threads");
    if (threads == 0) continue;
    const double mean_ns =
        static_cast<double>(facts.Time(after + ".totalNs")) / static_cast<double>(threads);
    const auto longest_ns = static_cast<double>(facts.Time(after + ".longestNs"));
    text += " (" + RoundedDurationText(mean_ns) + " after, at most " +
            RoundedDurationText(longest_ns) + ')';
  }
  return text.empty() ? "none" : text;
}

// Returns the cost of the recording. The time of handlers is elapsed time. Other work on the
// program's threads, such as that of probes, is not measured: reading a clock each time would cost
// more than the work itself.
std::string CostText(const AgentFacts& facts) {
  const Nanos handlers_ns = facts.Time("cost.handlersNs");
  const Nanos threads_ns = facts.Time("cost.threadsNs");
  const Nanos elapsed_ns = facts.Time("elapsedNs");
  if (elapsed_ns == 0) return "";
  char percent[32];
  std::snprintf(percent, sizeof percent, "%.2f %%",
                100.0 * (static_cast<double>(handlers_ns) + static_cast<double>(threads_ns)) /
                    static_cast<double>(elapsed_ns));
  return RoundedDurationText(handlers_ns) + " in signal handlers, " +
         RoundedDurationText(threads_ns) + " in threads of jprof, together " + percent +
         " of one processor; without probes, hooks and callbacks of the JVM, which are not "
         "measured";
}

std::string UnwrittenText(const AgentFacts& facts) {
  const uint64_t events = facts.Number("unwrittenEvents");
  return events == 0 ? ""
                     : std::to_string(events) +
                           " events, as the file could not be written: is the disk full?";
}

std::string MemoryText(const AgentFacts& facts) {
  return KilobytesText(facts.Number("memoryBytes"));
}

struct StatusRow {
  std::string_view key;
  std::string (*value)(const AgentFacts&);
};

constexpr auto kStatusRows = std::to_array<StatusRow>({
    {"engines", EnginesText},
    {"signals", SignalsText},
    {"not seen", NotSeenText},
    {"since", StartText},
    {"stops", TimeLeftText},
    {"file", FileText},
    {"samples", RecordedText},
    {"totals", TotalsText},
    {"lost", LostText},
    {"deep", WithoutRootText},
    {"unwritten", UnwrittenText},
    {"windows", WindowsText},
    {"threads", ThreadsText},
    {"found", FoundText},
    {"cost", CostText},
    {"memory", MemoryText},
});

// Appends a line with the key and the value; does nothing if the value is empty.
void AddLine(std::string& text, std::string_view key, std::string_view value) {
  constexpr size_t kColumn = 10;
  if (value.empty()) return;
  std::string column(key);
  column.resize(kColumn, ' ');
  text += column;
  text += value;
  text += '\n';
}

}  // namespace

std::string StatusText(const AgentAnswer& answer) {
  const AgentFacts& facts = answer.facts;
  std::string text;
  const auto add = [&text](std::string_view key, std::string_view value) {
    AddLine(text, key, PrintableText(value, Layout::kEscape));
  };
  add("state", facts.Text("state"));
  add("note", facts.Text("note"));
  if (facts.Has("startTime")) {
    for (const StatusRow& row : kStatusRows) {
      const std::string value = row.value(facts);
      if (row.value == TotalsText) {
        AddLine(text, row.key, value);  // several lines, which are printable
      } else {
        add(row.key, value);
      }
    }
  }
  add("agent", answer.version);
  return text;
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

}  // namespace jprof
