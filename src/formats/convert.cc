#include "formats/convert.h"

#include <memory>
#include <utility>

#include "base/output_file.h"
#include "base/output_place.h"
#include "formats/format_table.h"
#include "formats/output_stream.h"
#include "profile/sample_reader.h"

namespace jprof {
namespace {

using profile::JfrReadReport;
using profile::Profile;
using profile::RecordingFile;

Result<ConvertReport> ConvertTo(const std::string& input_path, const FormatRow& format,
                                const ConvertOptions& options, OutputStream& out) {
  Result<RecordingFile> input = RecordingFile::Open(input_path);
  if (!input) return input.error();
  Profile profile;
  const std::unique_ptr<FormatWriter> writer = format.make(options.format);
  Result<JfrReadReport> read =
      ReadSamples(std::move(input).value(), options.lines, profile, *writer);
  if (!read) return read.error();
  FormatContext context;
  context.title =
      options.title.empty() ? input_path.substr(input_path.rfind('/') + 1) : options.title;
  context.missing = std::move(read.value().missing);
  return WriteFormat(format, *writer, profile, options, std::move(context), out);
}

}  // namespace

Result<ConvertReport> Convert(const std::string& input_path, const std::string& output_path,
                              const ConvertOptions& options) {
  const FormatRow* format = CoreFormats().OfPath(output_path);
  if (format == nullptr) {
    return Error("The extension of '" + output_path + "' names no known format: use " +
                 CoreFormats().Extensions() + ".");
  }
  Result<OutputPlace> place = OutputPlace::ResolveFile(output_path);
  if (!place) return place.error();
  Result<OutputFile> file = OutputFile::Create(std::move(place).value());
  if (!file) return file.error();
  OutputStream out(file.value().fd(), output_path);
  Result<ConvertReport> report = ConvertTo(input_path, *format, options, out);
  if (!report) return report;
  const Status published = file.value().Publish();
  if (!published) return published.error();
  return report;
}

Result<ConvertReport> ConvertToFd(const std::string& input_path, const FormatRow& format, int fd,
                                  const ConvertOptions& options) {
  OutputStream out(fd, "file descriptor " + std::to_string(fd));
  return ConvertTo(input_path, format, options, out);
}

}  // namespace jprof
