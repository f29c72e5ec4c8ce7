// The option answer=PATH. WriteAnswerFile and FindAnswerFile: the answer file, which passes the
// agent's answer to an attaching program, in the layout of answers/agent_answer.h. AnswerCaller:
// checks whether that program still waits for the answer.
//
// The file is always a new one, readable by the JVM's user only, and never reached through a
// symbolic link: the author of the path cannot make the JVM write to an existing file.
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

// Returns the value of answer= in an option string that ParseOptions has refused, so that the error
// can be delivered; nullopt if the string has no answer= before the first malformed word.
std::optional<std::string> FindAnswerFile(std::string_view options);

// AnswerCaller: checks whether the jprof that gave a command still waits for the answer.
//
// A JVM that was frozen or busy can reach a command after its caller has given up or was
// interrupted or killed. Such a command is not executed: its caller has already reported that the
// JVM did not answer, and its user would not learn that a recording has started or stopped.
class AnswerCaller {
 public:
  // Finds the caller by the value of answer=. If the file name is that of an awaited answer
  // (base/agent_contract.h), the name leads to the lease of the caller (recording/caller_lease.h);
  // a caller whose lease file no longer exists is gone. With any other file name, the caller counts
  // as waiting.
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
