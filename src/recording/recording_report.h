// The facts and notes in the answers about a recording: StatusAnswer for the command `status`;
// SummaryAnswer, GapNotes and NoSamplesNotes for the commands `dump` and `stop` and the end of the
// JVM.
//
// Thread-safe: the functions have no state.
#pragma once

#include <array>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <vector>

#include "answers/agent_answer.h"
#include "chunks/recording_summary.h"
#include "recording/recording_state.h"
#include "sigsafe/base/sample_settings.h"
#include "sigsafe/base/types.h"
#include "threads/thread_roster.h"

namespace jprof {

// The events that were requested at the start.
struct RequestedEvents {
  SampleSettings samples;
  std::string filter;  // text of the option; empty: all threads
};

// Returns the answer to the command `dump` or `stop`, or the answer that is logged if the JVM ends
// its process without a stop.
AgentAnswer SummaryAnswer(AnswerKind kind, const RecordingSummary& summary,
                          const std::string& path);

// Returns one warning ("warning: ...") for each kind of samples if more than 1 % of its weight has
// stacks with missing frames or names.
std::vector<std::string> GapNotes(const RecordingSummary& summary);

// Returns one warning ("warning: ...") for each requested event that has no samples. It gives the
// reason and the remedy.
std::vector<std::string> NoSamplesNotes(const RecordingSummary& summary,
                                        const RequestedEvents& requested);

struct RecordingStatus {
  struct Running {
    std::vector<std::string> engines;  // descriptions of the engines
    std::vector<std::string> totals;   // Engine::Totals of all engines
    // The signals of the engines, indexed by kind; nullopt if the kind is not sampled or uses no
    // signal.
    std::array<std::optional<int>, kSampleKindCount> signals = {};
    bool jvm_samples_by_sigprof = false;  // the JVM has jdk.CPUTimeSample, which needs SIGPROF
    // True if the JVM has virtual threads, and no engine samples them while they wait.
    bool lacks_waiting_virtual_threads = false;
    std::string file;
    int64_t file_bytes = 0;  // size with all completed chunks
    time_t start_time = 0;
    Nanos uptime_ns = 0;
    std::optional<Nanos> time_left_ns;  // nullopt: no timeout=
    RecordingSummary summary;
    PrimingCounts threads;
    size_t memory_bytes = 0;
  };

  RecordingPhase phase = RecordingPhase::kIdle;
  std::optional<Running> recording;
  std::string notice;  // about the previous or the next recording; empty while one is running
};

// Returns the answer to the command `status`. If no recording is running, the answer has only the
// state and the notice.
AgentAnswer StatusAnswer(const RecordingStatus& status);

}  // namespace jprof
