#include "cli/validate.h"

#include <unistd.h>

#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "attach/agent_call.h"
#include "base/proportion.h"
#include "cli/convert/convert_command.h"
#include "cli/convert/result_path.h"
#include "cli/record.h"
#include "cli/target_argument.h"
#include "cli/validation_runs.h"
#include "cli/view.h"
#include "cli/words/agent_options.h"
#include "cli/words/json_object.h"
#include "cli/words/print.h"
#include "conversion/all_formats.h"
#include "options/error_text.h"
#include "options/file_pattern.h"
#include "options/method_pattern.h"
#include "options/quantity.h"

namespace jprof {
namespace {

constexpr int kTooManyWrong = 1;
constexpr int kTooFewCompared = 3;

// Returns the value of --fail-above as a share.
Outcome<double> FailAbove(const CommandLine& line) {
  const std::string text = line.Value(CliOption::kFailAbove);
  const Result<double> share = ParseShare(text);
  if (share) return share.value();
  return UsageFailure(Quote("--fail-above " + text) + " " + share.error().message());
}

// The recordings, on disk. The files are removed at the end, unless the user wants them.
class Recordings {
 public:
  explicit Recordings(bool is_temporary) : is_temporary_(is_temporary) {}
  Recordings(const Recordings&) = delete;
  Recordings& operator=(const Recordings&) = delete;
  ~Recordings() {
    if (!is_temporary_) return;
    for (const std::string& path : paths) unlink(path.c_str());
  }

  std::vector<std::string> paths;
  int command_code = 0;  // exit code of a launched command

