// ConvertRecordings: converts recordings to any format of jprof. The entry point of this module.
//
// One thread; prints nothing. Memory: as ReadSlices, plus what the writer of the format keeps; a
// compressed recording, or one from a pipe, lies in memory as a whole.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "formats/convert_report.h"
#include "formats/format_row.h"
#include "profile/slices/read_slices.h"

namespace jprof {

struct ConversionInputs {
  std::vector<profile::RecordingInput> recordings;
  uint64_t most_unpacked_bytes = 0;           // of one recording that is compressed or piped
  profile::ReadProgress* progress = nullptr;  // counted up on the way; nullptr: not counted
};

// Writes the content of the format uncompressed; the caller compresses it. `output` stays open. The
// error is one line with a remedy.
Result<ConvertReport> ConvertRecordings(ConversionInputs inputs, const profile::Slice& slice,
                                        const FormatRow& format, int output,
                                        const std::string& output_name,
                                        const ConvertOptions& options = {});

// `input` as a file that can be read anywhere: what is compressed or comes from a pipe is unpacked
// to memory. `missing` gets a line if its end is not whole.
Result<profile::RecordingInput> WholeRecording(profile::RecordingInput input, uint64_t most_bytes,
                                               std::string& missing);

}  // namespace jprof
