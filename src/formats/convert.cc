#include "formats/convert.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/memory_reserve.h"
#include "base/output_file.h"
#include "base/output_place.h"
#include "formats/collapsed.h"
#include "formats/flame_graph.h"
#include "formats/output_stream.h"
#include "profile/sample_reader.h"
#include "profile/sample_table.h"

namespace jprof {
namespace {

using profile::JfrReadReport;
using profile::LineNumbers;
using profile::Profile;
using profile::ReadSamples;
using profile::RecordingFile;
using profile::SampleKind;
using profile::SampleTable;

struct Extension {
  std::string_view text;
  OutputFormat format;
};
constexpr Extension kExtensions[] = {
    {".html", OutputFormat::kFlameGraph},
    {".collapsed", OutputFormat::kCollapsed},
    {".txt", OutputFormat::kCollapsed},
};

constexpr std::string_view kRecordingExtension = ".jfr";

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// `extension`: in lower case.
bool EndsWith(std::string_view path, std::string_view extension) {
  if (path.size() < extension.size()) return false;
  path.remove_prefix(path.size() - extension.size());
  return std::equal(path.begin(), path.end(), extension.begin(),
                    [](char c, char lower) { return Lower(c) == lower; });
}

// Which kind `event` names, or the one that is preferred; nothing if there are no samples at all.
Result<std::optional<uint32_t>> ChooseKind(const Profile& profile, const std::string& event) {
  std::optional<uint32_t> chosen;
  std::string there;
  for (uint32_t i = 0; i < profile.kinds.size(); ++i) {
    const SampleKind& kind = profile.kinds[i];
    if (kind.samples == 0) continue;
    there += (there.empty() ? "" : ", ") + kind.name;
    if (!event.empty() && kind.name != event) continue;
    if (!chosen || kind.preference < profile.kinds[*chosen].preference) chosen = i;
  }
  if (!chosen && !event.empty()) {
    return Error("The recording has no samples of '" + event +
                 "'; it has: " + (there.empty() ? "none" : there) + ".");
  }
  return chosen;
}

Result<ConvertReport> Write(Result<RecordingFile> input, OutputFormat format,
                            const ConvertOptions& options, OutputStream& out) {
  if (!input) return input.error();
  const std::string name = input.value().name().substr(input.value().name().rfind('/') + 1);
  Profile profile;
  const bool is_page = format == OutputFormat::kFlameGraph;
  SampleTable table(is_page ? SampleTable::Weigh::kValue : SampleTable::Weigh::kSamples,
                    is_page ? SampleTable::Slices::kMany : SampleTable::Slices::kOne);
  Result<JfrReadReport> read =
      ReadSamples(std::move(input).value(), LineNumbers::kDrop, profile, table);
  if (!read) return read.error();
  table.Finish();
  if (MemoryIsShort()) return OutOfMemory();
  const Result<std::optional<uint32_t>> kind = ChooseKind(profile, options.event);
  if (!kind) return kind.error();

  ConvertReport report;
  report.missing = std::move(read.value().missing);
  if (kind.value()) report.event = profile.kinds[*kind.value()].name;
  if (is_page) {
    FlameGraphPage page;
    page.title = options.title.empty() ? name : options.title;
    page.first_kind = kind.value();
    page.missing = report.missing;
    WriteFlameGraph(profile, table, page, out);
    for (const SampleKind& each : profile.kinds) report.samples += each.samples;
  } else if (kind.value()) {
    WriteCollapsed(profile, table, *kind.value(), options, out);
    report.samples = profile.kinds[*kind.value()].samples;
  }
  const Status written = out.Finish();
  if (!written) return written.error();
  if (MemoryIsShort()) return OutOfMemory();
  return report;
}

}  // namespace

std::optional<OutputFormat> FormatOfPath(std::string_view path) {
  for (const Extension& extension : kExtensions) {
    if (EndsWith(path, extension.text)) return extension.format;
  }
  return std::nullopt;
}

bool IsRecordingPath(std::string_view path) { return EndsWith(path, kRecordingExtension); }

std::string OutputExtensions() {
  return std::string(kRecordingExtension) + ", " + KnownExtensions();
}

std::string KnownExtensions() {
  std::string text;
  for (size_t i = 0; i < std::size(kExtensions); ++i) {
    if (i != 0) text += i + 1 == std::size(kExtensions) ? " or " : ", ";
    text += kExtensions[i].text;
  }
  return text;
}

Result<ConvertReport> Convert(const std::string& input_path, const std::string& output_path,
                              const ConvertOptions& options) {
  const std::optional<OutputFormat> format = FormatOfPath(output_path);
  if (!format) {
    return Error("The extension of '" + output_path + "' names no known format: use " +
                 KnownExtensions() + ".");
  }
  Result<OutputPlace> place = OutputPlace::ResolveFile(output_path);
  if (!place) return place.error();
  Result<OutputFile> file = OutputFile::Create(std::move(place).value());
  if (!file) return file.error();
  OutputStream out(file.value().fd(), output_path);
  Result<ConvertReport> report = Write(RecordingFile::Open(input_path), *format, options, out);
  if (!report) return report;
  const Status published = file.value().Publish();
  if (!published) return published.error();
  return report;
}

Result<ConvertReport> ConvertToFd(const std::string& input_path, OutputFormat format, int fd,
                                  const ConvertOptions& options) {
  OutputStream out(fd, "file descriptor " + std::to_string(fd));
  return Write(RecordingFile::Open(input_path), format, options, out);
}

Result<ConvertReport> ConvertToFd(ScopedFd input, const std::string& input_name,
                                  OutputFormat format, int output, const std::string& output_name,
                                  const ConvertOptions& options) {
  OutputStream out(output, output_name);
  return Write(RecordingFile::FromDescriptor(std::move(input), input_name), format, options, out);
}

}  // namespace jprof
