// RecordingState: the actions that are possible in each phase of a recording.
//
//            start              dump
//     idle ─────────▶ running ◀──────▶ dumping
//       ▲  (starting)    │    ◀──────▶ reading
//       └────────────────┘ stop (stopping)
//
// Thread-safe. An action waits for the end of the action in progress, so that no caller sees a
// half-started recording. A command waits only for a limited time, because its thread might hold a
// lock that the action in progress needs. For example, another agent can give a command in its
// callback for ClassPrepare, while the thread holds the lock of the prepared class. If the action
// is still impossible after the wait, it is refused, with the reason.
//
// 1. At most one action is in progress.
// 2. A refused action changes nothing.
#pragma once

#include <condition_variable>
#include <limits>
#include <mutex>
#include <string_view>

#include "base/result.h"
#include "sigsafe/base/types.h"

namespace jprof {

enum class RecordingPhase { kIdle, kStarting, kRunning, kDumping, kStopping, kReading };
enum class RecordingAction { kStart, kDump, kStop, kRead };

class RecordingState {
 public:
  // The longest time that a command waits for the end of another action.
  static constexpr Nanos kPatience = 60 * kNanosPerSecond;
  static constexpr Nanos kForever = std::numeric_limits<Nanos>::max();

  // Begins an action: until End the recording belongs to the caller. Fails if the action is
  // impossible in this phase, or if another action is still in progress after `patience`.
  Status Begin(RecordingAction action, Nanos patience);

  // Ends the action. `next` is kIdle or kRunning. REQUIRES: Begin succeeded.
  void End(RecordingPhase next);

  RecordingPhase phase() const;

 private:
  bool IsUnderWay() const;
  void AwaitEnd(std::unique_lock<std::mutex>& lock, Nanos patience);

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  RecordingPhase phase_ = RecordingPhase::kIdle;  // guarded by mutex_
};

// Returns the name of a phase for users: "idle", "starting", "recording", ...
std::string_view Text(RecordingPhase phase);

}  // namespace jprof
