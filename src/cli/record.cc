#include "cli/record.h"

#include <algorithm>
#include <optional>
#include <string>

#include "answers/answer_text.h"
#include "attach/lease.h"
#include "base/agent_contract.h"
#include "cli/convert/result_path.h"
#include "cli/output_staging.h"
#include "cli/words/agent_options.h"
#include "cli/words/command_line.h"
#include "cli/words/interrupt.h"
#include "cli/words/json_object.h"
#include "cli/words/print.h"
#include "options/file_pattern.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// The agent's timeout is the duration plus kGrace. The timeout ends the recording if jprof was
// killed and held no lease (attach/lease.h).
constexpr Nanos kGrace = 60 * kNanosPerSecond;
constexpr Nanos kProgressStep = kNanosPerSecond / 4;

// Waits until the duration has passed, the user interrupts, or the JVM exits.
void WaitForEnd(const TargetProcess& target, const Interrupt& interrupt, Nanos duration_ns) {
  Progress progress("recording " + target.Name());
  const Nanos start_ns = MonotonicNanos();
  const Deadline end = Deadline::In(duration_ns);
  while (!end.HasPassed() && !interrupt.IsRequested() && !target.HasExited()) {
    const Nanos elapsed_ns = std::min(MonotonicNanos() - start_ns, duration_ns);
    progress.Show(elapsed_ns, duration_ns,
                  std::to_string(elapsed_ns / kNanosPerSecond) + " of " +
                      std::to_string(duration_ns / kNanosPerSecond) +
                      " s (Ctrl-C stops and keeps it)");
    interrupt.WaitUntil(Deadline::In(std::min(kProgressStep, duration_ns - elapsed_ns)),
                        target.pidfd());
  }
}

// Starts the recording with a timeout and a lease, each of which ends the recording if jprof is
// killed. Returns the agent's answer.
Outcome<AgentAnswer> Start(const std::string& options, const RecordTimes& times,
                           const std::optional<Lease>& lease, AgentCall& call) {
  const auto seconds = (times.duration_ns + kGrace) / kNanosPerSecond;
  const std::string timed = options + ",timeout=" + std::to_string(seconds) + "s";
  Outcome<AgentAnswer> started = call.Execute(WithLease(timed, lease), Deadline::In(times.wait_ns));
  if (started) PrintNotes(started.value());
  return started;
}

// Stops the recording. If the agent refuses to collect garbage (--gc), stops the recording without
// a collection.
Outcome<AgentAnswer> Stop(const CommandLine& line, const RecordTimes& times,
                          const std::optional<Lease>& lease, AgentCall& call) {
  Outcome<AgentAnswer> stopped =
      call.Execute(WithLease(WithGc(line, "stop"), lease), Deadline::In(times.wait_ns));
  const bool is_refused = !stopped && stopped.error().kind() == FailureKind::kRefused;
  if (!is_refused || !line.Has(NameOf(CliOption::kGc))) return stopped;
  PrintNote("--gc: " + stopped.error().message());
  return call.Execute(WithLease("stop", lease), Deadline::In(times.wait_ns));
}

// Returns the texts about the result. `stopped`: the agent's answer to stop; nullopt if the JVM has
// exited.
Outcome<Recorded> Report(const TargetProcess& target, const OutputStaging& staging,
                         const std::optional<AgentAnswer>& stopped) {
  const bool was_cut_off = !stopped && staging.ClearAfterExit(target.namespace_pid());
  if (!stopped && !staging.IsStream() && !staging.Exists()) {
    return Failure(FailureKind::kExited, target.Name() + " ended and left no recording");
  }
  if (was_cut_off) {
    if (staging.Samples() == 0) {
      return Failure(FailureKind::kExited,
                     target.Name() +
                         " ended before a chunk of its recording was finished: " + staging.path() +
                         " has no samples; --chunktime makes chunks shorter than a minute");
    }
    return Failure(FailureKind::kExited, target.Name() +
                                             " ended before its recording did: " + staging.path() +
                                             " holds the chunks that were finished");
  }
  if (stopped) PrintNotes(*stopped);
  const std::string summary =
      stopped ? OutcomeText(*stopped) : target.Name() + " ended; its recording is complete";
  AgentAnswer answer = stopped.value_or(AgentAnswer());
  const std::string recorded = answer.facts.Text("file");
  answer.facts.Remove("file");
  JsonObject json = JsonOf(answer);
  json.Text("outcome", summary);
  if (staging.IsStream()) {
    Print(stderr, summary);  // standard output might be the stream of the result
    return Recorded{"", json.Done(), ""};
  }
  // Uses the path in the agent's answer, if there is one. This path differs from the wanted path if
  // another program has changed the file at the wanted path.
  const std::string& path = staging.IsDirect() && !recorded.empty() ? recorded : staging.path();
  json.Text("file", path);
  return Recorded{summary + '\n' + ResultLine(path, staging.format()), json.Done(), path};
}

