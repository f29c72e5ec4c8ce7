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
  ErrorKind refusal;      // error if the phase is running where idle is needed, or the reverse
  const char* remainder;  // rest of the refusal's sentence
};

// The actions, by RecordingAction.
constexpr auto kActions = std::to_array<ActionRow>({
    {RecordingPhase::kIdle, RecordingPhase::kStarting, ErrorKind::kAlreadyRecording, ""},
    {RecordingPhase::kRunning, RecordingPhase::kDumping, ErrorKind::kNothingRecorded,
     ": there is nothing to dump"},
    {RecordingPhase::kRunning, RecordingPhase::kStopping, ErrorKind::kNothingRecorded,
     ": there is nothing to stop"},
    {RecordingPhase::kRunning, RecordingPhase::kReading, ErrorKind::kNothingRecorded, ""},
});

// The texts, by RecordingPhase.
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

// Waits for the end of the action in progress. Waits by the time of day, because old C libraries
// can wait by no other clock. A change of the time of day does not end the wait early.
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
