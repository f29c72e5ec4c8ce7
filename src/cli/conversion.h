// ConvertFile: converts a recording for the command line. Only a confined process parses the
// recording (confined_process.h), with the rights of its owner.
//
// jprof's one thread.
#pragma once

#include <string>

#include "attach/failure.h"
#include "formats/convert_report.h"

namespace jprof {

// The resource limits of a conversion.
struct ConversionLimits {
  uint64_t memory_bytes;
  uint64_t cpu_seconds;
  uint64_t output_bytes;

  // The limits for a recording of the given size, on this machine.
  static ConversionLimits For(uint64_t recording_bytes);
};

// An open descriptor and its name for messages.
struct NamedDescriptor {
  int fd;
  std::string name;
};

// Replaces the file at `output_path` atomically when the new file is complete; on failure it stays
// unchanged. Fails with kFile and one line.
Outcome<ConvertReport> ConvertFile(const NamedDescriptor& input, const std::string& output_path,
                                   const ConvertOptions& options = {});
Outcome<ConvertReport> ConvertFile(const std::string& input_path, const std::string& output_path,
                                   const ConvertOptions& options = {});

// Streams to `output`.
Outcome<ConvertReport> ConvertToStream(const NamedDescriptor& input, const FormatRow& format,
                                       const NamedDescriptor& output,
                                       const ConvertOptions& options = {});
Outcome<ConvertReport> ConvertToStream(const std::string& input_path, const FormatRow& format,
                                       const NamedDescriptor& output,
                                       const ConvertOptions& options = {});

}  // namespace jprof
