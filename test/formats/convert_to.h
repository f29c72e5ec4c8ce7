// ConvertTo converts one recording to a descriptor, for tests.
#pragma once

#include <fcntl.h>

#include <string>

#include "base/scoped_fd.h"
#include "formats/convert.h"

namespace jprof::test {

inline Result<ConvertReport> ConvertTo(const std::string& input, const FormatRow& format, int fd,
                                       const ConvertOptions& options = {},
                                       const profile::Slice& slice = {}) {
  ConversionInputs inputs;
  inputs.recordings.push_back({ScopedFd(open(input.c_str(), O_RDONLY | O_CLOEXEC)), input});
  if (!inputs.recordings.front().fd.valid()) return Error::FromErrno("open", input);
  OutputStream out(fd, "output");
  return Convert(inputs, slice, format, out, options);
}

}  // namespace jprof::test
