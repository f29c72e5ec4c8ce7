#include "session/session_state.h"

#include <array>
#include <string>

#include "base/agent_contract.h"
#include "sigsafe/base/check.h"

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
});

// By SessionPhase.
constexpr auto kPhaseTexts =
    std::to_array<std::string_view>({"idle", "starting", "recording", "dumping", "stopping"});

}  // namespace

Status SessionState::Begin(SessionAction action) {
  const ActionRow& row = kActions[static_cast<size_t>(action)];
  std::unique_lock lock(mutex_);
  while (IsUnderWay()) ended_.wait(lock);
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

SessionPhase SessionState::phase() const {
  const std::lock_guard lock(mutex_);
  return phase_;
}

bool SessionState::IsUnderWay() const {
  return phase_ != SessionPhase::kIdle && phase_ != SessionPhase::kRunning;
}

std::string_view Text(SessionPhase phase) { return kPhaseTexts[static_cast<size_t>(phase)]; }

}  // namespace jprof
