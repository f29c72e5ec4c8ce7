// The main function of jprof, and a function for each command.
#include <array>
#include <cstdio>
#include <string>

#include "answers/answer_text.h"
#include "attach/agent_call.h"
#include "attach/failure.h"
#include "base/version.h"
#include "cli/convert/convert_command.h"
#include "cli/convert/open.h"
#include "cli/convert/result_path.h"
#include "cli/launch/record_launched.h"
#include "cli/record.h"
#include "cli/target_argument.h"
#include "cli/trace.h"
#include "cli/validate.h"
#include "cli/view.h"
#include "cli/words/agent_options.h"
#include "cli/words/command_line.h"
#include "cli/words/help_texts.h"
#include "cli/words/json_object.h"
#include "cli/words/print.h"
#include "jfr/reader/jfr_repair.h"
#include "options/file_pattern.h"

namespace jprof {
namespace {

using Text = Outcome<std::string>;

Outcome<AgentAnswer> Send(const CommandLine& line, const std::string& options) {
  const Outcome<Nanos> wait = TimeOption(line, CliOption::kWait);
  if (!wait) return wait.error();
  Outcome<AgentCall> call = CallOf(line, line.arguments.at(0));
  if (!call) return call.error();
  return call.value().Execute(options, Deadline::In(wait.value()));
}

Text TextOf(const Outcome<AgentAnswer>& answer) {
  if (!answer) return answer.error();
  PrintNotes(answer.value());
  return AnswerText(answer.value());
}

Text RunRecord(const CommandLine& line) {
  // Errors in the options are reported before any other error.
  const Text options = AgentStartOptions(line, "");
  if (!options) return options.error();
  const Outcome<RecordTimes> times = RecordTimesOf(line);
  if (!times) return times.error();
  Outcome<AgentCall> call = CallOf(line, line.arguments.at(0));
  if (!call) return call.error();
  const bool opens = line.Has(NameOf(CliOption::kOpenResult));
  if (opens && line.Has(NameOf(CliOption::kOutput))) {
    const Outcome<void> can = CheckCanOpen(line.Value(CliOption::kOutput));
    if (!can) return can.error();
  }
  const Outcome<Recorded> recorded = Record(line, options.value(), times.value(), call.value());
  if (!recorded) return recorded.error();
  const bool is_json = line.Has(NameOf(CliOption::kJson));
  const Text result = is_json ? recorded.value().json : recorded.value().text;
  if (!opens) return result;
  Print(is_json ? stdout : stderr, result.value());
  const Outcome<void> opened = OpenResult(recorded.value().path);
  return opened ? Text(std::string()) : opened.error();
}

Text RunStart(const CommandLine& line) {
  std::string file;
  if (line.Has(NameOf(CliOption::kOutput))) {
    const std::string pattern = line.Value(CliOption::kOutput);
    const Text absolute = AbsoluteOutput(pattern);
    if (!absolute) return absolute.error();
    file = EscapedPattern(absolute.value().substr(0, absolute.value().size() - pattern.size())) +
           pattern;
  }
  const Text options = AgentStartOptions(line, file);
  if (!options) return options.error();
  return TextOf(Send(line, options.value()));
}

Text RunStop(const CommandLine& line) { return TextOf(Send(line, WithGc(line, "stop"))); }
Text RunDump(const CommandLine& line) { return TextOf(Send(line, WithGc(line, "dump"))); }

Text RunStatus(const CommandLine& line) {
  const Outcome<AgentAnswer> answer = Send(line, "status");
  if (!answer || !line.Has(NameOf(CliOption::kJson))) return TextOf(answer);
  return JsonOf(answer.value()).Done();
}

Text RunList(const CommandLine& line) {
  const std::vector<JvmDescription> jvms = ListJvmsAndContainers();
  return line.Has(NameOf(CliOption::kJson)) ? JvmsAsJson(jvms) : JvmTable(jvms);
}

Text RunOpen(const CommandLine& line) {
  const Outcome<void> opened = Open(line);
  return opened ? Text(std::string()) : opened.error();
}

Text RunRepair(const CommandLine& line) {
  const std::string& path = line.arguments.at(0);
  const Result<profile::JfrRepairReport> report = profile::RepairJfr(path);
  if (!report) return Failure(FailureKind::kFile, report.error());
  const std::string holds = path + " holds " + std::to_string(report.value().chunks) + " chunks";
  if (report.value().removed_bytes == 0) return holds + ", and nothing else";
  return holds + "; " + std::to_string(report.value().removed_bytes) +
         " bytes after them are now in " + report.value().tail + ", of which jprof may read a part";
}

Text RunCompletion(const CommandLine& line) {
  const std::optional<std::string> text = CompletionText(line.arguments.at(0));
  if (text) return *text;
  return Failure(FailureKind::kUsage, "there is a completion for bash, zsh and fish");
}

Text RunMan(const CommandLine&) { return ManPage(); }
Text RunVersion(const CommandLine&) { return std::string("jprof ") + JprofVersion() + '\n'; }

Text RunHelp(const CommandLine& line) { return line.arguments.front(); }

// The functions of the commands, indexed by CliCommand; nullptr for a command with an exit code of
// its own.
constexpr auto kRun = std::to_array<Text (*)(const CommandLine&)>(
    {RunRecord, RunStart, RunStop, RunDump, RunStatus, Trace, nullptr, RunList, RunConvert, View,
     RunOpen, RunRepair, RunCompletion, RunMan, RunVersion, RunHelp});

// Executes the command and prints its result to standard output. Returns the exit code, or the
// failure, which the caller prints.
Outcome<int> RunCommand(const CommandLine& line) {
  if (line.command == CliCommand::kValidate) return Validate(line);
  if (!line.launched.empty()) return RecordLaunched(line);
  const Text text = kRun[static_cast<size_t>(line.command)](line);
  if (!text) return text.error();
  if (text.value().empty()) return 0;
  const Outcome<void> printed = PrintResult(text.value());
  return printed ? Outcome<int>(0) : printed.error();
}

int Fail(const Failure& failure) {
  Print(stderr, "jprof: " + failure.message());
  return ExitCodeOf(failure.kind());
}

}  // namespace
}  // namespace jprof

int main(int argc, char** argv) {
  const jprof::Outcome<jprof::CommandLine> line = jprof::ParseCommandLine(argc, argv);
  if (!line) return jprof::Fail(line.error());
  const jprof::Outcome<int> done = jprof::RunCommand(line.value());
  return done ? done.value() : jprof::Fail(done.error());
}
