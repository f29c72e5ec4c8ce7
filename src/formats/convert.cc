#include "formats/convert.h"

#include <fcntl.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/output_file.h"
#include "base/output_place.h"
#include "formats/format_table.h"
#include "formats/output_stream.h"
#include "profile/slices/read_slices.h"

namespace jprof {
namespace {

Result<ConvertReport> ConvertTo(const std::string& input_path, const FormatRow& format,
                                const ConvertOptions& options, const profile::Slice& slice,
                                OutputStream& out) {
  std::vector<profile::RecordingInput> inputs(1);
  inputs.front() = {ScopedFd(open(input_path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)),
                    input_path};
  if (!inputs.front().fd.valid()) return Error::FromErrno("open", input_path);
  profile::Profile profile;
  const std::unique_ptr<FormatWriter> writer = format.make(options.format);
  Result<std::string> missing = ReadSlices(
      inputs, slice, {.lines = options.lines, .total = options.format.total}, profile, *writer);
  if (!missing) return missing.error();
  profile.stacks.EndAdding();
  FormatContext context;
  context.title =
      options.title.empty() ? input_path.substr(input_path.rfind('/') + 1) : options.title;
  context.selection = slice.texts();
  context.missing = std::move(missing).value();
  return WriteFormat(format, *writer, profile, options, std::move(context), out);
}

}  // namespace

Result<ConvertReport> Convert(const std::string& input_path, const std::string& output_path,
                              const ConvertOptions& options, const profile::Slice& slice) {
  const FormatRow* format = CoreFormats().OfPath(output_path);
  if (format == nullptr) {
    return CoreFormats().UnknownFormat(output_path);
  }
  Result<OutputPlace> place = OutputPlace::ResolveFile(output_path);
  if (!place) return place.error();
  Result<OutputFile> file = OutputFile::Create(std::move(place).value());
  if (!file) return file.error();
  OutputStream out(file.value().fd(), output_path);
  Result<ConvertReport> report = ConvertTo(input_path, *format, options, slice, out);
  if (!report) return report;
  const Status published = file.value().Publish();
  if (!published) return published.error();
  return report;
}

Result<ConvertReport> ConvertToFd(const std::string& input_path, const FormatRow& format, int fd,
                                  const ConvertOptions& options) {
  OutputStream out(fd, "file descriptor " + std::to_string(fd));
  return ConvertTo(input_path, format, options, {}, out);
}

}  // namespace jprof
