// SessionState: the actions that are possible in each phase of a session.
//
//            start              dump
//     idle ─────────▶ running ◀──────▶ dumping
//       ▲  (starting)    │
//       └────────────────┘ stop (stopping)
//
// Thread-safe. A second action waits for the end of the first: no caller sees a half-started
// session. An action that is then impossible is refused, with the reason.
//
// 1. At most one action is in progress.
// 2. A refused action changes nothing.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string_view>

#include "base/result.h"

namespace jprof {

enum class SessionPhase { kIdle, kStarting, kRunning, kDumping, kStopping };
enum class SessionAction { kStart, kDump, kStop };

class SessionState {
 public:
  // Until End the session belongs to the caller.
  Status Begin(SessionAction action);

  // `next`: kIdle or kRunning. REQUIRES: Begin succeeded.
  void End(SessionPhase next);

  SessionPhase phase() const;

 private:
  bool IsUnderWay() const;

  mutable std::mutex mutex_;
  std::condition_variable ended_;
  SessionPhase phase_ = SessionPhase::kIdle;  // guarded by mutex_
};

// "idle", "starting", "recording", ...
std::string_view Text(SessionPhase phase);

}  // namespace jprof
