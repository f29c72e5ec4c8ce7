// The option answer=PATH. WriteAnswerFile and FindAnswerFile: the answer file, which passes the
// agent's answer to an attaching program, in the layout of answers/agent_answer.h. AnswerCaller:
// checks whether that program still waits for the answer.
//
// The file is always a new one, readable only by the user of the JVM, and no symbolic link is
// followed. So the author of the path cannot make the JVM write to an existing file.
//
// Thread-safe, outside signal handlers.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "answers/agent_answer.h"
#include "base/result.h"
#include "recording/caller_lease.h"

namespace jprof {

// Writes the answer to a new file at `path`.
Status WriteAnswerFile(const std::string& path, const Result<AgentAnswer>& answer);

// Returns the value of the option answer= in an option string that ParseOptions has refused: the
// file to which the error is written. Returns nullopt if the option does not occur before the first
// malformed word of the string.
std::optional<std::string> FindAnswerFile(std::string_view options);

// AnswerCaller: checks whether the jprof that gave a command still waits for the answer.
//
// A JVM that was frozen or busy can get to a command only after the caller has given up or was
// interrupted or killed. Such a command is not executed: its caller has already reported that the
// JVM did not answer, and its user would not learn that a recording has started or stopped.
class AnswerCaller {
 public:
  // Finds the caller by the value of answer=. A file name in the form for awaited answers
  // (base/agent_contract.h) leads to the lease of the caller (recording/caller_lease.h); if the
  // lease file no longer exists, the caller is gone. With any other file name, the caller counts as
  // waiting.
  static AnswerCaller Of(const std::optional<std::string>& answer);

  // True if the caller is known to wait no longer.
  bool IsGone() const { return is_gone_ || (lease_ && !lease_->IsHeld()); }

 private:
  AnswerCaller(bool is_gone, std::optional<CallerLease> lease)
      : is_gone_(is_gone), lease_(std::move(lease)) {}

  bool is_gone_;
  std::optional<CallerLease> lease_;
};

}  // namespace jprof
