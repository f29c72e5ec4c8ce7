#include "cli/record.h"

#include <sys/stat.h>

#include <algorithm>
#include <string>

#include "cli/agent_options.h"
#include "cli/interrupt.h"
#include "cli/place_of_output.h"
#include "cli/progress.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

// A recording whose jprof is killed ends by itself, that much later than it would have been ended.
constexpr Nanos kGrace = 60 * kNanosPerSecond;
constexpr Nanos kProgressStep = kNanosPerSecond / 4;

struct Viewer {
  std::string_view extension;
  std::string_view hint;
};

constexpr Viewer kViewers[] = {
    {".html", "open it in a browser"},
    {".collapsed", "a line per stack: sort, grep, or any flame graph tool"},
    {".txt", "a line per stack: sort, grep, or any flame graph tool"},
    {"", "jprof convert makes a flame graph of it; JDK Mission Control and jfr view read it"},
};

// "%" stands for itself in what the agent takes for a pattern.
std::string Literal(const std::string& path) {
  std::string literal;
  for (const char c : path) literal += c == '%' ? "%%" : std::string(1, c);
  return literal;
}

std::string DefaultOutput(pid_t pid) { return "profile-" + std::to_string(pid) + ".jfr"; }

std::string ResultLine(const std::string& path) {
  struct stat file;
  const int64_t bytes = stat(path.c_str(), &file) == 0 ? file.st_size : 0;
  const auto* const viewer =
      std::find_if(std::begin(kViewers), std::end(kViewers),
                   [&path](const Viewer& each) { return path.ends_with(each.extension); });
  return path + " (" + std::to_string((bytes + 1023) / 1024) +
         " kB): " + std::string(viewer->hint) + '\n';
}

// Until the time is over, the user interrupts, or the JVM ends.
void WaitForEnd(const TargetProcess& target, const Interrupt& interrupt, Nanos duration_ns) {
  Progress progress("recording " + target.Name());
  const Nanos start_ns = MonotonicNanos();
  const Deadline end = Deadline::In(duration_ns);
  while (!end.HasPassed() && !interrupt.IsRequested() && !target.HasEnded()) {
    const Nanos elapsed_ns = std::min(MonotonicNanos() - start_ns, duration_ns);
    progress.Show(elapsed_ns, duration_ns);
    interrupt.WaitUntil(Deadline::In(std::min(kProgressStep, duration_ns - elapsed_ns)),
                        target.pidfd());
  }
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
  const bool named = line.Has(NameOf(CliOption::kOutput));
  const Outcome<std::string> wanted =
      AbsoluteOutput(named ? line.Value(CliOption::kOutput) : DefaultOutput(target.pid()));
  if (!wanted) return wanted.error();
  Outcome<PlaceOfOutput> place = PlaceOfOutput::Choose(target, call.temp(), wanted.value());
  if (!place) return place.error();
  Outcome<std::string> options = AgentStartOptions(line, Literal(place.value().agent_path()));
  if (!options) return options.error();
  const auto seconds = (times.duration_ns + kGrace) / kNanosPerSecond;

  const Interrupt interrupt;
  const Outcome<std::string> started = call.Execute(
      options.value() + ",timeout=" + std::to_string(seconds) + "s", Deadline::In(times.wait_ns));
  if (!started) return started.error();
  WaitForEnd(target, interrupt, times.duration_ns);
  Outcome<std::string> stopped = call.Execute("stop", Deadline::In(times.wait_ns));
  // A JVM that ends completes its recording before.
  const bool died = !stopped && target.HasEnded();
  if (!stopped && !died) return stopped.error();
  const Outcome<void> fetched = place.value().Fetch();
  if (!fetched) return fetched.error();
  if (died && !place.value().Exists()) {
    return Failure(FailureKind::kDied, target.Name() + " ended and left no recording");
  }
  if (died && place.value().WasCutOff(target.namespace_pid())) {
    return Failure(FailureKind::kDied,
                   target.Name() + " ended before its recording did: " + place.value().path() +
                       " holds the chunks that were finished");
  }
  // Of the agent's line the path is left out: it may be one of the JVM's.
  const std::string summary = died ? target.Name() + " ended; its recording is complete"
                                   : stopped.value().substr(0, stopped.value().rfind(" in /"));
  return summary + '\n' + ResultLine(place.value().path());
}

}  // namespace jprof
