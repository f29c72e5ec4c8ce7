// ConvertRecordings: converts recordings to any format of jprof. The entry point of this module.
//
// One thread; prints nothing. Memory: as ReadSamples, plus what the writer of the format keeps.
#pragma once

#include <string>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "formats/convert_report.h"

namespace jprof {

// An open recording, and its name for messages and titles.
struct RecordingInput {
  ScopedFd fd;
  std::string name;
};

// `output` stays open. The error is one line with a remedy.
Result<ConvertReport> ConvertRecordings(RecordingInput input, const FormatRow& format, int output,
                                        const std::string& output_name,
                                        const ConvertOptions& options = {});

}  // namespace jprof
