// LastSnapshot: holds the samples of the latest snapshot until all events have been read. Part of
// ReadSamples; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "profile/profile.h"

namespace jprof::profile {

class LastSnapshot {
 public:
  // The profiler writes some ten thousand.
  static constexpr size_t kMostSamples = 200'000;

  // There is a snapshot of this moment: a later one takes the place of the one before it.
  void Begin(int64_t time_ns) {
    if (time_ns <= time_ns_) return;
    time_ns_ = time_ns;
    samples_.clear();
  }

  // False: the snapshot has too many samples.
  bool Add(const Sample& sample) {
    Begin(sample.time_ns);
    if (sample.time_ns != time_ns_) return true;
    if (samples_.size() == kMostSamples) return false;
    samples_.push_back(sample);
    return true;
  }

  std::vector<Sample>& samples() { return samples_; }

 private:
  std::vector<Sample> samples_;
  int64_t time_ns_ = std::numeric_limits<int64_t>::min();
};

}  // namespace jprof::profile
