#include "cli/convert/convert_command.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/output_place.h"
#include "cli/convert/conversion.h"
#include "cli/words/print.h"
#include "conversion/all_formats.h"
#include "conversion/parse_slice.h"
#include "formats/page/editor_address.h"
#include "options/error_text.h"
#include "options/output_part.h"

namespace jprof {
namespace {

constexpr std::string_view kStandardOutput = "/dev/stdout";

// Returns the format that --format or the name of the output chooses. If neither does, and the
// output is a stream, returns the format of collapsed stacks, because readers of pipes expect text.
Outcome<OutputFormat> FormatFor(const CommandLine& line, const OutputPlace& place) {
  const std::string& path = place.path();
  if (line.Has(NameOf(CliOption::kFormat))) {
    const std::string name = line.Value(CliOption::kFormat);
    const FormatRow* row = AllFormats().Named(name);
    if (row == nullptr)
      return UsageFailure(UnknownName("format", name, NamesOf(AllFormats().rows())));
    return OutputFormatOf(path, *row);
  }
  const std::optional<OutputFormat> format = OutputFormatOf(path);
  if (format) return *format;
  if (place.kind() == OutputPlace::Kind::kStream) {
    return OutputFormatOf(path, *AllFormats().Named("collapsed"));
  }
  return UsageFailure(AllFormats().UnknownFormat(path, "--format, ").message());
}

Outcome<std::optional<profile::Weigh>> TotalOf(const CommandLine& line) {
  const std::string total = line.Value(CliOption::kTotal);
  if (total.empty()) return std::optional<profile::Weigh>();
  if (total == "samples") return std::optional(profile::Weigh::kSamples);
  if (total == "value") return std::optional(profile::Weigh::kValue);
  return UsageFailure("--total " + Quote(total) + std::string(kNotATotal));
}

Outcome<ScopedFd> OpenStream(const OutputPlace& place, const OutputFormat& format) {
  Result<ScopedFd> stream = place.OpenStream(OutputPlace::Unread::kWait);
  if (!stream) return Failure(FailureKind::kFile, stream.error());
  const bool is_text = !format.is_gzip && (format.row->content == FormatContent::kLines ||
                                           format.row->content == FormatContent::kDocument);
  if (isatty(stream.value().get()) == 1 && !is_text) {
    return UsageFailure("'" + place.path() + "' is a terminal, where " +
                        std::string(format.row->name) +
                        " cannot be read: name a file or redirect it");
  }
  return std::move(stream).value();
}

// Fails with kUsage if the output has the name of a recording or is one of the inputs. In both
// cases the user has left out the name of the result after the last recording.
Outcome<void> CheckNotARecording(const std::string& output,
                                 const std::vector<profile::RecordingInput>& recordings) {
  const std::optional<FileIdentity> replaced = IdentityOf(output);
  const bool is_input = replaced && std::ranges::any_of(recordings, [&](const auto& recording) {
                          struct stat info;
                          return fstat(recording.fd.get(), &info) == 0 &&
                                 *replaced == FileIdentity{info.st_dev, info.st_ino};
                        });
  std::string_view name = output;
  if (name.ends_with(".gz")) name.remove_suffix(3);
  if (!is_input && !IsRecordingPath(name)) return {};
  return UsageFailure(Quote(output) +
                      " is a recording, and the name of the result is missing behind it");
}

}  // namespace

std::vector<std::string> SourcePlacesOf(const CommandLine& line) {
  const std::string value = line.Value(CliOption::kSource);
  std::vector<std::string> places;
  for (std::string_view rest = value; !rest.empty();) {
    const std::string_view place = rest.substr(0, rest.find(':'));
    if (!place.empty()) places.emplace_back(place);
    rest.remove_prefix(std::min(place.size() + 1, rest.size()));
  }
  return places;
}

Outcome<profile::Slice> SliceOf(const CommandLine& line, const std::string& event) {
  Result<profile::Slice> slice = ParseSlice({.event = event,
                                             .thread = line.Value(CliOption::kThread),
                                             .state = line.Value(CliOption::kState),
                                             .from = line.Value(CliOption::kFrom),
                                             .until = line.Value(CliOption::kUntil),
                                             .span = line.Value(CliOption::kSpan),
                                             .tag = line.Value(CliOption::kTag),
                                             .include = line.Value(CliOption::kInclude),
                                             .exclude = line.Value(CliOption::kExclude),
                                             .reverse = line.Has(NameOf(CliOption::kReverse))});
  if (!slice) return UsageFailure(slice.error().message());
  return std::move(slice).value();
}

Outcome<ConvertOptions> ConvertOptionsOf(const CommandLine& line, const FormatRow& format) {
  if (line.Has(NameOf(CliOption::kReverse)) && format.stacks == FormatStacks::kFromRoot) {
    return UsageFailure("--reverse is not for " + std::string(format.name) +
                        ", whose viewers reverse stacks themselves");
  }
  ConvertOptions options;
  options.event = line.Value(CliOption::kShownEvent);
  if (line.Has(NameOf(CliOption::kLines))) options.lines = profile::LineNumbers::kKeep;
  const Outcome<std::optional<profile::Weigh>> total = TotalOf(line);
  if (!total) return total.error();
  options.format.total = total.value();
  options.format.editor = line.Value(CliOption::kEditor);
  const Result<EditorAddress> editor = EditorAddress::Parse(options.format.editor);
  if (!editor) return UsageFailure(editor.error().message());
  return options;
}

Outcome<std::string> RunConvert(const CommandLine& line) {
  std::vector<std::string> inputs = line.arguments;
  std::string output = std::move(inputs.back());
  inputs.pop_back();
  if (output == "-") output = kStandardOutput;
  const Outcome<void> by_name = CheckNotARecording(output, {});
  if (!by_name) return by_name.error();
  const Result<OutputPlace> place = OutputPlace::Resolve(output);
  if (!place) return Failure(FailureKind::kFile, place.error());
  const Outcome<OutputFormat> format = FormatFor(line, place.value());
  if (!format) return format.error();
  const Outcome<ConvertOptions> options = ConvertOptionsOf(line, *format.value().row);
  if (!options) return options.error();
  const std::string_view name = format.value().row->name;
  if (line.Has(NameOf(CliOption::kEditor)) && name != "html") {
    return UsageFailure("--editor is for pages (.html)");
  }
  if (line.Has(NameOf(CliOption::kSource)) && name != "html" && name != "firefox") {
    return UsageFailure("--source is for pages (.html) and the Firefox Profiler (.json)");
  }
  // If the format shows only one event, the slice contains the samples of all events, so that the
  // report can name the other events. If the format shows several events, the slice contains only
  // the samples of --event.
  const bool has_all = format.value().row->kinds == FormatKinds::kAll;
  const Outcome<profile::Slice> slice = SliceOf(line, has_all ? options.value().event : "");
  if (!slice) return slice.error();
  const auto recordings = OpenRecordings(inputs);
  if (!recordings) return recordings.error();
  const Outcome<void> is_new = CheckNotARecording(output, recordings.value());
  if (!is_new) return is_new.error();

  ConversionTask task{recordings.value(), slice.value(), format.value(), options.value()};
  task.sources = SourcePlacesOf(line);
  const bool to_stream = place.value().kind() == OutputPlace::Kind::kStream;
  Outcome<ConvertReport> report = ConvertReport();
  if (to_stream) {
    const Outcome<ScopedFd> stream = OpenStream(place.value(), format.value());
    if (!stream) return stream.error();
    report = ConvertToStream(task, {stream.value().get(), output});
  } else {
    const Interrupt interrupt;  // an interrupt also removes the unfinished file
    task.interrupt = &interrupt;
    report = ConvertToFile(task, output);
  }
  if (!report) return report.error();
  PrintNotes(report.value());
  if (line.Has(NameOf(CliOption::kLines)) && format.value().row->lines == FormatLines::kAlways) {
    PrintNote("note: " + std::string(format.value().row->name) +
              " has line numbers anyhow; --lines changes nothing");
  }
  const std::string choice = ChoiceText(output, *format.value().row, report.value());
  if (!choice.empty()) PrintNote("note: " + choice + " (choose with --event)");
  const std::string summary = output + ": " + report.value().counts;
  if (!to_stream) return summary;
  Print(stderr, summary);  // standard output might be the output of the conversion
  return std::string();
}

}  // namespace jprof
