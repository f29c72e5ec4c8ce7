// NativeLockSampling: the policy of samples of native waits, which are drawn by LockSampling. Used
// on the thread that has waited; for waits that go on at the stop, on the stopping thread.
#pragma once

#include <cstdint>

#include "engines/lock/lock_sampling.h"

namespace jprof {

struct [[gnu::packed]] NativeLockPayload {
  static constexpr SampleKind kKind = SampleKind::kNativeLock;
  static constexpr uint8_t kUnfinished = 1;  // bit of `flags`: the recording ended first

  Nanos start_ns;
  Nanos waited_ns;
  uint64_t address;     // address of the lock
  PayloadThread owner;  // owner of the lock when the wait began
  WaitType type;
  uint8_t flags;
};

class NativeLockSampling : public WeighedSampling<NativeLockPayload> {
 public:
  // `waiting`: the thread that waits; SampledThread(): the calling thread.
  NativeLockSampling(uint64_t weight, const NativeLockPayload& payload,
                     const SampledThread& waiting)
      : WeighedSampling(weight, payload), waiting_(waiting) {}

  void Account(ThreadSlot& taker, Sample* sample) const {
    WeighedSampling::Account(taker, sample);
    if (waiting_ != SampledThread()) sample->thread = waiting_;
  }

 private:
  const SampledThread waiting_;
};

}  // namespace jprof
