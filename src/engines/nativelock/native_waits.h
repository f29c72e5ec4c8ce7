// NativeWaits: the waits of native code for locks, from the wrappers that see them to samples.
//
//   Begin ─▶ a place of the thread: open ─┬─▶ End, by the thread: counted, and perhaps a sample
//                                         └─▶ Close, at the stop: counted with its time so far
//
// Whoever takes the place from open counts the wait: each is counted once. One state for the
// process, because wrappers outlive every recording. A thread without a slot is not profiled: the
// profiler's own, one that has ended, and one that nobody has found yet.
//
// Begin, End: on any thread, where a handler could run (docs/signal-safety.md): they take no lock
// and allocate nothing; errno is kept. Open, Close: by the engine, one at a time.
#pragma once

#include <cstdint>

#include "base/wait_type.h"
#include "engines/lock/wait_totals.h"
#include "sigsafe/base/types.h"
#include "sigsafe/stack/walk_context.h"

namespace jprof {

// A wait that has begun; false: nobody observes it.
struct BegunNativeWait {
  uint32_t place = 0;
  uint32_t recording = 0;  // its number; 0: not observed

  explicit operator bool() const { return recording != 0; }
};

class NativeWaits {
 public:
  // From now on waits are observed. REQUIRES: `totals` lives until Close has returned true.
  static void Open(Nanos interval_ns, WaitTotals& totals);

  // No wait begins any more; those that go on are counted, and recorded as not ended. On a thread
  // with a slot. False: a thread is still busy with the end of its wait after kPatienceNs.
  static bool Close();
  static constexpr Nanos kPatienceNs = 1'000'000'000;

  // `owner`: the kernel's id of the thread that holds the lock; 0: not known.
  static BegunNativeWait Begin(WaitType type, uintptr_t address, int32_t owner);

  // `code`: the result of the call. One that failed at once was no wait. `call`: of the wrapper.
  static void End(const BegunNativeWait& wait, int code, const StackPosition& call);
};

}  // namespace jprof