 private:
  const bool is_temporary_;
};

// Records a JVM that runs to the file at `path`.
Outcome<void> RecordTarget(const CommandLine& line, const std::string& path, IfKilled if_killed) {
  CommandLine recording = line;
  recording.options[std::string(NameOf(CliOption::kOutput))] = EscapedPattern(path);
  recording.options.erase(std::string(NameOf(CliOption::kJson)));
  const Outcome<std::string> options = AgentStartOptions(recording, "");
  if (!options) return options.error();
  const Outcome<RecordTimes> times = RecordTimesOf(recording);
  if (!times) return times.error();
  Outcome<AgentCall> call = CallOf(line, line.arguments.at(0));
  if (!call) return call.error();
  const Outcome<Recorded> recorded =
      Record(recording, options.value(), times.value(), call.value(), if_killed);
  return recorded ? Outcome<void>() : recorded.error();
}

// Records to the file at `path`, and if a command has several JVMs, to further files.
Outcome<void> RecordTo(const CommandLine& line, const std::string& path, IfKilled if_killed,
                       Recordings* recordings) {
  if (line.launched.empty()) {
    const Outcome<void> recorded = RecordTarget(line, path, if_killed);
    if (recorded) recordings->paths = {path};
    return recorded;
  }
  Outcome<ValidatedRuns> runs = RecordRuns(line, path);
  if (!runs) return runs.error();
  recordings->paths = std::move(runs.value().recordings);
  recordings->command_code = runs.value().command_code;
  return {};
}

// The output that the user wants.
struct WantedOutput {
  std::string path;           // of a recording; empty if the user wants none
  bool is_converted = false;  // the user wants another format
};

// Called before the recording, so that errors in the command line are found first.
Outcome<WantedOutput> WantedOutputOf(const CommandLine& line) {
  if (!line.Has(NameOf(CliOption::kOutput))) return WantedOutput{};
  const Outcome<std::string> path = WantedPath(line, getpid());
  if (!path) return path.error();
  if (IsRecordingPath(path.value())) return WantedOutput{path.value(), false};
  if (!OutputFormatOf(path.value())) return NoKnownFormat(path.value());
  return WantedOutput{"", true};
}

// The numbers of ValidationView::Finding.
struct Compared {
  uint64_t stacks = 0;
  uint64_t wrong = 0;
};

std::optional<Compared> ParseFinding(const std::string& text) {
  Compared compared;
  const char* const end = text.data() + text.size();
  const auto [middle, first] = std::from_chars(text.data(), end, compared.stacks);
  if (first != std::errc() || middle == end || *middle != ' ') return std::nullopt;
  const auto [rest, second] = std::from_chars(middle + 1, end, compared.wrong);
  if (second != std::errc() || rest != end || compared.wrong > compared.stacks) return std::nullopt;
  return compared;
}

// Returns the exit code, and prints the reason if it is not 0.
int Decide(const Compared& compared, double limit, const std::string& limit_text) {
  const ProportionBounds rate = ProportionInterval(compared.wrong, compared.stacks);
  if (rate.high <= limit) return 0;
  const std::string counts = std::to_string(compared.wrong) + " of " +
                             std::to_string(compared.stacks) + " stacks are wrong";
  if (rate.low > limit) {
    PrintNote(counts + ": more than --fail-above " + limit_text);
    return kTooManyWrong;
  }
  PrintNote(counts + ": too few were compared to tell whether more than " + limit_text +
            " are wrong; a longer --duration compares more");
  return kTooFewCompared;
}

// Makes the page or another format of --output.
Outcome<void> ConvertTo(const CommandLine& line, const std::vector<std::string>& recordings) {
  CommandLine convert;
  convert.command = CliCommand::kConvert;
  convert.arguments = recordings;
  convert.arguments.push_back(line.Value(CliOption::kOutput));
  const Outcome<std::string> converted = RunConvert(convert);
  if (!converted) return converted.error();
  PrintNote(converted.value());
  return {};
}

std::string WithoutLineEnd(std::string text) {
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

// Returns a view of the recordings, as text or JSON.
Outcome<Viewed> ViewOf(const char* name, const CommandLine& line,
                       const std::vector<std::string>& recordings) {
  CommandLine view;
  view.command = CliCommand::kView;
  view.arguments = {name};
  view.options[std::string(NameOf(CliOption::kLimit))] = "0";
  if (line.Has(NameOf(CliOption::kJson))) view.options[std::string(NameOf(CliOption::kJson))] = "";
  return ViewFiles(view, recordings, ViewedRows::kErrors);
}

Outcome<int> Show(const CommandLine& line, const std::vector<std::string>& recordings,
                  double limit) {
  const Outcome<Viewed> sums = ViewOf("validation", line, recordings);
  if (!sums) return sums.error();
  const Outcome<Viewed> errors = ViewOf("differences", line, recordings);
  if (!errors) return errors.error();
  std::string text = sums.value().text;
  if (line.Has(NameOf(CliOption::kJson))) {
    text = JsonObject()
               .Value("validation", WithoutLineEnd(text))
               .Value("differences", WithoutLineEnd(errors.value().text))
               .Done();
  } else if (errors.value().finding != "0") {
    text += '\n' + errors.value().text;
  }
  const Outcome<void> printed = PrintResult(text);
  if (!printed) return printed.error();
  const std::optional<Compared> compared = ParseFinding(sums.value().finding);
  if (!compared) {
    return Failure(FailureKind::kFile, recordings.front() + " has no results of comparisons");
  }
  return Decide(*compared, limit, line.Value(CliOption::kFailAbove));
}

}  // namespace

Outcome<int> Validate(const CommandLine& line) {
  const Outcome<double> limit = FailAbove(line);
  if (!limit) return limit.error();
  const std::string methods = line.Value(CliOption::kMethods);
  const auto patterns = ParseMethodPatterns(methods);
  if (!patterns) {
    return UsageFailure(Quote("--methods " + methods) + " " + patterns.error().message());
  }
  const Outcome<WantedOutput> wanted = WantedOutputOf(line);
  if (!wanted) return wanted.error();
  const bool is_temporary = wanted.value().path.empty();
  Recordings recordings(is_temporary);
  const Outcome<void> recorded =
      RecordTo(line, is_temporary ? TemporaryRecording() : wanted.value().path,
               is_temporary ? IfKilled::kRemove : IfKilled::kKeep, &recordings);
  if (!recorded) return recorded.error();
  if (wanted.value().is_converted) {
    const Outcome<void> converted = ConvertTo(line, recordings.paths);
    if (!converted) return converted.error();
  }
  const Outcome<int> shown = Show(line, recordings.paths, limit.value());
  if (!shown || recordings.command_code == 0) return shown;
  PrintNote("the command ended with exit code " + std::to_string(recordings.command_code));
  return shown;
}

}  // namespace jprof
