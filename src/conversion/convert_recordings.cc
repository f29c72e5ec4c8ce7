#include "conversion/convert_recordings.h"

#include <memory>
#include <utility>

#include "formats/gzip/gzip_stream.h"
#include "formats/output_stream.h"
#include "profile/sample_reader.h"

namespace jprof {

using profile::JfrReadReport;
using profile::Profile;
using profile::RecordingFile;

Result<ConvertReport> ConvertRecordings(RecordingInput input, const FormatRow& format, int output,
                                        const std::string& output_name,
                                        const ConvertOptions& options) {
  Result<RecordingFile> file = RecordingFile::FromDescriptor(std::move(input.fd), input.name);
  if (!file) return file.error();
  Profile profile;
  const std::unique_ptr<FormatWriter> writer = format.make(options.format);
  const bool has_lines = format.lines == profile::LineNumbers::kKeep;
  Result<JfrReadReport> read = ReadSamples(
      std::move(file).value(), has_lines ? format.lines : options.lines, profile, *writer);
  if (!read) return read.error();
  const std::unique_ptr<OutputStream> out =
      format.content == FormatContent::kGzip ? std::make_unique<GzipStream>(output, output_name)
                                             : std::make_unique<OutputStream>(output, output_name);
  FormatContext context;
  context.title =
      options.title.empty() ? input.name.substr(input.name.rfind('/') + 1) : options.title;
  context.missing = std::move(read.value().missing);
  return WriteFormat(format, *writer, profile, options, std::move(context), *out);
}

}  // namespace jprof
