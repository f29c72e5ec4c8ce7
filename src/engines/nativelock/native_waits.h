// NativeWaits: the waits of native code for locks, from the wrappers that see them to samples.
//
//   Begin ─▶ a place of the thread: open ─┬─▶ End, by the thread: counted, and perhaps a sample
//                                         └─▶ Close, at the stop: counted with its time so far
//
// End or Close, whichever takes the place from open, counts the wait: each is counted once. There
// is one state for the process, because wrappers outlive every recording. A thread without a slot
// is not profiled: the profiler's own threads, threads that have ended, and threads that were not
// found yet.
//
// Begin and End are called on any thread, where a handler could run (docs/signal-safety.md): they
// take no lock and allocate nothing; errno is kept. The engine calls Open and Close, one at a time.
#pragma once

#include <cstdint>

#include "base/wait_type.h"
#include "engines/lock/lock_sampling.h"
#include "engines/lock/wait_totals.h"
#include "sigsafe/base/types.h"
#include "sigsafe/stack/walk_context.h"

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

// NativeLockSampling: the policy of samples of native waits, which are drawn by LockSampling. Used
// on the thread that has waited; for waits that go on at the stop, on the stopping thread.
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

// A wait that has started; false if it is not observed.
struct StartedNativeWait {
  uint32_t place = 0;
  uint32_t recording = 0;  // number of the recording; 0: the wait is not observed

  explicit operator bool() const { return recording != 0; }
};

class NativeWaits {
 public:
  // Observes waits from now on. REQUIRES: `totals` lives until Close has returned true.
  static void Open(Nanos interval_ns, WaitTotals& totals);

  // Observes no further wait. Counts waits that go on, and records them as unfinished. Returns
  // false if a thread is still busy with the end of its wait after kPatienceNs. Called on a thread
  // with a slot.
  static bool Close();
  static constexpr Nanos kPatienceNs = 1'000'000'000;

  // Starts a wait of the calling thread. `owner`: the kernel's id of the thread that holds the
  // lock; 0: not known.
  static StartedNativeWait Begin(WaitType type, uintptr_t address, int32_t owner);

  // Ends the wait. `code`: the result of the original call; a call that failed at once was no wait.
  // `call`: the position of the wrapper's caller.
  static void End(const StartedNativeWait& wait, int code, const StackPosition& call);
};

}  // namespace jprof
