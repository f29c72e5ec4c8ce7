// SessionState: the actions that are possible in each phase of a session.
//
//            start              dump
//     idle ─────────▶ running ◀──────▶ dumping
//       ▲  (starting)    │
//       └────────────────┘ stop (stopping)
//
// Thread-safe. An action that comes while another is under way waits for its end: two callers never
// see a session half started. An action that is not possible then is refused, with the reason.
//
// 1. At most one action is under way.
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
  // From here to End the session is the caller's.
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
