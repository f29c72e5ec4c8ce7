// AnswerCaller: checks whether the jprof that gave a command still waits for the answer.
//
// A JVM that was frozen or busy can reach a command after its caller has given up or was
// interrupted or killed. Such a command is not executed: its caller has already reported that the
// JVM did not answer, and its user would not learn that a recording has started or stopped.
//
// Thread-safe, outside signal handlers.
#pragma once

#include <optional>
#include <string>

#include "recording/caller_lease.h"

namespace jprof {

class AnswerCaller {
 public:
  // Finds the caller by the value of answer=. Only the name of an awaited answer
  // (base/agent_contract.h) leads to the caller's lease; other callers count as waiting.
  static AnswerCaller Of(const std::optional<std::string>& answer);

  // True if the caller no longer waits; false if this is unknown.
  bool IsGone() const { return is_gone_ || (lease_ && !lease_->IsHeld()); }

 private:
  AnswerCaller(bool is_gone, std::optional<CallerLease> lease)
      : is_gone_(is_gone), lease_(std::move(lease)) {}

  bool is_gone_;
  std::optional<CallerLease> lease_;
};

}  // namespace jprof
