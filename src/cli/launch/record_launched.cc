#include "cli/launch/record_launched.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "attach/agent_library.h"
#include "attach/failure.h"
#include "base/output_claim.h"
#include "base/output_file.h"
#include "base/output_place.h"
#include "cli/convert/conversion.h"
#include "cli/convert/open.h"
#include "cli/convert/result_path.h"
#include "cli/launch/launch_folder.h"
#include "cli/launch/launched_command.h"
#include "cli/words/agent_options.h"
#include "cli/words/command_line.h"
#include "cli/words/json_object.h"
#include "cli/words/print.h"
#include "conversion/all_formats.h"
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

// A recording and the number of its samples.
struct Counted {
  LaunchedRecording recording;
  uint64_t samples = 0;
  std::string counts;  // "309 cpu samples"
};

Outcome<std::string> ToolOptions(const CommandLine& line, const std::string& start,
                                 const LaunchFolder& folder, std::optional<Nanos> duration) {
  const bool given = line.Has(NameOf(CliOption::kLibrary));
  const std::string named = given ? line.Value(CliOption::kLibrary) : DefaultAgentLibrary();
  char library[PATH_MAX];
  if (realpath(named.c_str(), library) == nullptr) {
    return Failure(FailureKind::kLibrary, Error::FromErrno("open", named));
  }
  std::string agent = WithFile(start, EscapedPattern(folder.path()) + '/' + folder.Pattern());
  if (line.options.count("loglevel") == 0) agent += ",loglevel=warn";
  if (duration) agent += ",timeout=" + std::to_string(*duration / 1'000'000 + 1) + "ms";
  agent += ",lease=" + QuotedValue(folder.LeasePath());
  const char* const existing = std::getenv(kVariable);
  return ToolOptionsWithAgent(existing == nullptr ? "" : existing, library, agent);
}

// Counts the samples of a recording in a confined process. The result has 0 samples if the
// recording cannot be read.
Counted Count(const LaunchFolder& folder, const LaunchedRecording& recording) {
  Counted counted{recording, 0, {}};
  Outcome<ScopedFd> input = folder.Open(recording.name);
  if (!input) return counted;
  const std::optional<ConvertReport> report =
      CountSamples({std::move(input).value(), folder.PathOf(recording.name)});
  if (!report) return counted;
  counted.samples = report->samples;
  counted.counts = report->counts;
  return counted;
}

// Returns what a recording contains, such as ": 309 cpu samples". In the line that reports the
// result, this text stands between "process 4711" and " in /x/a.jfr".
std::string ContentText(const Counted& counted) {
  if (!counted.recording.was_cut_off) {
    return ": " + (counted.counts.empty() ? "a recording" : counted.counts);
  }
  if (counted.samples == 0) {
    return " was killed before a chunk of its recording was finished: there are no samples";
  }
  return " was killed: the chunks that were finished hold " + counted.counts;
}

// Returns the recordings that have ended, sorted by their samples, then by their bytes, the most
// first. The first one gets the path that the user wants.
std::vector<Counted> CountAll(const LaunchFolder& folder) {
  std::vector<Counted> all;
  for (const LaunchedRecording& recording : folder.List()) {
    if (!recording.is_recording) all.push_back(Count(folder, recording));
  }
  std::ranges::stable_sort(all, [](const Counted& a, const Counted& b) {
    return std::pair(a.samples, a.recording.bytes) > std::pair(b.samples, b.recording.bytes);
  });
  return all;
}

// Returns the wanted path for the recording of the process `pid`. Adds the pid to the path if
// another recording was already delivered to the wanted path. This happens if --output has no %p,
// or if several processes had the same pid, one after the other or in different namespaces.
Outcome<std::string> PathOf(const CommandLine& line, pid_t pid,
                            const std::vector<std::string>& delivered) {
  Outcome<std::string> path = WantedPath(line, pid);
  if (!path || std::ranges::find(delivered, path.value()) == delivered.end()) return path;
  return FreeName(WithSuffix(path.value(), "-" + std::to_string(pid)));
}

