#include "session/recording_output.h"

#include <unistd.h>

#include <utility>

#include "base/output_place.h"
#include "formats/convert.h"

namespace jprof {
namespace {

std::string HiddenBeside(const std::string& path) {
  const size_t name = path.rfind('/') + 1;
  return path.substr(0, name) + "." + path.substr(name) + "." + std::to_string(getpid()) + ".jfr";
}

}  // namespace

RecordingOutput::RecordingOutput(std::string path)
    : path_(std::move(path)), recording_(FormatOfPath(path_) ? HiddenBeside(path_) : path_) {}

Status RecordingOutput::Update() const {
  if (!IsConverted()) return {};
  ConvertOptions options;
  options.title = path_.substr(path_.rfind('/') + 1);
  const Result<ConvertReport> report = Convert(recording_, path_, options);
  if (!report) return report.error();
  return {};
}

Error RecordingOutput::Incomplete(const Error& reason) const {
  return IsConverted() ? Error(reason.message() + "; the recording is " + recording_) : reason;
}

Status RecordingOutput::Complete() const {
  const Status updated = Update();
  if (!updated) return Incomplete(updated.error());
  return IsConverted() ? RemoveOutput(recording_) : Status();
}

}  // namespace jprof
