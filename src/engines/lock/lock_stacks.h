// OwnerOfPendingMonitor: finds the owner of the monitor that the calling thread is going to wait
// for, by guarded loads. HolderByLockStacks: finds it if the monitor does not name its owner.
//
// Under lightweight locking (LM_LIGHTWEIGHT) a thread that takes a free lock writes the object onto
// its lock stack. The first thread that has to wait makes a monitor, whose owner is anonymous until
// the holder exits; until then the object is on the holder's lock stack (jdk-25+36
// src/hotspot/share/runtime/lightweightSynchronizer.cpp, exit). The lock stack of a virtual thread
// that is not mounted is in the heap, and is not searched.
//
// Addresses of objects are compared, under collectors that move objects at safepoints only.
//
// Both are called on the waiting thread, in MonitorContendedEnter, and take no lock.
#pragma once

#include <jni.h>

#include "engines/lock/thread_ids.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

// Returns the thread that owns the monitor of `object` now: it cannot end before it has released
// the monitor, while the caller might wait much longer. SampledThread(): not known, or the monitor
// has become free. On JDK 21 to 23 the carrier is the owner in place of its virtual thread.
SampledThread OwnerOfPendingMonitor(JNIEnv* jni, jobject object, const ThreadIds& ids);

// Returns the thread that has `object` on its lock stack. SampledThread(): no lock stack that can
// be read has it, or several have it, or a collection began meanwhile, or the budget of searches is
// spent (slot_search.h). REQUIRES: faults of guarded loads are caught; `object` is a local
// reference.
SampledThread HolderByLockStacks(JNIEnv* jni, const HotspotLayout& vm, jobject object);

}  // namespace jprof
