#include "cli/validate.h"

#include <unistd.h>

#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "attach/agent_call.h"
#include "base/proportion.h"
#include "cli/convert/convert_command.h"
#include "cli/convert/result_path.h"
#include "cli/launch/record_launched.h"
#include "cli/record.h"
#include "cli/target_argument.h"
#include "cli/view.h"
#include "cli/words/agent_options.h"
#include "cli/words/print.h"
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

// A recording on disk. The file is removed at the end, unless the user wants it.
struct RecordedFile {
  std::string path;
  bool is_temporary = true;
  int command_code = 0;  // exit code of a launched command
};

// Records a JVM that runs, or the JVMs of a command, to the file at `path`.
Outcome<int> RecordTo(const CommandLine& line, const std::string& path, IfKilled if_killed) {
  CommandLine recording = line;
  recording.options[std::string(NameOf(CliOption::kOutput))] = EscapedPattern(path);
  recording.options.erase(std::string(NameOf(CliOption::kJson)));
  if (!line.launched.empty()) return RecordLaunched(recording);
  const Outcome<std::string> options = AgentStartOptions(recording, "");
  if (!options) return options.error();
  const Outcome<RecordTimes> times = RecordTimesOf(recording);
  if (!times) return times.error();
  Outcome<AgentCall> call = CallOf(line, line.arguments.at(0));
  if (!call) return call.error();
  const Outcome<Recorded> recorded =
      Record(recording, options.value(), times.value(), call.value(), if_killed);
  return recorded ? Outcome<int>(0) : recorded.error();
}

// Records, and returns where the recording is.
Outcome<RecordedFile> RecordAll(const CommandLine& line) {
  RecordedFile file{TemporaryRecording()};
  if (line.Has(NameOf(CliOption::kOutput))) {
    const Outcome<std::string> wanted = WantedPath(line, getpid());
    if (!wanted) return wanted.error();
    if (IsRecordingPath(wanted.value())) file = {wanted.value(), false};
  }
  const Outcome<int> recorded =
      RecordTo(line, file.path, file.is_temporary ? IfKilled::kRemove : IfKilled::kKeep);
  if (!recorded) return recorded.error();
  file.command_code = recorded.value();
  return file;
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
  const Interval95 rate = ProportionInterval(compared.wrong, compared.stacks);
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
Outcome<void> ConvertTo(const CommandLine& line, const std::string& recording) {
  CommandLine convert;
  convert.command = CliCommand::kConvert;
  convert.arguments = {recording, line.Value(CliOption::kOutput)};
  const Outcome<std::string> converted = RunConvert(convert);
  if (!converted) return converted.error();
  PrintNote(converted.value());
  return {};
}

Outcome<int> Show(const CommandLine& line, const RecordedFile& file, double limit) {
  CommandLine view;
  view.command = CliCommand::kView;
  view.arguments = {"validation", file.path};
  view.options[std::string(NameOf(CliOption::kLimit))] = "0";
  if (line.Has(NameOf(CliOption::kJson))) view.options[std::string(NameOf(CliOption::kJson))] = "";
  const Outcome<Viewed> viewed = ViewFile(view);
  if (!viewed) return viewed.error();
  if (line.Has(NameOf(CliOption::kOutput)) && file.is_temporary) {
    const Outcome<void> converted = ConvertTo(line, file.path);
    if (!converted) return converted.error();
  }
  const Outcome<void> printed = PrintResult(viewed.value().text);
  if (!printed) return printed.error();
  const std::optional<Compared> compared = ParseFinding(viewed.value().finding);
  if (!compared) return Failure(FailureKind::kFile, file.path + " has no results of comparisons");
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
  const Outcome<RecordedFile> file = RecordAll(line);
  if (!file) return file.error();
  const Outcome<int> shown = Show(line, file.value(), limit.value());
  if (file.value().is_temporary) unlink(file.value().path.c_str());
  if (!shown || file.value().command_code == 0) return shown;
  PrintNote("the command ended with exit code " + std::to_string(file.value().command_code));
  return shown;
}

}  // namespace jprof
