// ParkPermit: the place where HotSpot keeps the permit of a platform thread, which
// LockSupport.unpark gives and a park takes. A thread that has a permit does not wait.
//
// No release exports the place (Parker._counter, src/hotspot/share/runtime/park.hpp in jdk8 to
// jdk-17, src/hotspot/os/posix/park_posix.hpp in jdk-25). So it is found by experiment: the thread
// gives itself permits and takes them, in an irregular order; the permit is the only int that
// follows. The place is the same in all threads: the offset of a field of JavaThread, and of a
// field of Parker. A JavaThread has one Parker while it exists.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>

namespace jprof {

struct ParkPermit {
  static constexpr int64_t kNone = -1;

  // The offset in bytes, in a JavaThread, of the pointer to its Parker; kNone: the JavaThread
  // contains the Parker (from JDK 17 on).
  int64_t parker = kNone;
  // The offset in bytes, in the Parker or the JavaThread, of an int that is above 0 if there is a
  // permit; kNone: not found.
  int64_t counter = kNone;
};

// Returns the place of the permit; nullopt: the calling thread runs a virtual thread, or no int
// follows. Takes some milliseconds. Restores the thread's permit if it had one, and gives it one if
// the place is not found. `thread_bytes`: the size of a JavaThread. Called on an attached thread;
// not for handlers.
std::optional<ParkPermit> FindParkPermit(jvmtiEnv* jvmti, JNIEnv* jni, uint64_t thread_bytes);

}  // namespace jprof
