// ReadSamples reads a JFR file as a Profile and a stream of samples. All output formats are made
// from these.
//
// Runs on the calling thread. Needs the memory that ReadJfr needs, and the memory of the profile's
// tables.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "base/result.h"
#include "jfr/reader/jfr_reader.h"
#include "profile/chunk_names.h"
#include "profile/profile.h"

namespace jprof::profile {

// Fills `profile` and passes every sample to `sink` in the order of the file. An event is a sample
// if it has a stack, or if sample_kinds.def lists its type. Skips the chunks that start at the file
// offsets in `copies`. Fails if no part of the file can be read.
Result<JfrReadReport> ReadSamples(RecordingFile file, LineNumbers lines, Profile& profile,
                                  SampleSink& sink, const std::set<int64_t>& copies = {});
Result<JfrReadReport> ReadSamples(const std::string& path, LineNumbers lines, Profile& profile,
                                  SampleSink& sink);

}  // namespace jprof::profile
