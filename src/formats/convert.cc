#include "formats/convert.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/memory_reserve.h"
#include "base/no_samples_hint.h"
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

// Messages list at most this many events.
constexpr size_t kMaxNamed = 4;

// Numbers of the kinds with samples, in order of preference.
std::vector<uint32_t> KindsWithSamples(const Profile& profile) {
  std::vector<uint32_t> kinds = profile.KindsInOrder();
  std::erase_if(kinds, [&](uint32_t number) { return profile.kinds[number].samples == 0; });
  return kinds;
}

std::string NoSamplesOf(const Profile& profile, const SampleKind& kind) {
  return NoSamplesHint(kind.name, kind.interval_ns, profile.filter);
}

// "cpu, wall"
std::string NamesOf(const Profile& profile, const std::vector<uint32_t>& kinds) {
  std::string names;
  for (const uint32_t number : kinds)
    names += (names.empty() ? "" : ", ") + profile.kinds[number].name;
  return names;
}

// The kind named `event`, or the first; nullopt if there are no samples.
Result<std::optional<uint32_t>> ChooseKind(const Profile& profile, const std::string& event) {
  const std::vector<uint32_t> kinds = KindsWithSamples(profile);
  if (event.empty()) return kinds.empty() ? std::nullopt : std::optional(kinds.front());
  for (const uint32_t number : kinds) {
    if (profile.kinds[number].name == event) return std::optional(number);
  }
  const std::string there = "it has: " + (kinds.empty() ? "none" : NamesOf(profile, kinds));
  for (const SampleKind& kind : profile.kinds) {
    if (kind.name == event && kind.request != 0) {
      return Error("The recording has " + NoSamplesOf(profile, kind) + "; " + there + ".");
    }
  }
  return Error("The recording has no samples of '" + event + "'; " + there + ".");
}

// "309 cpu, 4920 wall samples"
std::string CountsText(const Profile& profile, const std::vector<uint32_t>& kinds,
                       uint64_t samples) {
  if (kinds.empty()) return "0 samples";
  if (kinds.size() > kMaxNamed) {
    return std::to_string(samples) + " samples of " + std::to_string(kinds.size()) + " events";
  }
  std::string text;
  for (const uint32_t number : kinds) {
    const SampleKind& kind = profile.kinds[number];
    text += (text.empty() ? "" : ", ") + std::to_string(kind.samples) + ' ' + kind.name;
  }
  return text + " samples";
}

// The events other than `shown`, which was chosen by default.
std::string OthersText(const Profile& profile, uint32_t shown) {
  std::vector<uint32_t> others = KindsWithSamples(profile);
  std::erase(others, shown);
  const size_t count = others.size();
  if (count > kMaxNamed) others.resize(kMaxNamed);
  std::string text = NamesOf(profile, others);
  if (count > kMaxNamed) text += " and " + std::to_string(count - kMaxNamed) + " more";
  return text;
}

void Describe(const Profile& profile, const std::vector<uint32_t>& written, ConvertReport* report) {
  for (const uint32_t number : written) report->samples += profile.kinds[number].samples;
  report->counts = CountsText(profile, written, report->samples);
  for (const uint32_t number : profile.KindsInOrder()) {
    const SampleKind& kind = profile.kinds[number];
    if (kind.request != 0 && kind.samples == 0) {
      report->notes.push_back(NoSamplesOf(profile, kind));
    }
  }
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
  if (kind.value()) {
    report.event = profile.kinds[*kind.value()].name;
    if (options.event.empty()) report.others = OthersText(profile, *kind.value());
  }
  if (is_page) {
    FlameGraphPage page;
    page.title = options.title.empty() ? name : options.title;
    page.first_kind = kind.value();
    page.missing = report.missing;
    WriteFlameGraph(profile, table, page, out);
    Describe(profile, KindsWithSamples(profile), &report);
  } else {
    if (kind.value()) WriteCollapsed(profile, table, *kind.value(), options, out);
    Describe(profile, kind.value() ? std::vector{*kind.value()} : std::vector<uint32_t>(), &report);
  }
  const Status written = out.Finish();
  if (!written) return written.error();
  if (MemoryIsShort()) return OutOfMemory();
  return report;
}

}  // namespace

std::string ChoiceText(const std::string& output, OutputFormat format,
                       const ConvertReport& report) {
  if (report.others.empty()) return {};
  const bool has_all = format == OutputFormat::kFlameGraph;
  return output + (has_all ? " opens on " : " holds ") + report.event +
         (has_all ? " and has " : " and not ") + report.others + (has_all ? " too" : "");
}

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
