// FormatWriter: writes a profile in one format. A row of a format table makes it (format_row.h).
//
// One thread. Life: OnBegin once; OnSample and OnEvent in the order of the recordings; Write once.
// A writer keeps what it needs of samples and events: their numbers are those of the profile that
// Write gets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "profile/profile.h"

namespace jprof {

class OutputStream;

// The rest of what a writer needs to know.
struct FormatContext {
  // The kind that a format of one kind writes, and that others may show first. nullopt: there are
  // no samples.
  std::optional<uint32_t> kind = std::nullopt;
  std::string title = {};
  std::string missing = {};                 // the unreadable part of the recording; empty: none
  std::vector<std::string> selection = {};  // what was chosen of it: "--thread main"; empty: all
};

class FormatWriter : public profile::SampleSink {
 public:
  // After the last sample. Errors of `out` are its caller's; others are one line with a remedy.
  // REQUIRES: called once.
  virtual Status Write(const profile::Profile& profile, const FormatContext& context,
                       OutputStream& out) = 0;
};

}  // namespace jprof
