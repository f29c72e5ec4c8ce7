// AnswerCaller: whether the jprof that gave a command still waits for the answer.
//
// A JVM that was frozen or busy gets to a command when its caller has given up, was interrupted or
// killed. Such a command is not executed: its caller has said that the JVM did not answer, and
// nobody would know of what it begins or ends.
//
// Thread-safe; outside handlers.
#pragma once

#include <optional>
#include <string>

#include "recording/caller_lease.h"

namespace jprof {

class AnswerCaller {
 public:
  // `answer`: the value of answer=. Only the name of an awaited answer (base/agent_contract.h) says
  // where to see its caller; other callers count as waiting.
  static AnswerCaller Of(const std::optional<std::string>& answer);

  // False also if not known.
  bool IsGone() const { return is_gone_ || (lease_ && !lease_->IsHeld()); }

 private:
  AnswerCaller(bool is_gone, std::optional<CallerLease> lease)
      : is_gone_(is_gone), lease_(std::move(lease)) {}

  bool is_gone_;
  std::optional<CallerLease> lease_;
};

}  // namespace jprof
