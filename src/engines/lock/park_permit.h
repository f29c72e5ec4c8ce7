// ParkPermit says where HotSpot keeps the permit of a platform thread. LockSupport.unpark gives the
// permit, and a park takes it. A thread that has a permit does not wait when it parks.
//
// No release of the JDK exports the offset of the permit (Parker._counter,
// src/hotspot/share/runtime/park.hpp in jdk8 to jdk-17, src/hotspot/os/posix/park_posix.hpp in
// jdk-25). So the offset is found by experiment: the calling thread gives itself permits and takes
// them, in an irregular order. The permit is the int that changes in the same order. The offsets
// are the same for all threads, because they are offsets of fields of JavaThread and Parker. A
// JavaThread keeps the same Parker while it exists.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>

namespace jprof {

struct ParkPermit {
  static constexpr int64_t kNone = -1;

  // Offset in bytes, in a JavaThread, of the pointer to its Parker; kNone if the JavaThread
  // contains the Parker itself (from JDK 17 on).
  int64_t parker = kNone;
  // Offset in bytes of the int that is greater than 0 while the thread has a permit. The offset
  // counts from the start of the Parker, or from the start of the JavaThread if `parker` is kNone.
  // `counter` is kNone if the int was not found.
  int64_t counter = kNone;
};

// Returns where the permit is kept. Returns nullopt if no int, or more than one, changes as the
// permit does, or if the calling thread is a virtual thread. Takes about a millisecond. Afterwards
// the calling thread has a permit if it had one before, or if the experiment has not found the int.
// `thread_bytes` is the size of a JavaThread. Called on an attached thread; not for signal
// handlers.
std::optional<ParkPermit> FindParkPermit(jvmtiEnv* jvmti, JNIEnv* jni, uint64_t thread_bytes);

}  // namespace jprof
