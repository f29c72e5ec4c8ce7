#include "cli/record.h"

#include <sys/stat.h>

#include <algorithm>
#include <optional>
#include <string>

#include "attach/lease.h"
#include "cli/agent_options.h"
#include "cli/interrupt.h"
#include "cli/output_staging.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "conversion/output_format.h"
#include "session/options/file_pattern.h"
#include "session/options/option_table.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// Without a lease: the delay after which the recording of a killed jprof ends by itself.
constexpr Nanos kGrace = 60 * kNanosPerSecond;
constexpr Nanos kProgressStep = kNanosPerSecond / 4;

constexpr std::string_view kRecordingViewer =
    "jprof convert makes a flame graph of it; JDK Mission Control and jfr view read it";

// Escapes "%", since the agent expands patterns.
std::string Literal(const std::string& path) {
  std::string literal;
  for (const char c : path) literal += c == '%' ? "%%" : std::string(1, c);
  return literal;
}

// "a.jfr" if the name is free, else "a-2.jfr" and so on.
std::string FreeName(const std::string& path) {
  const size_t dot = path.rfind('.');
  std::string free = path;
  struct stat taken;
  for (int number = 2; lstat(free.c_str(), &taken) == 0; ++number) {
    free = path.substr(0, dot) + "-" + std::to_string(number) + path.substr(dot);
  }
  return free;
}

// The wanted path of the result. Patterns are those of the agent, expanded by jprof. A file that
// the user named is replaced; a default name never replaces a file.
Outcome<std::string> WantedPath(const CommandLine& line, pid_t pid) {
  const bool named = line.Has(NameOf(CliOption::kOutput));
  FilePatternContext context = FilePatternContext::OfThisProcess();
  context.pid = pid;
  const Result<std::string> path = ExpandFilePattern(
      named ? line.Value(CliOption::kOutput) : std::string(RowOf(OptionId::kFile).default_text),
      context);
  if (!path) return Failure(FailureKind::kUsage, path.error());
  const Outcome<std::string> absolute = AbsoluteOutput(path.value());
  if (!absolute || named) return absolute;
  return FreeName(absolute.value());
}

std::string ResultLine(const std::string& path) {
  struct stat file;
  const int64_t bytes = stat(path.c_str(), &file) == 0 ? file.st_size : 0;
  const std::optional<OutputFormat> format = OutputFormatOf(path);
  return path + " (" + std::to_string((bytes + 1023) / 1024) +
         " kB): " + std::string(format ? format->row->viewer : kRecordingViewer) + '\n';
}

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

// Adds the options that end the recording without jprof. An agent loaded by an older jprof may not
// know `lease`.
Outcome<void> Start(const std::string& options, const RecordTimes& times,
                    const std::optional<Lease>& lease, AgentCall& call) {
  const auto seconds = (times.duration_ns + kGrace) / kNanosPerSecond;
  const std::string timed = options + ",timeout=" + std::to_string(seconds) + "s";
  std::string leased = timed;
  if (lease) leased += ",lease=" + lease->path();
  Outcome<AgentAnswer> started = call.Execute(leased, Deadline::In(times.wait_ns));
  if (!started && started.error().message().find("'lease") != std::string::npos) {
    started = call.Execute(timed, Deadline::In(times.wait_ns));
  }
  if (!started) return started.error();
  PrintNotes(started.value());
  return {};
}

// `stopped`: the agent's answer; nullopt: the JVM has exited.
Outcome<std::string> Report(const TargetProcess& target, const OutputStaging& staging,
                            const std::optional<AgentAnswer>& stopped) {
  if (!stopped && !staging.IsStream() && !staging.Exists()) {
    return Failure(FailureKind::kExited, target.Name() + " ended and left no recording");
  }
  if (!stopped && staging.WasCutOff(target.namespace_pid())) {
    return Failure(FailureKind::kExited, target.Name() +
                                             " ended before its recording did: " + staging.path() +
                                             " holds the chunks that were finished");
  }
  if (stopped) PrintNotes(*stopped);
  const std::string summary =
      stopped ? stopped->outcome : target.Name() + " ended; its recording is complete";
  if (staging.IsStream()) {
    Print(stderr, summary);  // standard output may be the stream
    return std::string();
  }
  // The JVM's own name of the file, which differs from the wanted one if others changed that file.
  const bool elsewhere = stopped && staging.IsDirect() && !stopped->file.empty();
  return summary + '\n' + ResultLine(elsewhere ? stopped->file : staging.path());
}

// The recording was stopped by others, or could not be stopped: preserves its data.
Failure NotStopped(const Failure& failure, OutputStaging& staging) {
  if (failure.kind() == FailureKind::kRefused && staging.Fetch()) {
    return {failure.kind(), failure.message() + "; what was recorded is in " + staging.path()};
  }
  if (failure.kind() != FailureKind::kNoAnswer) return failure;
  staging.Release();
  return {failure.kind(),
          failure.message() + "; it keeps the recording in " +
              (staging.fallback_path().empty() ? staging.path() : staging.fallback_path())};
}

}  // namespace

Outcome<RecordTimes> RecordTimesOf(const CommandLine& line) {
  const Outcome<Nanos> duration = TimeOption(line, CliOption::kDuration);
  if (!duration) return duration.error();
  const Outcome<Nanos> wait = TimeOption(line, CliOption::kWait);
  if (!wait) return wait.error();
  return RecordTimes{duration.value(), wait.value()};
}

Outcome<std::string> Record(const CommandLine& line, const RecordTimes& times, AgentCall& call) {
  const TargetProcess& target = call.target();
  const Outcome<std::string> wanted = WantedPath(line, target.pid());
  if (!wanted) return wanted.error();
  Outcome<OutputStaging> staging = OutputStaging::Choose(target, call.temp(), wanted.value());
  if (!staging) return staging.error();
  Outcome<std::string> options = AgentStartOptions(line, Literal(staging.value().agent_path()));
  if (!options) return options.error();

  const Interrupt interrupt;
  const std::optional<Lease> lease = Lease::Take(call.temp(), staging.value().fallback_path());
  const Outcome<void> started = Start(options.value(), times, lease, call);
  if (!started) return started.error();
  WaitForEnd(target, interrupt, times.duration_ns);
  const Outcome<AgentAnswer> stopped = call.Execute("stop", Deadline::In(times.wait_ns));
  // An exiting JVM completes its recording first.
  const bool exited = !stopped && target.HasExited();
  if (!stopped && !exited) return NotStopped(stopped.error(), staging.value());
  const Outcome<void> fetched = staging.value().Fetch();
  if (!fetched) return fetched.error();
  return Report(target, staging.value(), exited ? std::nullopt : std::optional(stopped.value()));
}

}  // namespace jprof
