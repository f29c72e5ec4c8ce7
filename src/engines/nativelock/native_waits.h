// NativeWaits keeps the waits of native code for locks from their start to their end. It counts the
// waits and takes their samples. Wrappers of the lock functions report the waits.
//
//   Begin ─▶ the thread's place is kOpen ─┬─▶ End, on the thread: counted, and perhaps sampled
//                                         └─▶ Close, at the stop: counted with the time so far, and
//                                             perhaps sampled
//
// End and Close compete for the place while it is kOpen. The one that takes the place counts the
// wait, so each wait is counted once. All state belongs to the process, because wrappers outlive
// every recording. Waits of threads without a slot are not observed. Such threads are the
// profiler's own, those that have given up their slot at their end, and those that were not found
// yet.
//
// NativeLockSampling is the policy by which samples of these waits are taken.
// LockSampling::WeightOf decides whether a wait is sampled.
//
// Begin and End are called on any thread, and wherever a signal handler could run
// (docs/signal-safety.md): they take no lock, allocate nothing and keep errno. The engine calls
// Open and Close, one at a time.
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
  static constexpr uint8_t kUnfinished = 1;  // bit of `flags`: the wait outlasted the recording

  Nanos start_ns;
  Nanos waited_ns;
  uint64_t address;     // address of the lock
  PayloadThread owner;  // owner of the lock when the wait began
  WaitType type;
  uint8_t flags;
};

// The policy by which native waits are sampled. The weight of a sample is known before the sample
// is taken.
using NativeLockSampling = WeighedSampling<NativeLockPayload>;

// A wait that Begin has started to observe. Converts to false if the wait is not observed.
struct StartedNativeWait {
  uint32_t place = 0;      // index of the thread's slot
  uint32_t recording = 0;  // number of the recording; 0 if the wait is not observed

  explicit operator bool() const { return recording != 0; }
};

class NativeWaits {
 public:
  // Observes waits from now on. REQUIRES: `totals` lives until Close has returned true.
  static void Open(Nanos interval_ns, WaitTotals& totals);

  // Stops observing waits. Counts the waits that go on, and samples them as unfinished. Returns
  // false if a thread is still counting or sampling its own wait after kPatienceNs. `taker` is the
  // slot that takes the samples; nullptr if there is no such slot.
  static bool Close(ThreadSlot* taker);
  static constexpr Nanos kPatienceNs = 1'000'000'000;

  // Starts to observe a wait of the calling thread for the lock at `address`. `owner` is the
  // kernel's id of the thread that holds the lock; 0 if unknown.
  static StartedNativeWait Begin(WaitType type, uintptr_t address, int32_t owner);

  // Ends the wait: counts it, and takes a sample if LockSampling::WeightOf gives the wait a weight.
  // `code` is the result of the original function. If `code` shows that the function failed at
  // once, there was no wait, and nothing is counted. `call` is the position of the wrapper's
  // caller, where the walk of the stack starts.
  static void End(const StartedNativeWait& wait, int code, const StackPosition& call);
};

}  // namespace jprof
