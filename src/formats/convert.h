// Convert reads recordings and writes their content in another format. It is the entry point of
// this module.
//
// Runs on any thread, prints nothing and uses no standard stream. Needs the memory that ReadSlices
// needs, and the memory that the writer of the format needs. An error is one line with a remedy.
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
  std::string missing = {};  // describes what could not be unpacked; empty if nothing
  profile::ReadProgress* progress = nullptr;  // updated while reading, unless it is nullptr
};

struct ConvertOptions {
  // The event to write, or to show first on a page: "cpu", "wall", ... If empty, Convert chooses
  // the first requested event that has samples. If no requested event has samples, it chooses the
  // first event in the order of sample_kinds.def that has samples.
  std::string event = {};
  std::string title = {};  // title of a page; if empty, the name of the recording
  profile::LineNumbers lines = profile::LineNumbers::kDrop;
  FormatOptions format = {};
};

// ConvertReport describes an output. A sample that stands for n intervals counts as n samples.
// Every text is one line.
struct ConvertReport {
  uint64_t samples = 0;  // samples in the output
  // The event that is written or, on a page, shown first. Empty if there are no samples.
  std::string event;
  std::string counts;  // samples by event: "309 cpu, 4920 wall samples"
  // The other recorded events that have samples: "wall". Empty if the user chose the event.
  std::string others;
  std::string missing;  // the unreadable part of the input; empty if none
  // A text for programs that says what the output as a whole says; empty for most formats. The view
  // `validation` says how many stacks were compared, and how many of them are wrong: "1200 3".
  std::string finding;
  // Texts about what is left out, and why. Also, for each requested event that has no samples, a
  // text with the reason and the remedy.
  std::vector<std::string> notes;
};

// Converts `inputs`. Writes the uncompressed content of the format to `out` and finishes `out`.
Result<ConvertReport> Convert(const ConversionInputs& inputs, const profile::Slice& slice,
                              const FormatRow& format, OutputStream& out,
                              const ConvertOptions& options = {});

// Converts the recording at `input_path`. Replaces the file at `output_path` atomically when the
// new file is complete. On failure, the old file stays unchanged.
Result<ConvertReport> ConvertFile(const std::string& input_path, const std::string& output_path,
                                  const FormatRow& format, const ConvertOptions& options = {},
                                  const profile::Slice& slice = {});

// Returns a text that says which event was chosen by default: "out.collapsed shows cpu; also
// recorded: wall". The text is empty if the user chose the event, if the output has all events, or
// if the recording has only one event.
std::string ChoiceText(const std::string& output, const FormatRow& format,
                       const ConvertReport& report);

}  // namespace jprof
