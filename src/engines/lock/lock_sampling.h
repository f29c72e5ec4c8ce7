// LockSampling: the policy by which samples of waits are taken. Used on the thread that has waited, at
// the end of its wait; or on the stopping thread, for waits that go on at the stop of the recording.
// SlotForCaller: gives the stopping thread a slot for that.
//
// A wait of at least the interval is always a sample, and its weight is its duration. A shorter wait
// is a sample with the probability duration / interval, and its weight is the interval. So sums of
// weights are unbiased, and the expected number of samples is at most the total waiting time divided
// by the interval.
#pragma once

#include <bit>
#include <cstdint>

#include "base/wait_type.h"
#include "sigsafe/base/split_mix.h"
#include "sigsafe/os/thread_id.h"
#include "sigsafe/sampling/sample_policy.h"
#include "sigsafe/threads/current_thread.h"
#include "sigsafe/threads/thread_slots.h"

namespace jprof {

// A SampledThread as a number, because payloads are packed; 0 if the thread is unknown.
enum class PayloadThread : uint64_t { kUnknown = 0 };
static_assert(sizeof(PayloadThread) == sizeof(SampledThread));

inline PayloadThread ForPayload(const SampledThread& thread) {
  return std::bit_cast<PayloadThread>(thread);
}
inline SampledThread FromPayload(PayloadThread thread) {
  return std::bit_cast<SampledThread>(thread);
}

struct [[gnu::packed]] LockPayload {
  static constexpr SampleKind kKind = SampleKind::kLock;
  // The bits of `flags`.
  static constexpr uint8_t kTimedOut = 1;
  static constexpr uint8_t kUnfinished = 2;              // the recording ended before the wait
  static constexpr uint8_t kIsDeadline = 4;              // `timeout` is a time since 1970, in ms
  static constexpr uint8_t kIsIo = 8;                    // a virtual thread waits for a socket
  static constexpr uint8_t kIsClassInitialization = 16;  // waits until class_number is initialized

  Nanos start_ns;
  Nanos waited_ns;
  int64_t timeout;        // ms for Object.wait, ns for a park; kNoTimeout if there is none
  PayloadThread owner;    // owner of the lock when the wait began
  PayloadThread waker;    // thread that ended the wait
  uint32_t class_number;  // number in SampledClasses; 0 without an object or if unknown
  uint32_t hash;          // System.identityHashCode of the object
  WaitType type;
  uint8_t flags;
};

inline constexpr int64_t kNoTimeout = INT64_MIN;  // as in the JDK's event jdk.ThreadPark

class LockSampling : public WeighedSampling<LockPayload> {
 public:
  // Returns the weight of a wait, in ns; 0 if no sample is taken. `seed`: a number that differs
  // between waits, so that their draws are independent. REQUIRES: interval_ns > 0, waited_ns >= 0.
  static uint64_t WeightOf(Nanos waited_ns, Nanos interval_ns, uint64_t seed);

  // `own_frames`: the number of innermost frames that belong to our probes. `thread`: the thread
  // that waits; SampledThread() for the calling thread. `name`: the name of `thread` if that is a
  // virtual thread; outlives the object.
  LockSampling(uint64_t weight, const LockPayload& payload, uint32_t own_frames,
               const SampledThread& thread, const ThreadNameBytes& name)
      : WeighedSampling(weight, payload), own_frames_(own_frames), thread_(thread), name_(name) {}

  uint32_t OwnFrames(const Stack& stack) const {
    return stack.count > own_frames_ ? own_frames_ : 0;
  }
  void Account(ThreadSlot& taker, Sample* sample) const {
    WeighedSampling::Account(taker, sample);
    if (thread_ == SampledThread()) return;
    sample->thread = thread_;
    VirtualThreadNames* const names = Sampling().names;
    const int64_t id = thread_.virtual_id();
    if (names != nullptr && id != 0 && name_.size != 0 && !names->Has(id)) {
      names->Publish(id, name_);
    }
  }

 private:
  const uint32_t own_frames_;
  const SampledThread thread_;
  const ThreadNameBytes& name_;
};

inline uint64_t LockSampling::WeightOf(Nanos waited_ns, Nanos interval_ns, uint64_t seed) {
  JPROF_CHECK(interval_ns > 0 && waited_ns >= 0);
  if (waited_ns >= interval_ns) return static_cast<uint64_t>(waited_ns);
  const double draw = UniformOf(SplitMix(seed + kSplitMixStep)) * static_cast<double>(interval_ns);
  return draw < static_cast<double>(waited_ns) ? static_cast<uint64_t>(interval_ns) : 0;
}

// SlotForCaller: gives the calling thread a slot while the object lives, so that the thread can take
// the samples of unfinished waits. Has no effect if the thread has a slot. Threads of the profiler
// have none, nor have threads that have ended as Java threads, such as the one that ends the JVM.
//
// Not for signal handlers; at most one object per thread at a time.
class SlotForCaller {
 public:
  explicit SlotForCaller(ThreadSlots& slots)
      : slots_(slots),
        has_ended_(CurrentThreadHasEnded()),
        own_(slots.FindForCurrentThread() == nullptr ? slots.Claim(CurrentTid()) : nullptr) {
    if (own_ != nullptr) SetCurrentThread(own_);
  }
  ~SlotForCaller() {
    if (own_ == nullptr) return;
    if (has_ended_) {
      EndCurrentThread();
    } else {
      SetCurrentThread(nullptr);
    }
    slots_.Release(own_);
  }
  SlotForCaller(const SlotForCaller&) = delete;
  SlotForCaller& operator=(const SlotForCaller&) = delete;

 private:
  ThreadSlots& slots_;
  const bool has_ended_;
  ThreadSlot* const own_;  // slot that we gave; nullptr if there was one, or none was free
};

}  // namespace jprof
