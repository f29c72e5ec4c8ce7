// ReadSlices reads a slice of one or several recordings as one Profile and a stream of samples.
// Runs on the calling thread.
//
// Equal threads, methods and stacks of several recordings are merged. In each recording, a relative
// time such as "10s" counts from the start of that recording.
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

// The progress of reading, which another process or thread can observe.
struct ReadProgress {
  std::atomic<int64_t> bytes{0};
  // The time from the start of the slice to the latest sample or event that was passed on.
  std::atomic<int64_t> reached_ns{0};
};

struct SliceReading {
  LineNumbers lines = LineNumbers::kDrop;
  // The totals that the output shows. Recordings that sampled a kind at different intervals can be
  // read together only if `total` is kValue. The weight of a sample of this kind is then the
  // sampling interval of its recording, in nanoseconds.
  std::optional<Weigh> total = std::nullopt;
  ReadProgress* progress = nullptr;  // updated while reading, unless it is nullptr
};

// Fills `part` with the content of the slice and passes the samples and events of the slice to
// `sink`. Returns one line about the data that could not be read; the line is empty if all was
// read. Fails if a recording cannot be read at all, or if the slice selects none of the samples. In
// the second case, the error says how many samples each option selects.
Result<std::string> ReadSlices(const std::vector<RecordingInput>& inputs, const Slice& slice,
                               const SliceReading& reading, Profile& part, SampleSink& sink);

// Returns how often ReadSlices reads each of `recordings` recordings.
constexpr int PassesOver(size_t recordings) { return recordings > 1 ? 2 : 1; }

}  // namespace jprof::profile
