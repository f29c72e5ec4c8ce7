#include "cli/launch/launched_run.h"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "attach/agent_library.h"
#include "base/output_file.h"
#include "base/output_place.h"
#include "cli/convert/open.h"
#include "cli/convert/result_path.h"
#include "cli/words/agent_options.h"
#include "cli/words/print.h"
#include "options/error_text.h"
#include "options/file_pattern.h"
#include "options/parsed_arguments.h"

namespace jprof {
namespace {

// The longest value of JAVA_TOOL_OPTIONS that JDK 8 accepts, in characters. JDK 8 ignores a longer
// value (jdk8u src/share/vm/runtime/arguments.cpp, OPTION_BUFFER_SIZE).
constexpr size_t kLongestJdk8ToolOptions = 1023;

// Returns `text` quoted so that the JVM reads it as one word of JAVA_TOOL_OPTIONS. The JVM splits
// the value at white space outside quotes. Quotes are single or double, can start in the middle of
// a word, and contain no escapes (JDK src/hotspot/share/runtime/arguments.cpp,
// Arguments::parse_options_buffer, jdk-25+36).
std::string AsOneWord(std::string_view text) {
  if (text.find_first_of(" \t\n\v\f\r'\"") == std::string_view::npos) return std::string(text);
  std::string word;
  while (!text.empty()) {
    const char quote = text.front() == '"' ? '\'' : '"';
    const std::string_view part = text.substr(0, text.find(quote));
    word += quote + std::string(part) + quote;
    text.remove_prefix(part.size());
  }
  return word;
}

// Returns `existing` followed by a JVM option that loads `library` with `agent_options`. Fails with
// kLibrary if the path of the library contains '=', because the JVM takes the text after the first
// '=' as options of the agent.
Outcome<std::string> ToolOptionsWithAgent(std::string_view existing, const std::string& library,
                                          const std::string& agent_options) {
  if (library.find('=') != std::string::npos) {
    return Failure(FailureKind::kLibrary, "no JVM can load " + Quote(library) +
                                              " at its start: behind '=' it looks for options");
  }
  std::string value(existing);
  if (!value.empty()) value += ' ';
  return value + AsOneWord("-agentpath:" + library + "=" + agent_options);
}

// Every JVM adds the options in this variable to its own.
constexpr char kVariable[] = "JAVA_TOOL_OPTIONS";
// The longest wait for the recordings to end. jprof ends them by closing the lease, a file that it
// keeps locked (launch_folder.h). Each JVM checks once a second whether the lease is still locked,
// and if not, completes its recording.
constexpr Nanos kEndTimeout = 10 * kNanosPerSecond;
constexpr Nanos kStartStep = kNanosPerSecond / 20;
constexpr Nanos kForEver = Nanos{365} * 24 * 3600 * kNanosPerSecond;

// Returns the value of kVariable that makes every JVM record to `folder`.
Outcome<std::string> ToolOptions(const CommandLine& line, const LaunchPlan& plan,
                                 const LaunchFolder& folder) {
  const bool given = line.Has(NameOf(CliOption::kLibrary));
  const std::string named = given ? line.Value(CliOption::kLibrary) : DefaultAgentLibrary();
  char library[PATH_MAX];
  if (realpath(named.c_str(), library) == nullptr) {
    return Failure(FailureKind::kLibrary, Error::FromErrno("open", named));
  }
  std::string agent = WithFile(plan.start, EscapedPattern(folder.path()) + '/' + folder.Pattern());
  if (line.options.count("loglevel") == 0) agent += ",loglevel=warn";
  if (plan.duration) {
    agent += ",timeout=" + std::to_string(*plan.duration / 1'000'000 + 1) + "ms";
  }
  agent += ",lease=" + QuotedValue(folder.LeasePath());
  const char* const existing = std::getenv(kVariable);
  return ToolOptionsWithAgent(existing == nullptr ? "" : existing, library, agent);
}

// Fails with kUsage if JAVA_TOOL_OPTIONS already makes the agent start a recording, because every
// JVM would refuse a second recording.
Outcome<void> CheckNotLaunchedByAnother() {
  const char* const existing = std::getenv(kVariable);
  if (existing == nullptr) return {};
  const std::string_view options(existing);
  const size_t agent = options.find("/libprofiler.so=start");
  if (agent == std::string_view::npos) return {};
  return Failure(FailureKind::kUsage,
                 std::string(kVariable) +
                     " already makes every JVM record, as another jprof record does around its "
                     "command: leave out one of them");
}

}  // namespace

Outcome<WantedResult> CheckedResult(const CommandLine& line) {
  const Outcome<std::string> path = WantedPath(line, getpid());
  if (!path) return path.error();
  const Result<OutputPlace> place = OutputPlace::Resolve(path.value());
  if (place && place.value().kind() == OutputPlace::Kind::kStream) {
    return Failure(FailureKind::kUsage,
                   "--output " + Quote(path.value()) +
                       " is a stream: with -- COMMAND name a file, since the command writes to the "
                       "streams itself, and each of its JVMs has a recording of its own");
  }
  const std::optional<OutputFormat> format = OutputFormatOf(path.value());
  if (!format && !IsRecordingPath(path.value())) return NoKnownFormat(path.value());
  if (line.Has(NameOf(CliOption::kOpenResult))) {
    const Outcome<void> can_open = CheckCanOpen(path.value());
    if (!can_open) return can_open.error();
  }
  const Status writable = OutputFile::Try(path.value());
  if (!writable) return Failure(FailureKind::kFile, writable.error());
  return WantedResult{path.value(), format};
}

Outcome<LaunchPlan> LaunchPlanOf(const CommandLine& line) {
  const Outcome<void> alone = CheckNotLaunchedByAnother();
  if (!alone) return alone.error();
  for (const CliOption attached : {CliOption::kGc, CliOption::kWait}) {
    if (!line.Has(NameOf(attached))) continue;
    return Failure(FailureKind::kUsage,
                   "--" + std::string(NameOf(attached)) +
                       " is for a JVM that runs: leave it out with -- COMMAND");
  }
  const Outcome<std::string> start = AgentStartOptions(line, "");
  if (!start) return start.error();
  LaunchPlan plan{start.value(), std::nullopt};
  if (!line.Has(NameOf(CliOption::kDuration))) return plan;
  const Outcome<Nanos> given = TimeOption(line, CliOption::kDuration);
  if (!given) return given.error();
  plan.duration = given.value();
  return plan;
}

Outcome<LaunchedRun> LaunchedRun::Start(const CommandLine& line, const LaunchPlan& plan,
                                        LaunchFolder& folder) {
  const Outcome<std::string> options = ToolOptions(line, plan, folder);
  if (!options) return options.error();
  if (options.value().size() > kLongestJdk8ToolOptions) {
    PrintNote("note: a JVM of JDK 8 ignores a JAVA_TOOL_OPTIONS as long as this: " +
              std::to_string(options.value().size()) + " characters");
  }
  Outcome<LaunchedCommand> command =
      LaunchedCommand::Start(line.launched, kVariable, options.value());
  if (!command) return command.error();
  return LaunchedRun(line, plan.duration, folder, std::move(command).value());
}

Outcome<void> LaunchedRun::AwaitRecordings() {
  // The duration starts with the first recording, since a launcher can take long to start a JVM.
  while (duration_ && !status_ && folder_.List().empty()) {
    status_ = command_.Wait(Deadline::In(kStartStep));
  }
  if (duration_ && !folder_.List().empty()) deadline_ns_ = MonotonicNanos() + *duration_;
  if (!status_) status_ = command_.Wait(Deadline::In(duration_.value_or(kForEver)));
  folder_.EndRecordings(Deadline::In(kEndTimeout));
  const std::vector<LaunchedRecording> recordings = folder_.List();
  if (recordings.empty()) return NoJvmRecorded(line_.launched);
  for (const LaunchedRecording& each : recordings) {
    if (!each.is_recording) continue;
    PrintNote("process " + std::to_string(each.pid) + " still records, to " +
              folder_.PathOf(each.name));
  }
  return {};
}

int LaunchedRun::AwaitEnd() {
  while (!status_) status_ = command_.Wait(Deadline::In(kForEver));
  const std::string signal = SignalText(*status_);
  if (!signal.empty()) PrintNote(Quote(line_.launched.front()) + " " + signal);
  return ExitCodeOfStatus(*status_);
}

}  // namespace jprof
