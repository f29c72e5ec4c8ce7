// The owner of the monitor that the calling thread is going to wait for.
//
// OwnerWord: on the waiting thread, in MonitorContendedEnter, without a lock. By guarded loads.
#pragma once

#include <jni.h>

#include <cstdint>

#include "engines/lock/thread_ids.h"

namespace jprof {

// As the VM has it (ObjectMonitor::_owner); 0: not known.
int64_t OwnerWord(JNIEnv* jni);

// The thread that the word stands for. From JDK 24 on the word is the id of a thread; before, its
// JavaThread, or under LM_LEGACY a place on its stack; a carrier then owns for its virtual thread.
// SampledThread(): not known. That is so where the monitor was inflated for this waiting thread,
// under lightweight locking, whose owner is anonymous until it exits (jdk-25+36
// src/hotspot/share/runtime/objectMonitor.hpp).
SampledThread OwnerOf(int64_t word, const ThreadIds& ids);

}  // namespace jprof