// Moves or converts the recording `name` to `path`. `format`: the format of the result; nullopt if
// the result is the recording itself.
Outcome<void> DeliverTo(const std::string& path, const std::optional<OutputFormat>& format,
                        const LaunchFolder& folder, const std::string& name) {
  if (!format) {
    const Status moved = folder.MoveTo(name, path);
    return moved ? Outcome<void>() : Failure(FailureKind::kFile, moved.error());
  }
  Outcome<ScopedFd> opened = folder.Open(name);
  if (!opened) return opened.error();
  const profile::RecordingInput input{std::move(opened).value(), folder.PathOf(name)};
  const profile::Slice everything;
  ConversionTask task{{&input, 1}, everything, *format};
  task.options.title = path.substr(path.rfind('/') + 1);
  const Outcome<ConvertReport> report = ConvertToFile(task, path);
  if (!report) return report.error();
  PrintNotes(report.value());
  return {};
}

// Moves or converts a recording to `wanted`, or to a path in the same folder if another process
// writes to `wanted`. Returns the path of the result.
Outcome<std::string> Deliver(const LaunchFolder& folder, const LaunchedRecording& recording,
                             const std::string& wanted, const std::optional<OutputFormat>& format) {
  const Result<OutputClaim> claim = OutputClaim::Take(wanted, recording.pid);
  if (!claim) return Failure(FailureKind::kFile, claim.error());
  if (!claim.value().notice().empty()) PrintNote(claim.value().notice());
  const std::string& path = claim.value().path();
  const Outcome<void> delivered = DeliverTo(path, format, folder, recording.name);
  if (!delivered) return delivered.error();
  return path;
}

// The results of the recordings.
struct Delivered {
  std::vector<std::string> paths;
  std::vector<std::string> objects;  // a JSON object for each result
};

// Returns `failure` with a longer message, which also names the folder that keeps the recordings.
Failure Kept(const Failure& failure, const LaunchFolder& folder) {
  return Failure(failure.kind(),
                 failure.message() + "; the recordings are kept in " + folder.path());
}

// Delivers every recording to its path. Removes a recording without samples, unless it is the first
// one or its JVM was killed. If a recording cannot be delivered, the failure names the folder, in
// which this recording and all later ones stay.
Outcome<Delivered> DeliverAll(const CommandLine& line, const std::optional<OutputFormat>& format,
                              const LaunchFolder& folder) {
  const std::vector<Counted> all = CountAll(folder);
  std::string empty;
  Delivered done;
  for (size_t i = 0; i < all.size(); ++i) {
    const auto& [recording, samples, counts] = all[i];
    const std::string process = "process " + std::to_string(recording.pid);
    if (i > 0 && samples == 0 && !recording.was_cut_off) {
      empty += (empty.empty() ? "" : ", ") + std::to_string(recording.pid);
      folder.Remove(recording);
      continue;
    }
    const Outcome<std::string> wanted = PathOf(line, recording.pid, done.paths);
    if (!wanted) return Kept(wanted.error(), folder);
    const Outcome<std::string> delivered = Deliver(folder, recording, wanted.value(), format);
    if (!delivered) return Kept(delivered.error(), folder);
    folder.Remove(recording);
    done.paths.push_back(delivered.value());
    done.objects.push_back(JsonObject()
                               .Number("pid", static_cast<uint64_t>(recording.pid))
                               .Text("file", delivered.value())
                               .Number("samples", samples)
                               .Text("counts", counts)
                               .Bool("wasKilled", recording.was_cut_off)
                               .Done());
    PrintNote(process + ContentText(all[i]) + " in " + ResultLine(delivered.value(), format));
  }
  if (!empty.empty()) PrintNote("no samples and no file of short-lived processes: " + empty);
  return done;
}

