// Convert: reads recordings and writes their content in another format. The entry point of this
// module.
//
// Runs on any thread, prints nothing and uses no standard stream. Memory: as ReadSlices, plus what
// the writer of the format keeps. Errors are one line with a remedy.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/format_row.h"
#include "formats/output_stream.h"
#include "profile/read_slices.h"
#include "profile/slice.h"

namespace jprof {

struct ConversionInputs {
  std::vector<profile::RecordingInput> recordings;
  std::string missing = {};                   // the part that could not be unpacked; empty: none
  profile::ReadProgress* progress = nullptr;  // updated while reading; nullptr: not counted
};

struct ConvertOptions {
  // "cpu", "wall", ...: the event to write, or to show first on a page. Empty: the first requested
  // event that has samples or, if none has, the first of sample_kinds.def that has samples.
  std::string event = {};
  std::string title = {};  // title of a page; empty: the name of the recording
  profile::LineNumbers lines = profile::LineNumbers::kDrop;
  FormatOptions format = {};
};

// ConvertReport describes an output. Samples are counted in intervals, as in the agent: a sample of
// n intervals counts n. Every text is one line.
struct ConvertReport {
  uint64_t samples = 0;            // samples in the output
  std::string event;               // converted, or shown first on the page; empty: no samples
  std::string counts;              // samples by event: "309 cpu, 4920 wall samples"
  std::string others;              // alternatives to `event` if none was chosen: "wall"
  std::string missing;             // the unreadable part of the input; empty: none
  std::vector<std::string> notes;  // why a requested event has no samples, and the remedy
};

// Converts `inputs`. Writes the uncompressed content of the format to `out` and finishes `out`.
Result<ConvertReport> Convert(const ConversionInputs& inputs, const profile::Slice& slice,
                              const FormatRow& format, OutputStream& out,
                              const ConvertOptions& options = {});

// Converts the recording at `input_path`. Replaces the file at `output_path` atomically when the
// new file is complete; on failure it stays unchanged.
Result<ConvertReport> ConvertFile(const std::string& input_path, const std::string& output_path,
                                  const FormatRow& format, const ConvertOptions& options = {},
                                  const profile::Slice& slice = {});

// Returns the choice that was made by default: "out.collapsed shows cpu; also recorded: wall".
// Empty if there was no choice.
std::string ChoiceText(const std::string& output, const FormatRow& format,
                       const ConvertReport& report);

}  // namespace jprof
