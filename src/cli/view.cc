#include "cli/view.h"

#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "attach/agent_call.h"
#include "attach/target_folder.h"
#include "base/printable_text.h"
#include "cli/convert/conversion.h"
#include "cli/convert/convert_command.h"
#include "cli/record.h"
#include "cli/target_argument.h"
#include "cli/words/agent_options.h"
#include "cli/words/command_line.h"
#include "cli/words/print.h"
#include "conversion/all_formats.h"
#include "options/error_text.h"
#include "options/file_pattern.h"
#include "options/output_part.h"
#include "os/read_file.h"
#include "views/view_table.h"

namespace jprof {
namespace {

constexpr size_t kMaxTable = size_t{256} << 20;

struct ViewRequest {
  const FormatRow* view;
  profile::Slice slice;
  ConvertOptions options;
  std::string source;
};

Outcome<ViewRequest> ParseViewRequest(const CommandLine& line) {
  const std::string& name = line.arguments.front();
  ViewRequest wanted{FindView(name), {}, {}, line.arguments.back()};
  if (wanted.view == nullptr) {
    return Failure(FailureKind::kUsage, Quote(name) + " is not a view: there are " + ViewNames());
  }
  Outcome<ConvertOptions> options = ConvertOptionsOf(line, *wanted.view);
  if (!options) return options.error();
  wanted.options = std::move(options).value();
  const bool has_all = wanted.view->kinds == FormatKinds::kAll;
  Outcome<profile::Slice> slice = SliceOf(line, has_all ? wanted.options.event : "");
  if (!slice) return slice.error();
  wanted.slice = std::move(slice).value();
  TableOptions& table = wanted.options.format.table;
  if (line.arguments.size() > 2) {
    if (name != "events") {
      return Failure(FailureKind::kUsage,
                     UnexpectedArgument(line.arguments[1]) + " (only `view events` takes a TYPE)");
    }
    table.type = line.arguments[1];
  }
  const std::string limit = line.Value(CliOption::kLimit);
  const char* const end = limit.data() + limit.size();
  const auto [rest, error] = std::from_chars(limit.data(), end, table.limit);
  if (error != std::errc() || rest != end) {
    return Failure(FailureKind::kUsage, "--limit " + Quote(limit) + " is not a number of rows");
  }
  table.sort = line.Value(CliOption::kSort);
  table.is_json = line.Has(NameOf(CliOption::kJson));
  table.width = TerminalWidth();
  return wanted;
}

// Lets a confined process write the table to memory, so that only jprof itself writes to the
// terminal.
Outcome<Viewed> TableOf(std::span<const profile::RecordingInput> recordings,
                        const ViewRequest& wanted) {
  const ConversionTask task{recordings, wanted.slice, {wanted.view}, wanted.options};
  const Outcome<InMemory> table = ConvertToMemory(task);
  if (!table) return table.error();
  const auto& [file, report] = table.value();
  PrintNotes(report);
  const bool is_one = wanted.view->kinds == FormatKinds::kOne && !report.others.empty();
  if (is_one) {
    PrintNote("showing " + report.event + "; also recorded: " + report.others +
              " (choose with --event)");
  }
  const Result<std::string> text =
      ReadFile("/proc/self/fd/" + std::to_string(file.get()), kMaxTable);
  if (!text) return Failure(FailureKind::kFile, "the table is too long: --limit shortens it");
  if (!wanted.options.format.table.is_json) return Viewed{text.value(), report.finding};
  // The escapes of Print would break JSON.
  return Viewed{PrintableText(text.value(), Layout::kJson), report.finding};
}

Outcome<Viewed> TableOfFiles(const std::vector<std::string>& paths, const ViewRequest& wanted) {
  const auto recordings = OpenRecordings(paths);
  if (!recordings) return recordings.error();
  return TableOf(recordings.value(), wanted);
}

bool IsFile(const std::string& source) {
  if (!source.empty() && source.find_first_not_of("0123456789") == std::string::npos) return false;
  struct stat info;
  return source == "-" || source.find('/') != std::string::npos ||
         stat(source.c_str(), &info) == 0 || IsRecordingPath(source) || source.ends_with(".gz");
}

// Returns the words that denote the JVM in a command line.
std::string TargetWords(const CommandLine& line, const std::string& source) {
  const std::optional<CliOption> option = TargetOptionIn(line);
  return option ? "--" + std::string(NameOf(*option)) + " " + source : source;
}

// Brings the file of the running recording up to date, reads it and returns the table.
Outcome<Viewed> TableOfRunning(const CommandLine& line, const ViewRequest& wanted) {
  const Outcome<Nanos> wait = TimeOption(line, CliOption::kWait);
  if (!wait) return wait.error();
  Outcome<AgentCall> call = CallOf(line, wanted.source);
  if (!call) return call.error();
  const Outcome<AgentAnswer> dumped = call.value().Execute("dump", Deadline::In(wait.value()));
  if (!dumped) {
    if (dumped.error().error_kind() != ErrorKind::kNothingRecorded) return dumped.error();
    return Failure(FailureKind::kRefused,
                   dumped.error().message() + ": jprof start " + TargetWords(line, wanted.source) +
                       " begins a recording, and -d 10s " + "makes a short one");
  }
  PrintNotes(dumped.value());
  const std::string path = dumped.value().facts.Text("file");
  if (!IsRecordingPath(path)) {
    return Failure(FailureKind::kRefused, "the recording goes to " +
                                              PrintableText(path, Layout::kEscape) +
                                              ", and tables are made of .jfr files only");
  }
  const size_t slash = path.rfind('/');
  const Outcome<TargetFolder> folder =
      TargetFolder::Open(call.value().target(), path.substr(0, slash + 1));
  if (!folder) return folder.error();
  Outcome<ScopedFd> file = folder.value().OpenFile(path.substr(slash + 1));
  if (!file) return file.error();
  const profile::RecordingInput recording{std::move(file).value(), path};
  return TableOf({&recording, 1}, wanted);
}

// Makes a recording, opens it, and removes its file. If the recording could not be stopped, the
// failure says what happens to the recording.
Outcome<std::vector<profile::RecordingInput>> RecordNew(const CommandLine& line,
                                                        const ViewRequest& wanted) {
  CommandLine recording = line;
  recording.command = CliCommand::kRecord;
  recording.arguments = {wanted.source};
  const bool has_all = wanted.view->kinds == FormatKinds::kAll;
  if (has_all) recording.options.try_emplace(std::string(NameOf(CliOption::kEvent)), "cpu,wall");
  if (line.Has(NameOf(CliOption::kState))) {
    const std::string states = line.Value(CliOption::kState);
    const Status known = CheckStates(states);
    if (!known) {
      return Failure(FailureKind::kUsage,
                     "--state " + Quote(states) + " " + known.error().message());
    }
  }
  const Outcome<std::string> options = AgentStartOptions(recording, "");
  if (!options) return options.error();
  const Outcome<RecordTimes> times = RecordTimesOf(recording);
  if (!times) return times.error();
  Outcome<AgentCall> call = CallOf(line, wanted.source);
  if (!call) return call.error();
  recording.options[std::string(NameOf(CliOption::kOutput))] = EscapedPattern(TemporaryRecording());
  const Outcome<Recorded> recorded =
      Record(recording, options.value(), times.value(), call.value(), IfKilled::kRemove);
  if (!recorded) return recorded.error();
  auto opened = OpenRecordings({recorded.value().path});
  if (opened) unlink(recorded.value().path.c_str());
  return opened;
}

Outcome<Viewed> TableOfNew(const CommandLine& line, const ViewRequest& wanted) {
  const auto recordings = RecordNew(line, wanted);
  if (!recordings) return recordings.error();
  return TableOf(recordings.value(), wanted);
}

Outcome<Viewed> ViewOf(const CommandLine& line, const ViewRequest& wanted) {
  const bool records = line.Has(NameOf(CliOption::kRecordFirst));
  const std::optional<CliOption> option = TargetOptionIn(line);
  if (!option && IsFile(wanted.source)) {
    if (!records) return TableOfFiles({wanted.source}, wanted);
    return Failure(FailureKind::kUsage,
                   "--duration is of a JVM, and " + Quote(wanted.source) + " is a file");
  }
  return records ? TableOfNew(line, wanted) : TableOfRunning(line, wanted);
}

}  // namespace

std::string TemporaryRecording() {
  std::error_code error;
  std::string folder = std::filesystem::temp_directory_path(error).string();
  if (error) folder = "/tmp";
  return folder + '/' + RandomName("jprof-view-") + ".jfr";
}

Outcome<Viewed> ViewFiles(const CommandLine& line, const std::vector<std::string>& paths,
                          ViewedRows rows) {
  Outcome<ViewRequest> wanted = ParseViewRequest(line);
  if (!wanted) return wanted.error();
  wanted.value().options.format.table.has_only_errors = rows == ViewedRows::kErrors;
  return TableOfFiles(paths, wanted.value());
}

Outcome<std::string> View(const CommandLine& line) {
  const Outcome<ViewRequest> wanted = ParseViewRequest(line);
  if (!wanted) return wanted.error();
  const Outcome<Viewed> viewed = ViewOf(line, wanted.value());
  return viewed ? Outcome<std::string>(viewed.value().text) : viewed.error();
}

}  // namespace jprof
