#include "recording/recording_state.h"

#include <array>
#include <chrono>
#include <string>

#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

struct ActionRow {
  RecordingPhase from;
  RecordingPhase during;
  ErrorKind refusal;      // the error if the phase is not `from`
  const char* remainder;  // the end of the error message
};

// The actions, indexed by RecordingAction.
constexpr auto kActions = std::to_array<ActionRow>({
    {RecordingPhase::kIdle, RecordingPhase::kStarting, ErrorKind::kAlreadyRecording, ""},
    {RecordingPhase::kRunning, RecordingPhase::kDumping, ErrorKind::kNothingRecorded,
     ": there is nothing to dump"},
    {RecordingPhase::kRunning, RecordingPhase::kStopping, ErrorKind::kNothingRecorded,
     ": there is nothing to stop"},
    {RecordingPhase::kRunning, RecordingPhase::kReading, ErrorKind::kNothingRecorded, ""},
});

// The texts, indexed by RecordingPhase.
constexpr auto kPhaseTexts = std::to_array<std::string_view>(
    {"idle", "starting", "recording", "dumping", "stopping", "recording"});

}  // namespace

Status RecordingState::Begin(RecordingAction action, Nanos patience) {
  const ActionRow& row = kActions[static_cast<size_t>(action)];
  std::unique_lock lock(mutex_);
  AwaitEnd(lock, patience);
  if (IsUnderWay()) {
    return Error("busy: other commands have kept the profiler at work for " +
                     std::to_string(patience / kNanosPerSecond) + " s",
                 ErrorKind::kBusy);
  }
  if (phase_ != row.from) {
    return Error(std::string(RowOf(row.refusal).sentence) + row.remainder, row.refusal);
  }
  phase_ = row.during;
  return {};
}

void RecordingState::End(RecordingPhase next) {
  {
    const std::lock_guard lock(mutex_);
    JPROF_CHECK(IsUnderWay());
    phase_ = next;
  }
  ended_.notify_all();
}

// Waits for the end of the action in progress. The wait uses the clock of the time of day, because
// old C libraries cannot wait on another clock. A change of that clock does not end the wait too
// early.
void RecordingState::AwaitEnd(std::unique_lock<std::mutex>& lock, Nanos patience) {
  const Nanos begin_ns = MonotonicNanos();
  while (IsUnderWay()) {
    if (patience == kForever) {
      ended_.wait(lock);
      continue;
    }
    const Nanos left_ns = begin_ns + patience - MonotonicNanos();
    if (left_ns <= 0) return;
    ended_.wait_until(lock, std::chrono::system_clock::now() + std::chrono::nanoseconds(left_ns));
  }
}

RecordingPhase RecordingState::phase() const {
  const std::lock_guard lock(mutex_);
  return phase_;
}

bool RecordingState::IsUnderWay() const {
  return phase_ != RecordingPhase::kIdle && phase_ != RecordingPhase::kRunning;
}

std::string_view Text(RecordingPhase phase) { return kPhaseTexts[static_cast<size_t>(phase)]; }

}  // namespace jprof
