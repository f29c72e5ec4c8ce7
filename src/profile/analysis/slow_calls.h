// SlowCalls collects the longest recorded calls to traced methods, each with the samples of its
// thread within the call. Receives samples and events like a SampleSink. Not thread-safe.
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
  int64_t time_ns = 0;  // start in nanoseconds since 1970
  int64_t duration_ns = 0;
  uint32_t thread = 0;      // index into Profile::threads()
  std::string method = {};  // "com.acme.Shop.order"
  bool has_thrown = false;  // the call ended with an exception
  // The number of slow calls to the same method inside this call. These inner calls have no events
  // of their own.
  uint64_t nested_calls = 0;
  // The samples of all kinds, each cut to its part within this call. A traced call inside this call
  // is a sample, too. If traced calls inside this call are nested, only the outermost is a sample.
  std::vector<Sample> samples = {};
};

class SlowCalls {
 public:
  // Caps the samples that are kept until Take is called (some 20 MB). Further samples are left out,
  // and are then missing in the calls.
  static constexpr size_t kMaxSamples = 2'000'000;

  // Caps the total size of SlowCall::samples over all calls (some 150 MB). A cap is needed, because
  // a sample is in the list of each call that contains it, and calls can be nested deeply.
  static constexpr size_t kMaxParts = kMaxSamples;

  // Keeps the `most` longest calls. REQUIRES: most > 0.
  explicit SlowCalls(size_t most, size_t max_parts = kMaxParts)
      : most_(most), max_parts_(max_parts) {}

  // True if events of the type are calls.
  static bool IsOfCall(const RecordedType& type);

  // OnChunk, OnSample and OnEvent are called like the functions of the same names in SampleSink.
  void OnChunk(const JfrSchema& declared);
  void OnSample(const Sample& sample);
  // REQUIRES: IsOfCall(the event's type).
  void OnEvent(const ProfileEvent& event);

  uint64_t count() const { return count_; }                        // number of recorded calls
  uint64_t nested_calls() const { return nested_calls_; }          // sum over all recorded calls
  bool has_all_samples() const { return samples_left_out_ == 0; }  // valid after Take

  // Returns the longest calls, sorted by duration, longest first. REQUIRES: called once, after the
  // last event.
  std::vector<SlowCall> Take(const Profile& profile);

 private:
  void Keep(SlowCall call);
  void AddSamples(const Profile& profile);

  const size_t most_;
  const size_t max_parts_;
  bool has_calls_ = false;       // the current chunk declares events of calls
  std::vector<SlowCall> calls_;  // a heap with the shortest call at the front
  PackedSamples samples_;
  uint64_t count_ = 0;
  uint64_t nested_calls_ = 0;
  uint64_t samples_left_out_ = 0;
};

}  // namespace jprof::profile
