// HolderByLockStacks: the thread that holds the lock of an object whose monitor does not say it.
//
// Under lightweight locking (LM_LIGHTWEIGHT) a thread that takes a free lock writes the object onto
// its lock stack. The first thread that has to wait makes a monitor, whose owner is anonymous until
// the holder exits; until then the object is on the holder's lock stack (jdk-25+36
// src/hotspot/share/runtime/lightweightSynchronizer.cpp, exit). That of a virtual thread that is
// not mounted is in the heap, and is not searched.
//
// Addresses are compared, under collectors that move objects at safepoints only.
#pragma once

#include <jni.h>

#include "engines/lock/thread_ids.h"
#include "sigsafe/hotspot/hotspot_layout.h"
#include "sigsafe/sampling/sample.h"

namespace jprof {

// The owner of the monitor that the calling thread is going to wait for.
//
// On the waiting thread, in MonitorContendedEnter, without a lock. By guarded loads.

// The thread that owns the monitor of `object` now: it cannot end before it has let go, while the
// waiting one may wait much longer. SampledThread(): not known, or the monitor has become free. On
// JDK 21 to 23 a carrier owns for its virtual thread.
SampledThread OwnerOfPendingMonitor(JNIEnv* jni, jobject object, const ThreadIds& ids);

// SampledThread(): no lock stack that can be read has the object, or several have it, or a
// collection began meanwhile, or the budget of searches is spent (slot_search.h). On an attached
// thread, in a callback of the JVM; without a lock. REQUIRES: faults of guarded loads are caught;
// `object` is a local reference.
SampledThread HolderByLockStacks(JNIEnv* jni, const HotspotLayout& vm, jobject object);

}  // namespace jprof
