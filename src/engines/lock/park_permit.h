// ParkPermit: where HotSpot keeps the permit of a platform thread, which LockSupport.unpark gives
// and a park takes. A thread that has one does not wait.
//
// No release exports the place (Parker._counter, src/hotspot/share/runtime/park.hpp in jdk8 to
// jdk-17, src/hotspot/os/posix/park_posix.hpp in jdk-25). So it is found by experiment: the thread
// gives itself permits and takes them, in an irregular order; the only int that follows is it.
// What is found in one thread holds for all: it is the offset of a field of JavaThread, and of a
// field of Parker. A JavaThread has one Parker as long as it exists.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>

namespace jprof {

struct ParkPermit {
  static constexpr int64_t kNone = -1;

  // In a JavaThread, in bytes, the pointer to its Parker; kNone: it contains the Parker (from JDK
  // 17 on).
  int64_t parker = kNone;
  // In the Parker or the JavaThread, in bytes, an int: above 0 there is a permit; kNone: not found.
  int64_t counter = kNone;
};

// For some milliseconds, on the calling thread, which is attached; outside handlers. Leaves its
// permit as it was. nullopt: it runs a virtual thread, or no int follows.
// `thread_bytes`: the size of a JavaThread.
std::optional<ParkPermit> FindParkPermit(jvmtiEnv* jvmti, JNIEnv* jni, uint64_t thread_bytes);

}  // namespace jprof