// Handles a recording that could not be stopped, or that another program has stopped. Returns
// `failure` with a longer message, which also says what happens to the recorded data and which file
// contains the data.
Failure NotStopped(const Failure& failure, IfKilled if_killed, OutputStaging& staging) {
  if (failure.kind() == FailureKind::kRefused) {
    const Outcome<void> fetched = staging.Fetch();
    if (!fetched && fetched.error().kind() == FailureKind::kExited) return failure;
    return {failure.kind(), failure.message() + "; " +
                                (fetched ? "what was recorded is in " + staging.path()
                                         : fetched.error().message())};
  }
  if (if_killed == IfKilled::kRemove) {
    return {failure.kind(), failure.message() + "; it ends the recording and keeps nothing of it"};
  }
  const std::string staged = staging.Release();
  const std::string& fallback = staging.fallback_path();
  const std::string& kept = fallback.empty() ? staging.path() : fallback;
  // If the agent's answer was unusable, the agent might have stopped the recording. The recording
  // then stays in the staged file.
  const bool may_have_ended = failure.kind() != FailureKind::kNoAnswer && !staged.empty();
  return {failure.kind(), failure.message() + "; it keeps the recording in " + kept +
                              (may_have_ended ? ", or in " + staged : "")};
}

}  // namespace

Outcome<RecordTimes> RecordTimesOf(const CommandLine& line) {
  const Outcome<Nanos> duration = TimeOption(line, CliOption::kDuration);
  if (!duration) return duration.error();
  const Outcome<Nanos> wait = TimeOption(line, CliOption::kWait);
  if (!wait) return wait.error();
  return RecordTimes{duration.value(), wait.value()};
}

Outcome<Recorded> Record(const CommandLine& line, const std::string& start,
                         const RecordTimes& times, AgentCall& call, IfKilled if_killed) {
  const TargetProcess& target = call.target();
  const Outcome<std::string> wanted = WantedPath(line, target.pid());
  if (!wanted) return wanted.error();
  Outcome<OutputStaging> staging = OutputStaging::Choose(target, call.temp(), wanted.value());
  if (!staging) return staging.error();
  if (line.Has(NameOf(CliOption::kJson)) && staging.value().IsStandardOutput()) {
    return Failure(FailureKind::kUsage,
                   "--json prints on standard output, to which the recording goes: name a file by "
                   "--output");
  }
  if (!staging.value().Notice().empty()) PrintNote(staging.value().Notice());
  const std::string options = WithFile(start, EscapedPattern(staging.value().agent_path()));
  const Interrupt interrupt;
  const std::optional<Lease> lease =
      Lease::Take(call.temp(), if_killed == IfKilled::kRemove ? std::string(kKeepNothing)
                                                              : staging.value().fallback_path());
  const Outcome<AgentAnswer> started = Start(options, times, lease, call);
  if (!started) {
    if (target.HasExited()) staging.value().ClearAfterExit(target.namespace_pid());
    return started.error();
  }
  staging.value().Follow(started.value().facts.Text("file"));
  WaitForEnd(target, interrupt, times.duration_ns);
  const Outcome<AgentAnswer> stopped = Stop(line, times, lease, call);
  // A JVM that was not killed completes its recording before it exits.
  const bool exited = !stopped && target.HasExited();
  if (!stopped && !exited) return NotStopped(stopped.error(), if_killed, staging.value());
  const Outcome<void> fetched = staging.value().Fetch();
  if (!fetched) return fetched.error();
  return Report(target, staging.value(), exited ? std::nullopt : std::optional(stopped.value()));
}

}  // namespace jprof
