#include "cli/conversion.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>
#include <utility>

#include "base/output_file.h"
#include "base/output_place.h"
#include "base/printable_text.h"
#include "cli/confined_process.h"
#include "conversion/all_formats.h"
#include "conversion/convert_recordings.h"

namespace jprof {
namespace {

constexpr uint64_t kMegabyte = uint64_t{1} << 20;
constexpr char kGood = '+';
constexpr char kBad = '-';

// Parent and child: only single-line printable text from a file reaches the terminal.
std::string OneLine(std::string_view text) { return PrintableText(text, Layout::kEscape); }

// The texts of a report, one line each, followed by its notes.
constexpr std::string ConvertReport::*kTexts[] = {&ConvertReport::event, &ConvertReport::counts,
                                                  &ConvertReport::others, &ConvertReport::missing};

// "+samples", then the texts and the notes; or "-error".
std::string AnswerOf(const Result<ConvertReport>& report) {
  if (!report) return kBad + OneLine(report.error().message());
  std::string answer = kGood + std::to_string(report.value().samples);
  for (const auto text : kTexts) answer += '\n' + OneLine(report.value().*text);
  for (const std::string& note : report.value().notes) answer += '\n' + OneLine(note);
  return answer;
}

std::string_view NextLine(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::optional<Result<ConvertReport>> ParseAnswer(std::string_view answer) {
  if (answer.empty()) return std::nullopt;
  const char outcome = answer.front();
  answer.remove_prefix(1);
  if (outcome == kBad) return Error(OneLine(answer));
  const std::string_view samples = NextLine(answer);
  ConvertReport report;
  const char* const end = samples.data() + samples.size();
  const auto [rest, status] = std::from_chars(samples.data(), end, report.samples);
  if (outcome != kGood || status != std::errc() || rest != end) return std::nullopt;
  for (const auto text : kTexts) report.*text = OneLine(NextLine(answer));
  while (!answer.empty()) report.notes.push_back(OneLine(NextLine(answer)));
  return report;
}

Outcome<ScopedFd> OpenInput(const std::string& path) {
  ScopedFd input(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!input.valid()) return Failure(FailureKind::kFile, Error::FromErrno("open", path));
  return input;
}

}  // namespace

ConversionLimits ConversionLimits::For(uint64_t recording_bytes) {
  const auto pages = static_cast<uint64_t>(std::max(sysconf(_SC_PHYS_PAGES), 1L));
  const uint64_t machine = pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  // Real recordings take some 10 ms of CPU per megabyte, and most outputs are smaller than their
  // recordings.
  return {.memory_bytes = std::max(machine / 2, 512 * kMegabyte),
          .cpu_seconds = 60 + recording_bytes / kMegabyte,
          .output_bytes = 64 * (kMegabyte + recording_bytes)};
}

Outcome<ConvertReport> ConvertToStream(const NamedDescriptor& input, const FormatRow& format,
                                       const NamedDescriptor& output,
                                       const ConvertOptions& options) {
  struct stat recording;
  if (fstat(input.fd, &recording) != 0) {
    return Failure(FailureKind::kFile, Error::FromErrno("fstat", input.name));
  }
  const auto limits = ConversionLimits::For(static_cast<uint64_t>(recording.st_size));
  const Result<std::string> answer = RunConfined(
      {.uid = recording.st_uid,
       .gid = recording.st_gid,
       .input = input.fd,
       .output = output.fd,
       .memory_bytes = limits.memory_bytes,
       .cpu_seconds = limits.cpu_seconds,
       .output_bytes = limits.output_bytes},
      [&] {
        return AnswerOf(ConvertRecordings({ScopedFd(kConfinedInput), input.name}, format,
                                          kConfinedOutput, output.name, options));
      });
  const std::string what = "converting '" + input.name + "': ";
  if (!answer) return Failure(FailureKind::kFile, what + OneLine(answer.error().message()));
  const std::optional<Result<ConvertReport>> report = ParseAnswer(answer.value());
  if (!report)
    return Failure(FailureKind::kFile,
                   what + "its process gave no usable answer: the file may be damaged");
  if (!*report) return Failure(FailureKind::kFile, report->error());
  return report->value();
}

Outcome<ConvertReport> ConvertToStream(const std::string& input_path, const FormatRow& format,
                                       const NamedDescriptor& output,
                                       const ConvertOptions& options) {
  const Outcome<ScopedFd> input = OpenInput(input_path);
  if (!input) return input.error();
  return ConvertToStream({input.value().get(), input_path}, format, output, options);
}

Outcome<ConvertReport> ConvertFile(const NamedDescriptor& input, const std::string& output_path,
                                   const ConvertOptions& options) {
  const FormatRow* format = AllFormats().OfPath(output_path);
  if (format == nullptr) {
    return Failure(FailureKind::kUsage,
                   "'" + output_path + "' names no known format: use " + AllFormats().Extensions());
  }
  Result<OutputPlace> place = OutputPlace::ResolveFile(output_path);
  if (!place) return Failure(FailureKind::kFile, place.error());
  Result<OutputFile> output = OutputFile::Create(std::move(place).value());
  if (!output) return Failure(FailureKind::kFile, output.error());
  Outcome<ConvertReport> report =
      ConvertToStream(input, *format, {output.value().fd(), output_path}, options);
  if (!report) return report;
  const Status published = output.value().Publish();
  if (!published) return Failure(FailureKind::kFile, published.error());
  return report;
}

Outcome<ConvertReport> ConvertFile(const std::string& input_path, const std::string& output_path,
                                   const ConvertOptions& options) {
  const Outcome<ScopedFd> input = OpenInput(input_path);
  if (!input) return input.error();
  return ConvertFile({input.value().get(), input_path}, output_path, options);
}

}  // namespace jprof
