#include "session/session_state.h"

#include <array>
#include <chrono>
#include <string>

#include "base/agent_contract.h"
#include "sigsafe/base/check.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

struct ActionRow {
  SessionPhase from;
  SessionPhase during;
  const char* refusal;  // in the other phase at rest
};

// By SessionAction.
constexpr auto kActions = std::to_array<ActionRow>({
    {SessionPhase::kIdle, SessionPhase::kStarting, kAlreadyRecording},
    {SessionPhase::kRunning, SessionPhase::kDumping,
     "nothing is being recorded: there is nothing to dump"},
    {SessionPhase::kRunning, SessionPhase::kStopping,
     "nothing is being recorded: there is nothing to stop"},
    {SessionPhase::kRunning, SessionPhase::kReading, "nothing is being recorded"},
});

// By SessionPhase.
constexpr auto kPhaseTexts = std::to_array<std::string_view>(
    {"idle", "starting", "recording", "dumping", "stopping", "recording"});

}  // namespace

Status SessionState::Begin(SessionAction action, Nanos patience) {
  const ActionRow& row = kActions[static_cast<size_t>(action)];
  std::unique_lock lock(mutex_);
  AwaitEnd(lock, patience);
  if (IsUnderWay()) {
    return Error("busy: other commands have kept the profiler at work for " +
                 std::to_string(patience / kNanosPerSecond) + " s");
  }
  if (phase_ != row.from) return Error(row.refusal);
  phase_ = row.during;
  return {};
}

void SessionState::End(SessionPhase next) {
  {
    const std::lock_guard lock(mutex_);
    JPROF_CHECK(IsUnderWay());
    phase_ = next;
  }
  ended_.notify_all();
}

// By the time of day, for which old C libraries have a function; its changes end no wait.
void SessionState::AwaitEnd(std::unique_lock<std::mutex>& lock, Nanos patience) {
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

SessionPhase SessionState::phase() const {
  const std::lock_guard lock(mutex_);
  return phase_;
}

bool SessionState::IsUnderWay() const {
  return phase_ != SessionPhase::kIdle && phase_ != SessionPhase::kRunning;
}

std::string_view Text(SessionPhase phase) { return kPhaseTexts[static_cast<size_t>(phase)]; }

}  // namespace jprof
