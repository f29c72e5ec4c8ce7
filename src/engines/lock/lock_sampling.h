// LockSampling is the policy by which samples of waits are taken. It is used on the thread that has
// waited, at the end of the wait. For a wait that goes on when the recording stops, it is used on
// the stopping thread. TakerForOthers has the slot that takes the samples of such waits.
//
// A wait that is at least as long as the interval is always sampled, and its weight is its
// duration. A shorter wait is sampled with the probability duration / interval, and its weight is
// the interval. So sums of weights are unbiased, and the expected number of samples is at most the
// total waiting time divided by the interval.
#pragma once

#include <bit>
#include <cstdint>

#include "base/wait_type.h"
#include "sigsafe/base/split_mix.h"
#include "sigsafe/sampling/sample_policy.h"
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
  static constexpr uint8_t kUnfinished = 2;              // the wait outlasted the recording
  static constexpr uint8_t kIsDeadline = 4;              // `timeout` is a time since 1970, in ms
  static constexpr uint8_t kIsIo = 8;                    // a virtual thread waits for a socket
  static constexpr uint8_t kIsClassInitialization = 16;  // waits until the class is initialized

  Nanos start_ns;
  Nanos waited_ns;
  int64_t timeout;      // ms for Object.wait, ns for a park; kNoTimeout if there is none
  PayloadThread owner;  // owner of the lock when the wait began
  PayloadThread waker;  // thread that ended the wait
  // A thread that held the lock at a moment of the wait, and its stack at that moment. kUnknown and
  // kNoCallTrace if the stack is unknown.
  PayloadThread holder;
  CallTraceId holder_stack;
  CallTraceId waker_stack;  // stack of the waker when it ended the wait; kNoCallTrace if unknown
  uint32_t class_number;    // number of the lock's class in SampledClasses; 0 if unknown
  uint32_t hash;            // System.identityHashCode of the object
  WaitType type;
  uint8_t flags;
};

inline constexpr int64_t kNoTimeout = INT64_MIN;  // as in the JDK's event jdk.ThreadPark

class LockSampling : public WeighedSampling<LockPayload> {
 public:
  // Returns the weight of a wait, in ns; 0 if no sample is taken. `seed` is a number that differs
  // from wait to wait, so that the random draws for different waits are independent. REQUIRES:
  // interval_ns > 0, waited_ns >= 0.
  static uint64_t WeightOf(Nanos waited_ns, Nanos interval_ns, uint64_t seed) {
    return WeightAt(waited_ns, interval_ns, UniformOf(SplitMix(seed + kSplitMixStep)));
  }
  // Does the same with the result of the draw, a random number from 0 to 1.
  static uint64_t WeightAt(Nanos waited_ns, Nanos interval_ns, double draw);

  // `own_frames` is the number of innermost frames that belong to our probes.
  LockSampling(uint64_t weight, const LockPayload& payload, uint32_t own_frames)
      : WeighedSampling(weight, payload), own_frames_(own_frames) {}

  uint32_t OwnFrames(const Stack& stack) const {
    return stack.count > own_frames_ ? own_frames_ : 0;
  }

 private:
  const uint32_t own_frames_;
};

inline uint64_t LockSampling::WeightAt(Nanos waited_ns, Nanos interval_ns, double draw) {
  JPROF_CHECK(interval_ns > 0 && waited_ns >= 0);
  if (waited_ns >= interval_ns) return static_cast<uint64_t>(waited_ns);
  const bool is_drawn = draw * static_cast<double>(interval_ns) < static_cast<double>(waited_ns);
  return is_drawn ? static_cast<uint64_t>(interval_ns) : 0;
}

// TakerForOthers claims a slot by which the stopping thread takes samples of other threads. The
// claimed slot belongs to no thread. The stopping thread might have no slot of its own: it can be a
// thread of the profiler, or the thread that ends the JVM.
//
// Not for signal handlers. Used by one thread at a time.
class TakerForOthers {
 public:
  explicit TakerForOthers(ThreadSlots& slots) : slots_(slots), slot_(slots.Claim(Tid{0})) {}
  ~TakerForOthers() {
    if (slot_ != nullptr) slots_.Release(slot_);
  }
  TakerForOthers(const TakerForOthers&) = delete;
  TakerForOthers& operator=(const TakerForOthers&) = delete;

  // Returns the slot; nullptr if no slot was free.
  ThreadSlot* slot() const { return slot_; }

 private:
  ThreadSlots& slots_;
  ThreadSlot* const slot_;
};

}  // namespace jprof
