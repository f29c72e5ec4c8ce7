#include "sampling/outside_samples.h"

#include <algorithm>
#include <iterator>

namespace jprof {

void OutsideSamples::Push(ProfiledThread& thread, const Sample& sample) {
  const std::lock_guard lock(mutex_);
  if (samples_.size() < kCapacity) {
    samples_.push_back(sample);
  } else {
    thread.AddLost(sample.kind, LostReason::kSamplesFull, sample.intervals);
  }
}

std::vector<Sample> OutsideSamples::Take(uint32_t last_epoch) {
  std::vector<Sample> taken;
  const std::lock_guard lock(mutex_);
  const auto later = std::stable_partition(
      samples_.begin(), samples_.end(),
      [last_epoch](const Sample& sample) { return Value(sample.trace) >> 32 <= last_epoch; });
  taken.assign(samples_.begin(), later);
  samples_.erase(samples_.begin(), later);
  return taken;
}

void OutsideSamples::KeepLive(LiveTraces& live) const {
  const std::lock_guard lock(mutex_);
  for (const Sample& sample : samples_) live.Keep(sample.trace);
}

}  // namespace jprof
