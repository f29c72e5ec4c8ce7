// ConvertToFile, ConvertToStream, ConvertToMemory: convert recordings for the command line. Only a
// confined process parses the recordings (confined_process.h), with the rights of their owner.
//
// jprof's one thread.
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
  uint64_t unpacked_bytes;  // of one recording that is compressed or comes from a pipe

  // The limits for recordings of the given size, on this machine.
  static ConversionLimits For(uint64_t recording_bytes);
};

// The open descriptor of an output, and its name for messages.
struct NamedDescriptor {
  int fd;
  std::string name;
};

// What to convert, and how.
struct ConversionTask {
  std::span<const profile::RecordingInput> inputs;
  const profile::Slice& slice;
  OutputFormat format;
  ConvertOptions options = {};
  std::vector<std::string> sources = {};  // places of sources, as SourceFinder::Add takes them
  const Interrupt* interrupt = nullptr;   // ends the conversion; nullptr: nothing does
};

// Opens recordings; "-" is standard input, which may come once.
Outcome<std::vector<profile::RecordingInput>> OpenRecordings(const std::vector<std::string>& paths);

// Replaces the file at `output_path` atomically when the new file is complete; on failure it stays
// unchanged. Fails with kFile and one line.
Outcome<ConvertReport> ConvertToFile(const ConversionTask& task, const std::string& output_path);

// Streams to `output`.
Outcome<ConvertReport> ConvertToStream(const ConversionTask& task, const NamedDescriptor& output);

// Only counts what is in the recording, and writes nothing; nullopt: it cannot be read.
std::optional<ConvertReport> CountSamples(const profile::RecordingInput& recording);

struct InMemory {
  ScopedFd file;  // of anonymous memory
  ConvertReport report;
};
Outcome<InMemory> ConvertToMemory(const ConversionTask& task);

}  // namespace jprof
