#include "cli/validate.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
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
#include "options/option_table.h"
#include "options/quantity.h"

namespace jprof {
namespace {

constexpr int kTooManyWrong = 1;
constexpr int kTooFewCompared = 3;

// The value of --fail-above for the samples of methods.
constexpr char kLimitOfSamples[] = "1%";

// True if samples are compared, and not stacks.
bool IsOfSamples(const CommandLine& line) { return line.Has(NameOf(CliOption::kValidatedEvent)); }

// The value of --fail-above.
struct Limit {
  std::string text;
  double share = 0;
};

Outcome<Limit> FailAbove(const CommandLine& line) {
  const bool is_given = line.Has(NameOf(CliOption::kFailAbove));
  const std::string text =
      IsOfSamples(line) && !is_given ? kLimitOfSamples : line.Value(CliOption::kFailAbove);
  const Result<double> share = ParseShare(text);
  if (share) return Limit{text, share.value()};
  return UsageFailure(Quote("--fail-above " + text) + " " + share.error().message());
}

// Fails with kUsage if options contradict each other.
Outcome<void> CheckOptions(const CommandLine& line) {
  const std::string methods = line.Value(CliOption::kMethods);
  const auto patterns = ParseMethodPatterns(methods);
  if (!patterns) {
    return UsageFailure(Quote("--methods " + methods) + " " + patterns.error().message());
  }
  if (!IsOfSamples(line)) {
    if (!line.Has(NameOf(CliOption::kValidatedInterval))) return {};
    return UsageFailure("--interval is for samples: add --event cpu");
  }
  const std::string event = line.Value(CliOption::kValidatedEvent);
  const EventRow* const row = FindByName(kEvents, event);
  if (row == nullptr || (row->engine != OptionId::kCpu && row->engine != OptionId::kWall)) {
    return UsageFailure(
        Quote("--event " + event) +
        " cannot be compared with exact times: cpu, ctimer, perf, itimer or wall can");
  }
  if (line.Has(RowOf(OptionId::kAgct).name)) {
    return UsageFailure("--agct is for stacks: leave out --event");
  }
  if (line.Has(NameOf(CliOption::kMethods))) return {};
  return UsageFailure("--event needs --methods, as in --methods 'com.acme.*.*'");
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
int DecideStacks(const Compared& compared, const Limit& limit) {
  const ProportionBounds rate = ProportionInterval(compared.wrong, compared.stacks);
  if (rate.high <= limit.share) return 0;
  const std::string counts = std::to_string(compared.wrong) + " of " +
                             std::to_string(compared.stacks) + " stacks are wrong";
  if (rate.low > limit.share) {
    PrintNote(counts + ": more than --fail-above " + limit.text);
    return kTooManyWrong;
  }
  PrintNote(counts + ": too few were compared to tell whether more than " + limit.text +
            " are wrong; a longer --duration compares more");
  return kTooFewCompared;
}

// The least and the most by which the samples of a method can be off.
using Deviation = ProportionBounds;

// Parses the finding of the view `sampling`, two numbers.
Deviation ParseDeviation(const std::string& finding) {
  char* end = nullptr;
  const double least = strtod(finding.c_str(), &end);
  return {least, strtod(end, nullptr)};
}

// Does the same as DecideStacks for samples.
int DecideSamples(const Deviation& deviation, const Limit& limit) {
  if (deviation.high <= limit.share) return 0;
  if (deviation.low > limit.share) {
    PrintNote("the samples of a method are off by more than --fail-above " + limit.text);
    return kTooManyWrong;
  }
  PrintNote(
      "there are too few samples, or too many in probes, to tell whether those of a method are "
      "off by more than " +
      limit.text + "; a longer --duration or a shorter --interval takes more");
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
  if (IsOfSamples(line)) {
    const EventRow& event = *FindByName(kEvents, line.Value(CliOption::kValidatedEvent));
    view.options[std::string(NameOf(CliOption::kShownEvent))] = RowOf(event.engine).name;
  }
  view.options[std::string(NameOf(CliOption::kLimit))] = "0";
  if (line.Has(NameOf(CliOption::kJson))) view.options[std::string(NameOf(CliOption::kJson))] = "";
  return ViewFiles(view, recordings, ViewedRows::kErrors);
}

Outcome<int> ShowStacks(const CommandLine& line, const std::vector<std::string>& recordings,
                        const Limit& limit) {
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
  return DecideStacks(*compared, limit);
}

// Prints a table for each JVM that has called the methods.
Outcome<int> ShowSamples(const CommandLine& line, const std::vector<std::string>& recordings,
                         const Limit& limit) {
  const bool is_only_one = recordings.size() == 1;
  std::string tables;
  std::string separator;
  std::optional<Deviation> worst;
  for (const std::string& recording : recordings) {
    const Outcome<Viewed> viewed = ViewOf("sampling", line, {recording});
    if (!viewed && is_only_one) return viewed.error();
    if (!viewed || (viewed.value().finding.empty() && !is_only_one)) continue;
    tables += std::exchange(separator, line.Has(NameOf(CliOption::kJson)) ? "," : "\n");
    tables += viewed.value().text;
    if (viewed.value().finding.empty()) continue;
    const Deviation deviation = ParseDeviation(viewed.value().finding);
    if (!worst) worst.emplace(Deviation{0, 0});
    *worst = {std::max(worst->low, deviation.low), std::max(worst->high, deviation.high)};
  }
  if (line.Has(NameOf(CliOption::kJson))) {
    std::erase(tables, '\n');
    tables = JsonObject().Value("sampling", "[" + tables + "]").Done();
  }
  const Outcome<void> printed = PrintResult(tables);
  if (!printed) return printed.error();
  if (worst) return DecideSamples(*worst, limit);
  PrintNote("no time was measured in the methods of --methods");
  return kTooFewCompared;
}

}  // namespace

Outcome<int> Validate(const CommandLine& line) {
  const Outcome<Limit> limit = FailAbove(line);
  if (!limit) return limit.error();
  const Outcome<void> checked = CheckOptions(line);
  if (!checked) return checked.error();
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
  const Outcome<int> shown = IsOfSamples(line) ? ShowSamples(line, recordings.paths, limit.value())
                                               : ShowStacks(line, recordings.paths, limit.value());
  if (!shown || recordings.command_code == 0) return shown;
  PrintNote("the command ended with exit code " + std::to_string(recordings.command_code));
  return shown;
}

}  // namespace jprof
