#include "conversion/convert_recordings.h"

#include <memory>
#include <utility>

#include "formats/output_stream.h"

namespace jprof {
namespace {

// "a.jfr", "a.jfr and 2 more".
std::string TitleOf(const std::vector<profile::RecordingInput>& inputs) {
  const std::string& name = inputs.front().name;
  std::string title = name.substr(name.rfind('/') + 1);
  if (inputs.size() > 1) title += " and " + std::to_string(inputs.size() - 1) + " more";
  return title;
}

}  // namespace

Result<ConvertReport> ConvertRecordings(ConversionInputs inputs, const profile::Slice& slice,
                                        const FormatRow& format, int output,
                                        const std::string& output_name,
                                        const ConvertOptions& options) {
  OutputStream out(output, output_name);
  const bool needs_lines = format.lines == FormatLines::kAlways;
  const profile::SliceReading reading{
      .lines = needs_lines ? profile::LineNumbers::kKeep : options.lines,
      .total = options.format.total,
      .progress = inputs.progress};
  FormatContext context;
  context.title = options.title.empty() ? TitleOf(inputs.recordings) : options.title;
  context.selection = slice.texts();
  for (profile::RecordingInput& input : inputs.recordings) {
    auto whole = WholeRecording(std::move(input), inputs.most_unpacked_bytes, context.missing);
    if (!whole) return whole.error();
    input = std::move(whole).value();
  }
  profile::Profile profile;
  const std::unique_ptr<FormatWriter> writer = format.make(options.format);
  Result<std::string> missing = ReadSlices(inputs.recordings, slice, reading, profile, *writer);
  if (!missing) return missing.error();
  profile.stacks.EndAdding();
  if (context.missing.empty()) context.missing = std::move(missing).value();
  return WriteFormat(format, *writer, profile, options, std::move(context), out);
}

}  // namespace jprof
