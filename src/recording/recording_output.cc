#include "recording/recording_output.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/memory_budget.h"
#include "base/output_file.h"
#include "base/output_place.h"
#include "formats/convert.h"
#include "formats/page/page_writer.h"
#include "jfr/writer/side_file.h"
#include "options/file_pattern.h"
#include "profile/slice.h"

namespace jprof {
namespace {

std::string HiddenBeside(const std::string& path) {
  const size_t name = path.rfind('/') + 1;
  return path.substr(0, name) + "." + path.substr(name) + "." + std::to_string(getpid()) + ".jfr";
}

Result<profile::Slice> SliceOf(const OutputPart& part) {
  return profile::Slice::Parse({.thread = part.thread,
                                .state = part.state,
                                .from = part.from,
                                .until = part.until,
                                .reverse = part.reverse});
}

// Converts the recording to `path`. Fails if the conversion would take more than kMostBytes of the
// program's memory.
Result<ConvertReport> ConvertInProcess(const std::string& recording, const std::string& path,
                                       const FormatRow& format, const ConvertOptions& options,
                                       const profile::Slice& slice) {
  constexpr size_t kMostBytes = size_t{80} << 20;
  const MemoryBudget budget(kMostBytes);
  return ConvertFile(recording, path, format, options, slice);
}

// Checks that a file can be written to `path`. `format` is nullptr if the file is a recording.
Status CheckPath(const std::string& path, const FormatRow* format) {
  if (format == nullptr && !IsRecordingPath(path)) {
    return AgentFormats().UnknownFormat(path, ".jfr, ");
  }
  // If the recording is converted, only the converted file is checked: the user does not know of
  // the hidden recording.
  if (format != nullptr) return OutputFile::Try(path);
  const Result<OutputPlace> place = OutputPlace::ResolveFile(path);
  return place ? Status() : place.error();
}

}  // namespace

Result<RecordingOutput> RecordingOutput::Choose(const std::string& path, const OutputPart& part) {
  const FormatRow* const format = AgentFormats().OfPath(path);
  const Status usable = CheckPath(path, format);
  if (!usable) return usable.error();
  const Result<profile::Slice> slice = SliceOf(part);
  if (!slice) return slice.error();
  if (format == nullptr && !part.first_word.empty()) {
    return Error("'" + part.first_word + "' is for " + AgentFormats().Extensions() + ", and '" +
                 path + "' has everything: jprof convert takes a part of it");
  }
  Result<OutputClaim> claim = OutputClaim::Take(path, getpid());
  if (!claim) return claim.error();
  if (const auto place = OutputPlace::ResolveFile(claim.value().path())) {
    RemoveStaleSideFiles(place.value());
  }
  return RecordingOutput(std::move(claim).value(), format, part);
}

RecordingOutput::RecordingOutput(OutputClaim claim, const FormatRow* format, OutputPart part)
    : claim_(std::move(claim)),
      format_(format),
      path_(claim_.path()),
      recording_(IsConverted() ? HiddenBeside(path_) : path_),
      part_(std::move(part)) {}

Result<std::string> RecordingOutput::Update(const std::string& recording) const {
  if (!IsConverted()) return std::string();
  const Result<profile::Slice> slice = SliceOf(part_);
  if (!slice) return slice.error();
  ConvertOptions options;
  options.title = path_.substr(path_.rfind('/') + 1);
  if (part_.lines) options.lines = profile::LineNumbers::kKeep;
  if (!part_.total.empty()) {
    options.format.total =
        part_.total == "value" ? profile::Weigh::kValue : profile::Weigh::kSamples;
  }
  const Result<ConvertReport> report =
      ConvertInProcess(recording, path_, *format_, options, slice.value());
  if (!report) return report.error();
  const std::string choice = ChoiceText(path_, *format_, report.value());
  return choice.empty() ? choice : "note: " + choice + ": the event that was named first";
}

Error RecordingOutput::Incomplete(const Error& reason, const std::string& recording) const {
  return IsConverted() ? Error(reason.message() + "; the recording is " + recording) : reason;
}

Result<std::string> RecordingOutput::Complete(const std::string& recording) const {
  const Result<std::string> updated = Update(recording);
  if (!updated) return Incomplete(updated.error(), recording);
  if (!IsConverted()) return updated;
  Status removed = RemoveOutput(recording);
  if (removed && recording != recording_) removed = RemoveOutput(recording_);
  if (!removed) return removed.error();
  return updated;
}

std::string RecordingOutput::Keep(const std::string& result, const std::string& wanted) {
  const Result<OutputClaim> claim = OutputClaim::Take(wanted, getpid());
  if (!claim) return result;
  const std::string& kept = claim.value().path();
  if (const FormatRow* const format = AgentFormats().OfPath(kept)) {
    const bool converted = ConvertInProcess(result, kept, *format, {}, {}).ok();
    return converted && RemoveOutput(result) ? kept : result;
  }
  const Result<OutputPlace> place = OutputPlace::ResolveFile(kept);
  const std::string name = result.substr(result.rfind('/') + 1);
  const bool renamed = place && RenameNoReplace(place.value().folder(), name, place.value().name());
  return renamed ? kept : result;
}

uint32_t FirstNumberOfSeries(const std::string& pattern) {
  // A number that occurs in no pattern is inserted, to find where %n is in the name.
  constexpr uint32_t kMark = 4'100'200'301;
  constexpr uint32_t kMost = 1'000'000'000;
  const Result<std::string> marked = AbsoluteOutputPath(pattern, kMark);
  if (!marked) return 1;
  const size_t slash = marked.value().rfind('/');
  const std::string name = marked.value().substr(slash + 1);
  const std::string mark = std::to_string(kMark);
  const size_t at = name.find(mark);
  if (at == std::string::npos) return 1;
  const std::string_view before = std::string_view(name).substr(0, at);
  const std::string_view after = std::string_view(name).substr(at + mark.size());
  uint32_t next = 1;
  DIR* const folder = opendir(marked.value().substr(0, slash + 1).c_str());
  if (folder == nullptr) return next;
  while (const dirent* const entry = readdir(folder)) {
    const std::string_view each = entry->d_name;
    if (each.size() <= before.size() + after.size() || !each.starts_with(before) ||
        !each.ends_with(after)) {
      continue;
    }
    const char* const digits = each.data() + before.size();
    const char* const end = each.data() + each.size() - after.size();
    uint32_t number = 0;
    const auto [rest, status] = std::from_chars(digits, end, number);
    if (status == std::errc() && rest == end && number < kMost) next = std::max(next, number + 1);
  }
  closedir(folder);
  return next;
}

Result<std::string> AbsoluteOutputPath(const std::string& pattern, uint32_t number) {
  FilePatternContext context = FilePatternContext::OfThisProcess();
  context.number = number;
  const Result<std::string> expanded = ExpandFilePattern(pattern, context);
  if (!expanded) return expanded.error();
  const std::string& path = expanded.value();
  if (path.starts_with('/')) return path;
  char folder[4096];
  if (getcwd(folder, sizeof folder) == nullptr) {
    return Error::FromErrno("find", "the working folder of " + path);
  }
  return std::string(folder) + '/' + path;
}

}  // namespace jprof
