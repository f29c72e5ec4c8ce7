// The lines for the user at start, dump and stop.
#pragma once

#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "base/agent_answer.h"
#include "chunks/recording_summary.h"
#include "engines/engine.h"
#include "sigsafe/base/sample_settings.h"

namespace jprof {

// The events requested at the start.
struct RequestedEvents {
  SampleSettings samples;
  std::string filter;  // as given; empty: all threads
};

// "2026-02-03 04:05:06 (12.3 s ago)", local time.
std::string SinceText(time_t start, Nanos ago_ns);

// "recording cpu every 10 ms, wall every 50 ms to /abs/out.jfr"
std::string StartLine(const std::vector<std::unique_ptr<Engine>>& engines, const std::string& path);

// "50 ns of lock": for kinds that are not counted in intervals. "4096 bytes of alloc as sampled":
// estimates, before they are scaled to what the JVM has counted.
std::string AmountText(const SampleKindRow& kind, uint64_t amount);

// "1234 samples (1000 cpu, 234 wall)", counted in intervals, as their weight in the recording is;
// then the kinds with other units.
std::string RecordedText(const RecordingSummary& summary);

// "5 lost (5 sample buffers full)".
std::string LostText(const RecordingSummary& summary);

// "12 samples without the root of the stack, which was too deep to walk for each".
std::string WithoutRootText(uint64_t samples);

// "3 windows of 1.25 s, 300 outside (300 cpu)"; empty: the recording has no windows.
std::string WindowsText(const RecordingSummary& summary);

// "dumped: ..., the recording goes on", else as StopAnswer.
AgentAnswer DumpAnswer(const RecordingSummary& summary, const std::string& path);

// "stopped: 1234 samples (1000 cpu, 234 wall), 5 lost (5 sample buffers full) in /abs/out.jfr".
AgentAnswer StopAnswer(const RecordingSummary& summary, const std::string& path);

// Returns the answer of a recording whose JVM ends its process without a stop: "ended with the JVM:
// ...".
AgentAnswer ExitAnswer(const RecordingSummary& summary, const std::string& path);

// "warning: ..." for each kind of which more than 1 % lack frames or names.
std::vector<std::string> GapNotes(const RecordingSummary& summary);

// "warning: ..." for each requested event without samples, with the reason and the remedy.
std::vector<std::string> NoSamplesNotes(const RecordingSummary& summary,
                                        const RequestedEvents& requested);

}  // namespace jprof
