// ConvertFile: a recording to another format, for the command line: what the recording says is
// believed by a confined process only (confined_process.h), with the rights of its owner.
//
// jprof's one thread.
#pragma once

#include <string>

#include "attach/failure.h"
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

// An open descriptor, and a name of it for messages.
struct NamedDescriptor {
  int fd;
  std::string name;
};

// The file at `output_path` is replaced at once when the new one is complete, and untouched when
// anything fails. kFile, with one line.
Outcome<ConvertReport> ConvertFile(const NamedDescriptor& input, const std::string& output_path,
                                   const ConvertOptions& options = {});
Outcome<ConvertReport> ConvertFile(const std::string& input_path, const std::string& output_path,
                                   const ConvertOptions& options = {});

// Writes to `output` as it goes.
Outcome<ConvertReport> ConvertToStream(const NamedDescriptor& input, OutputFormat format,
                                       const NamedDescriptor& output,
                                       const ConvertOptions& options = {});
Outcome<ConvertReport> ConvertToStream(const std::string& input_path, OutputFormat format,
                                       const NamedDescriptor& output,
                                       const ConvertOptions& options = {});

}  // namespace jprof
