// Convert: converts a recording to another format. The entry point of this module.
//
// Any thread; prints nothing and uses no standard stream. Memory: as ReadSlices, plus what the
// writer of the format keeps.
#pragma once

#include <string>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "formats/convert_report.h"
#include "formats/format_row.h"
#include "profile/slices/slice.h"

namespace jprof {

// Replaces the file at `output_path` atomically when the new file is complete; on failure it stays
// unchanged. Its extension is one of CoreFormats. The error is one line with a remedy.
Result<ConvertReport> Convert(const std::string& input_path, const std::string& output_path,
                              const ConvertOptions& options = {}, const profile::Slice& slice = {});

// As Convert, to a descriptor, which stays open.
Result<ConvertReport> ConvertToFd(const std::string& input_path, const FormatRow& format, int fd,
                                  const ConvertOptions& options = {});

}  // namespace jprof
