#include "cli/trace.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "attach/agent_call.h"
#include "attach/lease.h"
#include "base/agent_contract.h"
#include "base/scaled_text.h"
#include "cli/target_argument.h"
#include "cli/words/agent_options.h"
#include "cli/words/command_line.h"
#include "cli/words/interrupt.h"
#include "cli/words/json_object.h"
#include "cli/words/print.h"
#include "options/file_pattern.h"
#include "options/option_table.h"
#include "sigsafe/os/clock.h"

namespace jprof {
namespace {

uint64_t CallsPerSecond(uint64_t calls, Nanos elapsed_ns) {
  if (elapsed_ns <= 0) return 0;
  return static_cast<uint64_t>(
      std::llround(static_cast<double>(calls) * 1e9 / static_cast<double>(elapsed_ns)));
}

// EarlierCalls: the number of calls to each method at the time when the previous table was printed.
class EarlierCalls {
 public:
  explicit EarlierCalls(const std::vector<MethodCalls>& before) {
    for (const MethodCalls& method : before) calls_[method.name] += method.calls;
  }

  uint64_t Since(const MethodCalls& method) const {
    const auto known = calls_.find(method.name);
    const uint64_t earlier = known == calls_.end() ? 0 : known->second;
    return method.calls > earlier ? method.calls - earlier : 0;
  }

 private:
  std::map<std::string_view, uint64_t> calls_;
};

// Returns the methods in the order of the table: by total time, then by calls, the most first.
std::vector<const MethodCalls*> InOrder(const std::vector<MethodCalls>& methods) {
  std::vector<const MethodCalls*> sorted;
  for (const MethodCalls& method : methods) sorted.push_back(&method);
  std::ranges::stable_sort(sorted, std::greater<>(), [](const MethodCalls* method) {
    return std::pair(method->total_ns, method->calls);
  });
  return sorted;
}

std::string TimeText(Nanos time_ns) { return time_ns < 0 ? "-" : RoundedDurationText(time_ns); }

constexpr Nanos kRefresh = kNanosPerSecond;
constexpr Nanos kUntilInterrupted = Nanos{364} * 24 * 3600 * kNanosPerSecond;
constexpr char kFilePrefix[] = ".jprof-trace-";
constexpr char kClearScreen[] = "\033[H\033[J";

struct TraceRequest {
  Nanos duration_ns;
  Nanos wait_ns;
  bool is_once;
  bool is_json;
  std::string methods;  // value of the agent's option `trace`
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

// Returns the option string of a recording that only traces the methods in `wanted`.
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
// fails, or the agent refuses to answer because another program has stopped the recording.
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

// Waits up to five seconds for the exit of a JVM that does not answer, and returns true if the JVM
// has exited. A JVM that exits stops answering, then completes its recording, and only then ends.
bool ExitsSoon(const TargetProcess& target) {
  constexpr Nanos kPatience = 5 * kNanosPerSecond;
  constexpr long kBetweenLooks = 20'000'000;
  const Deadline patience = Deadline::In(kPatience);
  while (!target.HasExited() && !patience.HasPassed()) Deadline::Pause(kBetweenLooks);
  return target.HasExited();
}

}  // namespace

std::string MethodTableText(const std::vector<MethodCalls>& now,
                            const std::vector<MethodCalls>& before, Nanos elapsed_ns,
                            size_t width) {
  std::string text = "   calls/s        calls  exceptions       p50       p99       max  method\n";
  const EarlierCalls earlier(before);
  for (const MethodCalls* method : InOrder(now)) {
    const uint64_t more = earlier.Since(*method);
    char numbers[128];
    std::snprintf(numbers, sizeof numbers, "%10llu %12llu %11llu %9s %9s %9s  ",
                  static_cast<unsigned long long>(CallsPerSecond(more, elapsed_ns)),
                  static_cast<unsigned long long>(method->calls),
                  static_cast<unsigned long long>(method->exceptions),
                  TimeText(method->p50_ns).c_str(), TimeText(method->p99_ns).c_str(),
                  TimeText(method->longest_ns).c_str());
    std::string line = numbers + method->name;
    if (width != 0 && line.size() > width) line.resize(width);
    text += line + '\n';
  }
  return text;
}

std::string MethodsAsJson(const std::vector<MethodCalls>& now,
                          const std::vector<MethodCalls>& before, Nanos elapsed_ns) {
  const EarlierCalls earlier(before);
  std::vector<std::string> objects;
  for (const MethodCalls* method : InOrder(now)) {
    JsonObject object;
    const auto add_time = [&](std::string_view key, Nanos time_ns) {
      time_ns < 0 ? object.Null(key) : object.Number(key, static_cast<uint64_t>(time_ns));
    };
    object.Text("method", method->name);
    object.Number("calls", method->calls);
    object.Number("callsPerSecond", CallsPerSecond(earlier.Since(*method), elapsed_ns));
    object.Number("exceptions", method->exceptions);
    add_time("totalNs", method->total_ns);
    add_time("p50Ns", method->p50_ns);
    add_time("p99Ns", method->p99_ns);
    add_time("longestNs", method->longest_ns);
    objects.push_back(object.Done());
  }
  return JsonObject()
      .Number("elapsedNs", static_cast<uint64_t>(std::max<Nanos>(elapsed_ns, 0)))
      .Value("methods", JsonArray(objects))
      .Done();
}

Outcome<std::string> Trace(const CommandLine& line) {
  const Outcome<TraceRequest> wanted = ParseTraceRequest(line);
  if (!wanted) return wanted.error();
  const Outcome<std::string> checked = StartOptions(wanted.value(), kFilePrefix, std::nullopt);
  if (!checked) return checked.error();  // errors in the methods are reported before all others
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
