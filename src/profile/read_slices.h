// ReadSlices: reads a slice of recordings as one Profile and a stream of samples. One thread.
//
// Equal threads, methods and stacks of several recordings are one. Relative times count from the
// begin of each recording.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/scoped_fd.h"
#include "profile/profile.h"
#include "profile/slice.h"

namespace jprof::profile {

// An open recording, and its name for messages and titles.
struct RecordingInput {
  ScopedFd fd;
  std::string name;
};

// How far reading has got, for another process or thread to look at.
struct ReadProgress {
  std::atomic<int64_t> bytes{0};
  // From the begin of the slice to the latest moment of which something was taken.
  std::atomic<int64_t> reached_ns{0};
};

struct SliceReading {
  LineNumbers lines = LineNumbers::kDrop;
  // What is added up in the end. Recordings that took samples of one kind at different intervals
  // are refused unless it is kValue: their samples then weigh nanoseconds.
  std::optional<Weigh> total = std::nullopt;
  ReadProgress* progress = nullptr;  // counted up on the way; nullptr: not counted
};

// Fills `part`, and passes its samples and events to `sink`. Returns what could not be read, in one
// line; empty: all was read. Fails if a recording cannot be read at all, or if nothing is left of
// recordings that have samples: the error says what each option leaves.
Result<std::string> ReadSlices(const std::vector<RecordingInput>& inputs, const Slice& slice,
                               const SliceReading& reading, Profile& part, SampleSink& sink);

// How often ReadSlices reads each of so many recordings.
constexpr int PassesOver(size_t recordings) { return recordings > 1 ? 2 : 1; }

}  // namespace jprof::profile
