// ReadSamples: the samples of a JFR file, as a Profile and a stream. What output formats are built
// on.
//
// One thread; memory: that of ReadJfr, and the profile's tables.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"
#include "profile/chunk_names.h"
#include "profile/jfr/jfr_reader.h"
#include "profile/profile.h"

namespace jprof::profile {

// Fills `profile`; `sink` gets every sample, in the order of the file. Every event with a stack is
// a sample (sample_kinds.def). Fails if nothing of the file can be read.
Result<JfrReadReport> ReadSamples(RecordingFile file, LineNumbers lines, Profile& profile,
                                  SampleSink& sink);
Result<JfrReadReport> ReadSamples(const std::string& path, LineNumbers lines, Profile& profile,
                                  SampleSink& sink);

}  // namespace jprof::profile
