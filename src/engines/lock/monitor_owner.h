// The owner of the monitor that the calling thread is going to wait for.
//
// On the waiting thread, in MonitorContendedEnter, without a lock. By guarded loads.
#pragma once

#include <jni.h>

#include "engines/lock/thread_ids.h"

namespace jprof {

// The thread that owns the monitor of `object` now: it cannot end before it has let go, while the
// waiting one may wait much longer. SampledThread(): not known, or the monitor has become free. On
// JDK 21 to 23 a carrier owns for its virtual thread.
SampledThread OwnerOfPendingMonitor(JNIEnv* jni, jobject object, const ThreadIds& ids);

}  // namespace jprof
