// StatusAnswer: makes the answer to the command status.
//
// Thread-safe: the function has no state.
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
#include "sigsafe/base/types.h"
#include "threads/thread_roster.h"

namespace jprof {

struct RecordingStatus {
  struct Running {
    std::vector<std::string> engines;  // descriptions of the engines
    std::vector<std::string> totals;   // Engine::Totals of all engines
    // The signals of the engines by kind; nullopt: the kind is not sampled, or uses no signal.
    std::array<std::optional<int>, kSampleKindCount> signals = {};
    bool jvm_samples_by_sigprof = false;  // the JVM supports jdk.CPUTimeSample
    bool has_virtual_threads = false;     // true: the JVM has them
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
  std::string notice;  // about the previous or the next recording; only without a recording
};

// Returns the answer. Without a recording it has only the state and the notice.
AgentAnswer StatusAnswer(const RecordingStatus& status);

}  // namespace jprof
