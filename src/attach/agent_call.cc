#include "attach/agent_call.h"

#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

#include "attach/answer_reading.h"
#include "attach/attach_client.h"
#include "attach/lease.h"
#include "base/agent_contract.h"
#include "base/printable_text.h"

namespace jprof {
namespace {

constexpr char kTemp[] = "/tmp";  // folder of HotSpot's attach files, independent of java.io.tmpdir
// From JDK 21 on, a JVM that is still starting replies with this text and does not call the agent
// (jdk-21+35 src/hotspot/share/prims/jvmtiAgent.cpp). Only the text distinguishes this failure from
// others, because the code in the reply is the same.
constexpr char kNotYetLive[] = "only permitted in the live phase";
constexpr size_t kMaxAnswer = size_t{1} << 20;

std::string ReadToEnd(int fd) {
  std::string text;
  char buffer[4096];
  while (text.size() < kMaxAnswer) {
    const ssize_t got = read(fd, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer, static_cast<size_t>(got));
  }
  return text;
}

Failure NotLoaded(const TargetProcess& target, const std::string& library,
                  const std::string& error) {
  std::string message = target.Name() + " could not load " + library;
  if (!error.empty()) message += ": " + PrintableText(error, Layout::kEscape);
  return {FailureKind::kLibrary, message};
}

}  // namespace

Outcome<AgentCall> AgentCall::To(pid_t pid, const std::string& library,
                                 AgentLibrary::Choice choice) {
  Outcome<TargetProcess> target = TargetProcess::Open(pid);
  if (!target) return target.error();
  Outcome<TargetFolder> temp = TargetFolder::Open(target.value(), kTemp);
  // kFile: every cause other than a missing permission or an ended target.
  if (!temp && temp.error().kind() == FailureKind::kFile) {
    return Failure(FailureKind::kNoAttach,
                   target.value().Name() +
                       " has no folder /tmp, which HotSpot needs for an attach (" +
                       temp.error().message() +
                       "): mount a writable /tmp for it, or load the agent at its start "
                       "(-agentpath)");
  }
  if (!temp) return temp.error();
  return AgentCall(std::move(target).value(), std::move(temp).value(), library, choice);
}

Outcome<void> AgentCall::CheckReachable(pid_t pid) {
  Outcome<AgentCall> call = To(pid, "", AgentLibrary::Choice::kDefault);
  if (!call) return call.error();
  return AttachClient(call.value().target(), call.value().temp()).CheckAllowed();
}

Outcome<AgentAnswer> AgentCall::Execute(const std::string& options, const Deadline& deadline) {
  const Deadline patience = Deadline::In(kStartTimeout);
  for (;;) {
    Outcome<AgentAnswer> answer = ExecuteOnce(options, deadline);
    if (answer || answer.error().kind() != FailureKind::kStarting || patience.HasPassed() ||
        deadline.HasPassed()) {
      return answer;
    }
    constexpr long kBetweenLoads = 20'000'000;
    Deadline::Pause(kBetweenLoads);
  }
}

Outcome<AgentAnswer> AgentCall::ExecuteOnce(const std::string& options, const Deadline& deadline) {
  const std::string digits = RandomName("");
  std::optional<Lease> waiting = Lease::TakeNamed(temp_, digits);
  const std::string answer = std::string(waiting ? kAwaitedPrefix : kAnswerPrefix) + digits;
  const Outcome<void> loaded = Load(options, answer, deadline);
  // If a JVM was started with closed standard descriptors, its end of the connection can have the
  // descriptor number of standard error. The JVM's own messages then precede the reply on the
  // connection, so that the reply cannot be parsed. In this case, an answer file shows that the
  // agent was called.
  const bool is_answered =
      loaded || (loaded.error().kind() == FailureKind::kNoAttach && temp_.OpenFile(answer).ok());
  if (is_answered) return ReadAnswer(answer);
  // Releases the lease (kAwaitedPrefix) before the answer is removed. An agent that writes its
  // answer after the removal then finds the lease released, and removes the answer itself.
  waiting.reset();
  temp_.Remove(answer);
  return loaded.error();
}

Outcome<void> AgentCall::Load(const std::string& options, const std::string& answer,
                              const Deadline& deadline) {
  const Outcome<AgentLibrary> library = AgentLibrary::For(target_, library_, choice_);
  if (!library) return library.error();
  const Outcome<AttachReply> reply =
      AttachClient(target_, temp_)
          .Execute({"load",
                    {library.value().path(), "true", options + ",answer=" + temp_.PathOf(answer)}},
                   deadline);
  if (!reply) return reply.error();
  const LoadReply load = InterpretLoad(reply.value());
  if (load.loaded) return {};
  if (load.error.find(kNotYetLive) != std::string::npos) {
    const Error starting(ErrorKind::kJvmIsStarting);
    return Failure(FailureKind::kStarting, target_.Name() + ": " + starting.message());
  }
  return NotLoaded(target_, library.value().path(), load.error);
}

Outcome<AgentAnswer> AgentCall::ReadAnswer(const std::string& name) const {
  const Outcome<ScopedFd> file = temp_.OpenFile(name);
  if (!file) {
    return Failure(FailureKind::kLibrary, "the agent in " + target_.Name() + " left no answer (" +
                                              file.error().message() +
                                              "): is it of another version?");
  }
  const std::string bytes = ReadToEnd(file.value().get());
  temp_.Remove(name);
  return ReadAgentAnswer(bytes, target_.pid());
}

}  // namespace jprof
