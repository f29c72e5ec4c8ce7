// ConvertToFile, ConvertToStream and ConvertToMemory convert recordings for the command line. Only
// a confined process (confined_process.h) parses the recordings. The confined process has only the
// rights of the recordings' owner.
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
  uint64_t unpacked_bytes;  // maximum size of a recording that is unpacked or piped

  // Returns the limits for recordings of the given size on this machine.
  static ConversionLimits For(uint64_t recording_bytes);
};

// An open descriptor of an output, and the name of the output for messages.
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
  std::vector<std::string> sources = {};  // folders and archives of sources (SourceFinder::Add)
  // If not nullptr, the conversion ends early once an interrupt is requested.
  const Interrupt* interrupt = nullptr;
};

// Opens recordings; "-" is standard input. Fails if "-" is given more than once.
Outcome<std::vector<profile::RecordingInput>> OpenRecordings(const std::vector<std::string>& paths);

// Converts to the file at `output_path`. Replaces an existing file atomically once the new file is
// complete. On failure, the existing file stays unchanged. Fails with kFile.
Outcome<ConvertReport> ConvertToFile(const ConversionTask& task, const std::string& output_path);

// Converts to the open descriptor of `output`.
Outcome<ConvertReport> ConvertToStream(const ConversionTask& task, const NamedDescriptor& output);

// Counts the samples of the event that a conversion shows by default. The output of the conversion
// is discarded. Returns nullopt if the recording cannot be read.
std::optional<ConvertReport> CountSamples(const profile::RecordingInput& recording);

// The output of a conversion to memory.
struct InMemory {
  ScopedFd file;  // an anonymous file in memory (memfd_create)
  ConvertReport report;
};
Outcome<InMemory> ConvertToMemory(const ConversionTask& task);

}  // namespace jprof
