// SlowCalls: the longest recorded calls of traced methods, each with the samples that its thread
// has within the call. Fed as a SampleSink. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "profile/analysis/packed_samples.h"
#include "profile/profile.h"
#include "profile/profile_event.h"

namespace jprof::profile {

struct SlowCall {
  int64_t time_ns = 0;  // since 1970
  int64_t duration_ns = 0;
  uint32_t thread = 0;      // of Profile::threads()
  std::string method = {};  // "com.acme.Shop.order"
  bool has_thrown = false;  // it ended by an exception
  // Slow calls of the method inside it that have no event of their own.
  uint64_t nested_calls = 0;
  // Of all kinds, cut to the call; of calls within it the outermost.
  std::vector<Sample> samples = {};
};

class SlowCalls {
 public:
  // Samples beyond are not kept: the calls may then have fewer than were recorded. Some 20 MB.
  static constexpr size_t kMaxSamples = 2'000'000;

  // A sample is kept for each call around it, and calls may be deep: some 150 MB of all calls.
  static constexpr size_t kMaxParts = kMaxSamples;

  // Keeps the `most` longest calls. REQUIRES: most > 0.
  explicit SlowCalls(size_t most, size_t max_parts = kMaxParts)
      : most_(most), max_parts_(max_parts) {}

  // Whether events of the type are of calls.
  static bool IsOfCall(const RecordedType& type);

  // As those of SampleSink. REQUIRES: OnEvent gets events of calls only.
  void OnChunk(const JfrSchema& declared);
  void OnSample(const Sample& sample);
  void OnEvent(const ProfileEvent& event);

  uint64_t count() const { return count_; }                        // of the recorded calls
  uint64_t nested_calls() const { return nested_calls_; }          // as SlowCall's, of all calls
  bool has_all_samples() const { return samples_left_out_ == 0; }  // after Take

  // The longest first. REQUIRES: called once, after the last event.
  std::vector<SlowCall> Take(const Profile& profile);

 private:
  void Keep(SlowCall call);
  void AddSamples(const Profile& profile);

  const size_t most_;
  const size_t max_parts_;
  bool has_calls_ = false;       // the chunk may have events of calls
  std::vector<SlowCall> calls_;  // a heap, the shortest first
  PackedSamples samples_;
  uint64_t count_ = 0;
  uint64_t nested_calls_ = 0;
  uint64_t samples_left_out_ = 0;
};

}  // namespace jprof::profile