// Ends the recordings and delivers them. Fails with kNotAJvm if there are no recordings.
Outcome<Delivered> Finish(const CommandLine& line, const std::optional<OutputFormat>& format,
                          LaunchFolder& folder) {
  folder.EndRecordings(Deadline::In(kEndTimeout));
  std::vector<LaunchedRecording> recordings = folder.List();
  if (recordings.empty()) return NoJvmRecorded(line.launched);
  for (const LaunchedRecording& each : recordings) {
    if (!each.is_recording) continue;
    PrintNote("process " + std::to_string(each.pid) + " still records, to " +
              folder.PathOf(each.name));
  }
  return DeliverAll(line, format, folder);
}

struct Ended {
  int status = 0;             // the command's status (waitpid)
  Outcome<Delivered> result;  // the result of Finish
};

// Runs the command to its end. The recordings of the command's JVMs end when the command ends, or
// after `duration` if that is earlier.
Outcome<Ended> Run(const CommandLine& line, const std::optional<OutputFormat>& format,
                   const std::string& tool_options, std::optional<Nanos> duration,
                   LaunchFolder& folder) {
  const Outcome<LaunchedCommand> command =
      LaunchedCommand::Start(line.launched, kVariable, tool_options);
  if (!command) return command.error();
  std::optional<int> status;
  // The duration starts with the first recording, since a launcher can take long to start a JVM.
  while (duration && !status && folder.List().empty()) {
    status = command.value().Wait(Deadline::In(kStartStep));
  }
  if (!status) status = command.value().Wait(Deadline::In(duration.value_or(kForEver)));
  Outcome<Delivered> result = Finish(line, format, folder);
  while (!status) status = command.value().Wait(Deadline::In(kForEver));
  return Ended{*status, std::move(result)};
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

// The format of all results, and the path of one result as an example. The example is the path for
// a JVM that has the pid of this process.
struct WantedResult {
  std::string path;
  std::optional<OutputFormat> format;
};

// Returns the wanted result. Called before the command is started, so that errors in the command
// line are found first.
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

}  // namespace

Outcome<int> RecordLaunched(const CommandLine& line) {
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
  std::optional<Nanos> duration;
  if (line.Has(NameOf(CliOption::kDuration))) {
    const Outcome<Nanos> given = TimeOption(line, CliOption::kDuration);
    if (!given) return given.error();
    duration = given.value();
  }
  const Outcome<WantedResult> wanted = CheckedResult(line);
  if (!wanted) return wanted.error();
  const auto& [path, format] = wanted.value();
  Outcome<LaunchFolder> folder = LaunchFolder::Create(path);
  if (!folder) return folder.error();
  const Outcome<std::string> options = ToolOptions(line, start.value(), folder.value(), duration);
  if (!options) return options.error();
  if (options.value().size() > kLongestJdk8ToolOptions) {
    PrintNote("note: a JVM of JDK 8 ignores a JAVA_TOOL_OPTIONS as long as this: " +
              std::to_string(options.value().size()) + " characters");
  }
  const Outcome<Ended> ended = Run(line, format, options.value(), duration, folder.value());
  if (!ended) return ended.error();
  const auto& [status, result] = ended.value();
  const std::string signal = SignalText(status);
  if (!signal.empty()) PrintNote(Quote(line.launched.front()) + " " + signal);
  const int code = ExitCodeOfStatus(status);
  if (!result) {
    if (code == 0) return result.error();
    PrintNote(result.error().message());
    return code;
  }
  if (line.Has(NameOf(CliOption::kJson))) {
    const Outcome<void> printed =
        PrintResult(JsonObject()
                        .Number("exitCode", static_cast<uint64_t>(code))
                        .Value("recordings", JsonArray(result.value().objects))
                        .Done());
    if (!printed) return printed.error();
  }
  if (line.Has(NameOf(CliOption::kOpenResult)) && !result.value().paths.empty()) {
    const Outcome<void> opened = OpenResult(result.value().paths.front());
    if (!opened) return opened.error();
  }
  return code;
}

}  // namespace jprof
