// ConvertFile: a recording to another format, for the command line: what the recording says is
// believed by a confined process only (confined_process.h), with the rights of its owner.
//
// jprof's one thread.
#pragma once

#include <string>

#include "attach/failure.h"
#include "base/scoped_fd.h"
#include "formats/convert.h"

namespace jprof {

// What a conversion may use.
struct ConversionLimits {
  uint64_t memory_bytes;
  uint64_t cpu_seconds;
  uint64_t output_bytes;

  // For a recording of that size, on this machine.
  static ConversionLimits For(uint64_t recording_bytes);
};

// `input`: open for reading; `input_name` is for messages. The file at `output_path` is replaced at
// once when the new one is complete, and untouched when anything fails. kFile, with one line.
Outcome<ConvertReport> ConvertFile(const ScopedFd& input, const std::string& input_name,
                                   const std::string& output_path,
                                   const ConvertOptions& options = {});
Outcome<ConvertReport> ConvertFile(const std::string& input_path, const std::string& output_path,
                                   const ConvertOptions& options = {});

}  // namespace jprof
