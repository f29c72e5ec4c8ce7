// ConvertToFile, ConvertToStream, ConvertToMemory: convert recordings for the command line. Only a
// confined process (confined_process.h) parses the recordings, with the rights of their owner.
//
// Used on jprof's only thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attach/failure.h"
#include "cli/words/interrupt.h"
#include "conversion/all_formats.h"
#include "formats/convert.h"
#include "profile/read_slices.h"

namespace jprof {

// The resource limits of a conversion.
struct ConversionLimits {
  uint64_t memory_bytes;
  uint64_t cpu_seconds;
  uint64_t output_bytes;
  uint64_t unpacked_bytes;  // most bytes of one recording after unpacking, or from a pipe

  // Returns the limits for recordings of the given size on this machine.
  static ConversionLimits For(uint64_t recording_bytes);
};

// The open descriptor of an output, and its name for messages.
struct NamedDescriptor {
  int fd;
  std::string name;
};

// The inputs, the format and the options of a conversion.
struct ConversionTask {
  std::span<const profile::RecordingInput> inputs;
  const profile::Slice& slice;
  OutputFormat format;
  ConvertOptions options = {};
  std::vector<std::string> sources = {};  // places of sources, as SourceFinder::Add takes them
  const Interrupt* interrupt =
      nullptr;  // its request ends the conversion; nullptr if there is none
};

// Opens recordings; "-" is standard input. Fails if "-" is given more than once.
Outcome<std::vector<profile::RecordingInput>> OpenRecordings(const std::vector<std::string>& paths);

// Converts to the file at `output_path`. Replaces an existing file atomically when the new one is
// complete, and leaves it unchanged on failure. Fails with kFile.
Outcome<ConvertReport> ConvertToFile(const ConversionTask& task, const std::string& output_path);

// Converts to the open descriptor of `output`.
Outcome<ConvertReport> ConvertToStream(const ConversionTask& task, const NamedDescriptor& output);

// Counts the samples of the event that conversions show by default, without keeping their output.
// Returns nullopt if the recording cannot be read.
std::optional<ConvertReport> CountSamples(const profile::RecordingInput& recording);

// The output of a conversion to memory.
struct InMemory {
  ScopedFd file;  // a file in anonymous memory
  ConvertReport report;
};
Outcome<InMemory> ConvertToMemory(const ConversionTask& task);

}  // namespace jprof
