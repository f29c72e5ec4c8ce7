// OwnerOfPendingMonitor finds the owner of the monitor that the calling thread is about to wait
// for, and OwnerOfMonitor finds the owner later in the wait. HolderByLockStacks finds the owner of
// a monitor that does not name its owner.
//
// Under lightweight locking (LM_LIGHTWEIGHT) a thread that takes a free lock pushes the object onto
// its own lock stack. The first thread that has to wait for the lock creates a monitor, which does
// not name its owner. The object stays on the owner's lock stack until the owner releases the lock
// (jdk-25+36 src/hotspot/share/runtime/lightweightSynchronizer.cpp, exit). The lock stack of an
// unmounted virtual thread is in the heap, and is not searched.
//
// A search looks for the address of the object. So lock stacks are searched only under collectors
// that never move objects outside safepoints.
//
// All functions read the JVM's memory by guarded loads, and take no lock. OwnerOfPendingMonitor and
// HolderByLockStacks are called on the waiting thread, in MonitorContendedEnter.
#pragma once

#include <jni.h>

#include <algorithm>
#include <atomic>

#include "engines/lock/thread_ids.h"
#include "sigsafe/base/types.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/sampling/sample.h"
#include "sigsafe/sampling/stack_requests.h"

namespace jprof {

// SearchBudget limits the CPU time of searches to a hundredth of one processor in the long run.
// Searches can use at most kBurst of CPU time at once. Thread-safe, without a lock.
class SearchBudget {
 public:
  static constexpr Nanos kBurst = 10'000'000;  // CPU time
  static constexpr Nanos kShare = 100;         // elapsed time per unit of CPU time of searches

  // True if a search may start.
  bool Allows(Nanos now_ns) const {
    return paid_at_ns_.load(std::memory_order_relaxed) < now_ns + kBurst * kShare;
  }

  // Charges a search that began at `now_ns` and has used `spent_ns` of CPU time.
  void Spend(Nanos now_ns, Nanos spent_ns) {
    Nanos seen = paid_at_ns_.load(std::memory_order_relaxed);
    while (!paid_at_ns_.compare_exchange_weak(seen, std::max(seen, now_ns) + spent_ns * kShare,
                                              std::memory_order_relaxed)) {
    }
  }

 private:
  // Until this time, the searches so far exceed their long-run share of CPU time. A search sets
  // this time to the later of its own start and the old value, plus kShare times the CPU time of
  // the search. So time without searches is not saved up. relaxed: publishes no other value.
  std::atomic<Nanos> paid_at_ns_{0};
};

// A monitor, and the thread that owns it.
struct OwnedMonitor {
  // SampledThread() if the owner is unknown or the monitor has become free. On JDK 21 to 23, the
  // carrier of the owner if the owner is a virtual thread.
  SampledThread owner = {};
  uint64_t monitor = 0;  // address of the ObjectMonitor; 0 if unknown
};

// Returns the monitor of `object`, for which the calling thread is about to wait, and its owner.
// Called before the wait, because the owner might have ended by the time the wait ends.
OwnedMonitor OwnerOfPendingMonitor(JNIEnv* jni, jobject object, const ThreadIds& ids);

// Returns the thread that owns the ObjectMonitor at the address `monitor` now; SampledThread() if
// it is unknown or the monitor is free. `first_owner` is the owner when a wait for the monitor
// began. Callable on any thread whose faults are caught. A wrong result is possible if the monitor
// no longer exists, so the caller checks afterwards that a thread still waits for the monitor.
// Sets `*held` to the owner word, which keeps its value while the thread owns the monitor.
SampledThread OwnerOfMonitor(const HotspotLayout& vm, uint64_t monitor,
                             const SampledThread& first_owner, const ThreadIds& ids,
                             HeldWord* held);

// Returns the slot of the carrier on which the virtual thread with the id `id` is mounted; nullptr
// if it is not mounted, or if this JVM does not show that outside the heap (before JDK 24).
// REQUIRES: faults of guarded loads are caught.
const ThreadSlot* CarrierOf(const HotspotLayout& vm, int64_t id);

// Returns the thread that has `object` on its lock stack. Returns SampledThread() if no readable
// lock stack has the object, if several have it, if a collection began during the search, or if the
// SearchBudget is used up. REQUIRES: faults of guarded loads are caught; `object` is a local
// reference.
SampledThread HolderByLockStacks(JNIEnv* jni, const HotspotLayout& vm, jobject object);

}  // namespace jprof
