// ReadSamples: reads the samples of a JFR file, as a Profile and a stream. The basis of all output
// formats.
//
// One thread; memory: as ReadJfr, plus the profile's tables.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "base/result.h"
#include "jfr/reader/jfr_reader.h"
#include "profile/chunk_names.h"
#include "profile/profile.h"

namespace jprof::profile {

// Fills `profile`; `sink` gets every sample, in the order of the file. Every event with a stack is
// a sample (sample_kinds.def). `copies`: the offsets of chunks that are passed over. Fails if no part
// of the file can be read.
Result<JfrReadReport> ReadSamples(RecordingFile file, LineNumbers lines, Profile& profile,
                                  SampleSink& sink, const std::set<int64_t>& copies = {});
Result<JfrReadReport> ReadSamples(const std::string& path, LineNumbers lines, Profile& profile,
                                  SampleSink& sink);

}  // namespace jprof::profile
