#include "attach/answer_reading.h"

#include <array>
#include <utility>

#include "base/agent_contract.h"
#include "base/version.h"

namespace jprof {
namespace {

using Reason = UndecodedAnswer::Reason;

// The kinds of failure, indexed by ErrorKind.
constexpr auto kFailureOfKind = std::to_array<FailureKind>({
#define JPROF_ERROR_KIND(id, name, code, failure, sentence) FailureKind::failure,
#include "base/error_kinds.def"
});

std::string NameOf(pid_t pid) { return "process " + std::to_string(pid); }

std::string InBrackets(const std::string& version) {
  return version.empty() ? "" : " (jprof " + version + ")";
}

Failure OlderAgent(pid_t pid, const std::string& version, const std::string& what) {
  return {FailureKind::kLibrary, "the agent in " + NameOf(pid) + InBrackets(version) +
                                     " is older than this jprof (" + JprofVersion() + "): " + what +
                                     "; start the JVM anew, or use the jprof of that version"};
}

Failure OlderJprof(pid_t pid, const std::string& version, const std::string& what) {
  return {FailureKind::kLibrary,
          "this jprof (" + std::string(JprofVersion()) + ") is older than the agent in " +
              NameOf(pid) + InBrackets(version) + ": " + what + "; use the jprof of that version"};
}

Failure Undecoded(const UndecodedAnswer& undecoded, pid_t pid) {
  const std::string unreadable = "its answers have another layout";
  switch (undecoded.reason) {
    case Reason::kOlderLayout:
      return OlderAgent(pid, undecoded.version, unreadable);
    case Reason::kNewerLayout:
      return OlderJprof(pid, undecoded.version, unreadable);
    case Reason::kIncomplete:
      return {FailureKind::kLibrary, "the answer of the agent in " + NameOf(pid) +
                                         " cannot be read: it is incomplete: is /tmp full?"};
    case Reason::kMalformed:
      break;
  }
  return {FailureKind::kLibrary,
          "the answer of the agent in " + NameOf(pid) + " cannot be read: it has another form"};
}

// Returns the failure for an agent that does not understand the command. Such an agent is of
// another version, because jprof has already checked the command.
Failure NotUnderstood(const DecodedAnswer& decoded, pid_t pid) {
  const Error& error = decoded.answer.error();
  const bool lacks_option = error.kind() == ErrorKind::kUnknownOption;
  const std::string option = " the option '" + error.option() + "'";
  if (decoded.contract < kAgentContract) {
    return OlderAgent(pid, decoded.version, lacks_option ? "it lacks" + option : error.message());
  }
  return OlderJprof(pid, decoded.version,
                    lacks_option ? "the agent has given up" + option : error.message());
}

}  // namespace

Outcome<AgentAnswer> ReadAgentAnswer(const std::string& bytes, pid_t pid) {
  Result<DecodedAnswer, UndecodedAnswer> decoded = DecodeAnswer(bytes);
  if (!decoded) return Undecoded(decoded.error(), pid);
  if (decoded.value().answer) return std::move(decoded).value().answer.value();
  const Error& error = decoded.value().answer.error();
  const bool is_understood =
      error.kind() != ErrorKind::kUnknownOption && error.kind() != ErrorKind::kInvalidCommand;
  if (!is_understood && decoded.value().contract != kAgentContract) {
    return NotUnderstood(decoded.value(), pid);
  }
  const FailureKind kind = kFailureOfKind[static_cast<size_t>(error.kind())];
  std::string message = error.message();
  if (kind == FailureKind::kStarting) message.insert(0, NameOf(pid) + ": ");
  if (error.kind() == ErrorKind::kAlreadyRecording) {
    message += ": jprof stop " + std::to_string(pid);
  }
  return Failure(kind, error.WithMessage(message));
}

}  // namespace jprof
