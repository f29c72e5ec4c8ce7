#include "formats/convert.h"

#include <fcntl.h>

#include <memory>
#include <optional>
#include <utility>

#include "base/memory_budget.h"
#include "base/memory_reserve.h"
#include "base/output_file.h"
#include "base/output_place.h"
#include "formats/no_samples.h"

namespace jprof {
namespace {

using profile::Profile;
using profile::SampleKind;

// The memory that writing needs, in bytes per node of the call tree. The page needs the most, up to
// 69 bytes per node (docs/large-recordings.md).
constexpr size_t kBytesForNode = 72;

// The maximum number of events that a message lists.
constexpr size_t kMaxNamed = 4;

// Returns the numbers of the kinds with samples, in the order of KindsInOrder.
std::vector<uint32_t> KindsWithSamples(const Profile& profile) {
  std::vector<uint32_t> kinds = profile.KindsInOrder();
  std::erase_if(kinds, [&](uint32_t number) { return profile.kinds[number].samples == 0; });
  return kinds;
}

// Returns the names of the kinds: "cpu, wall".
std::string NamesOf(const Profile& profile, const std::vector<uint32_t>& kinds) {
  std::string names;
  for (const uint32_t number : kinds) {
    names += (names.empty() ? "" : ", ") + profile.kinds[number].name;
  }
  return names;
}

// Returns the number of the kind named `event`. If `event` is empty, returns the number of the
// first kind with samples in the order of KindsInOrder, or nullopt if no kind has samples.
Result<std::optional<uint32_t>> ChooseKind(const Profile& profile, const std::string& event) {
  const std::vector<uint32_t> kinds = KindsWithSamples(profile);
  if (event.empty()) return kinds.empty() ? std::nullopt : std::optional(kinds.front());
  for (const uint32_t number : kinds) {
    if (profile.kinds[number].name == event) return std::optional(number);
  }
  const std::string there = "it has: " + (kinds.empty() ? "none" : NamesOf(profile, kinds));
  for (const SampleKind& kind : profile.kinds) {
    if (kind.name == event && kind.request != 0) {
      return Error("The recording has " + ExplainNoSamples(profile, kind) + "; " + there + ".");
    }
  }
  return Error("The recording has no samples of '" + event + "'; " + there + ".");
}

// Returns the number of samples of each kind: "309 cpu, 4920 wall samples". If there are many
// kinds, returns instead the number of kinds and `samples`, the number of samples of all kinds.
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

// Returns the names of all events that have samples, without the event `shown`: "wall, alloc".
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
  report->notes.insert(report->notes.end(), profile.notes.begin(), profile.notes.end());
  for (const uint32_t number : profile.KindsInOrder()) {
    const SampleKind& kind = profile.kinds[number];
    if (kind.request != 0 && !profile.HasSamplesOfRequest(kind)) {
      report->notes.push_back(ExplainNoSamples(profile, kind));
    }
  }
}

// Returns "a.jfr" or "a.jfr and 2 more".
std::string TitleOf(const std::vector<profile::RecordingInput>& inputs) {
  const std::string& name = inputs.front().name;
  std::string title = name.substr(name.rfind('/') + 1);
  if (inputs.size() > 1) title += " and " + std::to_string(inputs.size() - 1) + " more";
  return title;
}

// Writes the profile with `writer`, which has already received every sample. Sets context.kind; the
// caller has set all other members of `context`.
Result<ConvertReport> Write(const FormatRow& format, FormatWriter& writer, const Profile& profile,
                            const ConvertOptions& options, FormatContext context,
                            OutputStream& out) {
  if (MemoryIsShort()) return OutOfMemory();
  const Result<std::optional<uint32_t>> kind = ChooseKind(profile, options.event);
  if (!kind) return kind.error();
  context.kind = kind.value();

  ConvertReport report;
  report.missing = context.missing;
  if (context.kind) {
    report.event = profile.kinds[*context.kind].name;
    if (options.event.empty()) report.others = OthersText(profile, *context.kind);
  }
  const Status written = writer.Write(profile, context, out);
  if (!written) return written.error();
  report.finding = writer.Finding();
  std::vector<uint32_t> kinds = KindsWithSamples(profile);
  if (format.kinds == FormatKinds::kOne && context.kind) kinds = {*context.kind};
  Describe(profile, kinds, &report);
  const Status finished = out.Finish();
  if (!finished) return finished.error();
  if (MemoryIsShort()) return OutOfMemory();
  return report;
}

}  // namespace

Result<ConvertReport> Convert(const ConversionInputs& inputs, const profile::Slice& slice,
                              const FormatRow& format, OutputStream& out,
                              const ConvertOptions& options) {
  const bool needs_lines = format.lines == FormatLines::kAlways;
  const profile::SliceReading reading{
      .lines = needs_lines ? profile::LineNumbers::kKeep : options.lines,
      .total = options.format.total,
      .progress = inputs.progress};
  profile::Profile profile;
  const std::unique_ptr<FormatWriter> writer = format.make(options.format);
  Result<std::string> missing = ReadSlices(inputs.recordings, slice, reading, profile, *writer);
  if (!missing) return missing.error();
  profile.stacks.EndAdding();
  MemoryBudget::Expect(profile.stacks.size() * kBytesForNode);
  FormatContext context;
  context.title = options.title.empty() ? TitleOf(inputs.recordings) : options.title;
  context.selection = slice.texts();
  context.missing = inputs.missing.empty() ? std::move(missing).value() : inputs.missing;
  return Write(format, *writer, profile, options, std::move(context), out);
}

Result<ConvertReport> ConvertFile(const std::string& input_path, const std::string& output_path,
                                  const FormatRow& format, const ConvertOptions& options,
                                  const profile::Slice& slice) {
  ConversionInputs inputs;
  inputs.recordings.push_back(
      {ScopedFd(open(input_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)), input_path});
  if (!inputs.recordings.front().fd.valid()) return Error::FromErrno("open", input_path);
  Result<OutputPlace> place = OutputPlace::ResolveFile(output_path);
  if (!place) return place.error();
  Result<OutputFile> file = OutputFile::Create(std::move(place).value());
  if (!file) return file.error();
  OutputStream out(file.value().fd(), output_path);
  Result<ConvertReport> report = Convert(inputs, slice, format, out, options);
  if (!report) return report;
  const Status published = file.value().Publish();
  if (!published) return published.error();
  return report;
}

std::string ChoiceText(const std::string& output, const FormatRow& format,
                       const ConvertReport& report) {
  if (report.others.empty() || format.kinds == FormatKinds::kAll) return {};
  const bool has_all = format.kinds == FormatKinds::kAllShown;
  return output + (has_all ? " opens on " : " shows ") + report.event +
         (has_all ? "; it also has " : "; also recorded: ") + report.others;
}

}  // namespace jprof
