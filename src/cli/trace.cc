#include "cli/trace.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "attach/agent_call.h"
#include "attach/lease.h"
#include "base/agent_contract.h"
#include "cli/method_table.h"
#include "cli/target_argument.h"
#include "cli/words/agent_options.h"
#include "cli/words/command_line.h"
#include "cli/words/interrupt.h"
#include "cli/words/print.h"
#include "options/file_pattern.h"
#include "options/option_table.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

constexpr Nanos kRefresh = kNanosPerSecond;
constexpr Nanos kUntilInterrupted = Nanos{364} * 24 * 3600 * kNanosPerSecond;
constexpr char kFilePrefix[] = ".jprof-trace-";
constexpr char kClearScreen[] = "\033[H\033[J";

struct TraceRequest {
  Nanos duration_ns;
  Nanos wait_ns;
  bool is_once;
  bool is_json;
  std::string methods;  // value of the agent's option trace
};

Outcome<TraceRequest> ParseTraceRequest(const CommandLine& line) {
  const Outcome<Nanos> wait = TimeOption(line, CliOption::kWait);
  if (!wait) return wait.error();
  TraceRequest wanted{kUntilInterrupted, wait.value(), line.Has(NameOf(CliOption::kOnce)),
                      line.Has(NameOf(CliOption::kJson)), ""};
  if (wanted.is_once) wanted.duration_ns = kRefresh;
  if (line.Has(NameOf(CliOption::kTraceFor))) {
    const Outcome<Nanos> duration = TimeOption(line, CliOption::kTraceFor);
    if (!duration) return duration.error();
    wanted.duration_ns = duration.value();
  }
  for (size_t i = 1; i < line.arguments.size(); ++i) {
    wanted.methods += (i == 1 ? "" : "+") + line.arguments[i];
  }
  return wanted;
}

// Returns the option string of a recording that only traces these methods.
Outcome<std::string> StartOptions(const TraceRequest& wanted, const std::string& file,
                                  const std::optional<Lease>& lease) {
  AgentOptions given = {{OptionId::kTrace, wanted.methods},
                        {OptionId::kFile, EscapedPattern(file)}};
  if (lease) given.emplace_back(OptionId::kLease, lease->path());
  return StartString(given);
}

Outcome<void> Show(const std::string& table, bool is_live) {
  if (is_live) std::fputs(kClearScreen, stdout);
  return PrintResult(table);
}

// Shows the table until the duration has passed, the user interrupts, the JVM exits, the output
// fails, or the agent refuses to answer, because another program has stopped its recording.
Outcome<void> ShowLive(const TraceRequest& wanted, const Interrupt& interrupt, AgentCall& call) {
  const bool is_live = isatty(STDOUT_FILENO) == 1 && !wanted.is_once && !wanted.is_json;
  const Deadline end = Deadline::In(wanted.duration_ns);
  std::vector<MethodCalls> before;
  Nanos shown_ns = MonotonicNanos();
  while (!end.HasPassed() && !interrupt.IsRequested() && !call.target().HasExited()) {
    const Nanos step_ns = wanted.is_once ? wanted.duration_ns : kRefresh;
    interrupt.WaitUntil(Deadline::In(std::min(step_ns, wanted.duration_ns)), call.target().pidfd());
    if (interrupt.IsRequested() || call.target().HasExited()) break;
    const Outcome<AgentAnswer> answer = call.Execute("methods", Deadline::In(wanted.wait_ns));
    if (!answer) return answer.error();
    const Result<std::vector<MethodCalls>> now = MethodCallsOf(answer.value().facts);
    if (!now) return Failure(FailureKind::kLibrary, now.error());
    const Nanos now_ns = MonotonicNanos();
    const size_t width = is_live ? TerminalWidth() : 0;
    const Outcome<void> printed =
        Show(wanted.is_json ? MethodsAsJson(now.value(), before, now_ns - shown_ns)
                            : MethodTableText(now.value(), before, now_ns - shown_ns, width),
             is_live);
    if (!printed) return printed.error();
    before = now.value();
    shown_ns = now_ns;
  }
  return {};
}

// Waits up to five seconds for the exit of a JVM that does not answer. Returns true if it has
// exited. An exiting JVM does not answer, and completes its recording first.
bool ExitsSoon(const TargetProcess& target) {
  constexpr Nanos kPatience = 5 * kNanosPerSecond;
  constexpr long kBetweenLooks = 20'000'000;
  const Deadline patience = Deadline::In(kPatience);
  while (!target.HasExited() && !patience.HasPassed()) Deadline::Pause(kBetweenLooks);
  return target.HasExited();
}

}  // namespace

Outcome<std::string> Trace(const CommandLine& line) {
  const Outcome<TraceRequest> wanted = ParseTraceRequest(line);
  if (!wanted) return wanted.error();
  const Outcome<std::string> checked = StartOptions(wanted.value(), kFilePrefix, std::nullopt);
  if (!checked) return checked.error();  // reported before any other error
  Outcome<AgentCall> call = CallOf(line, line.arguments.front());
  if (!call) return call.error();
  const TargetFolder& temp = call.value().temp();
  const std::string pid = std::to_string(call.value().target().pid());
  const std::string file = RandomName(kFilePrefix + pid + "-") + ".jfr";

  const Interrupt interrupt;
  const std::optional<Lease> lease = Lease::Take(temp, std::string(kKeepNothing));
  const Outcome<std::string> options = StartOptions(wanted.value(), temp.PathOf(file), lease);
  if (!options) return options.error();
  const Deadline patience = Deadline::In(wanted.value().wait_ns);
  const Outcome<AgentAnswer> started = call.value().Execute(options.value(), patience);
  if (!started) return started.error();
  PrintNotes(started.value());
  const Outcome<void> shown = ShowLive(wanted.value(), interrupt, call.value());
  const Outcome<AgentAnswer> stopped =
      call.value().Execute(WithLease("stop", lease), Deadline::In(wanted.value().wait_ns));
  const bool exited = !stopped && ExitsSoon(call.value().target());
  temp.Remove(file);
  if (!stopped && !exited) return stopped.error();
  if (exited) {
    const std::string ended = call.value().target().Ended();
    if (!wanted.value().is_json) return ended + '\n';
    PrintNote(ended);
    return std::string();
  }
  if (!shown) return shown.error();
  if (!wanted.value().is_once) PrintNotes(stopped.value());
  return std::string();
}

}  // namespace jprof
