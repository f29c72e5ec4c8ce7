// HeapWatch: how full the JVM's collections leave its heap: whether it may soon end for lack of
// memory.
//
// JVMTI's ResourceExhausted is not asked: the event comes after the JVM may have ended
// (exit_watch.h), and where an agent wants it the JVM prints a line at each error (jdk-17+35 and
// jdk-25+36 src/hotspot/share/prims/jvmtiExport.cpp, post_resource_exhausted).
//
// Any thread: loads.
#pragma once

#include <cstdint>

#include "jvm/gc_pauses.h"

namespace jprof {

class HeapWatch {
 public:
  // `most_bytes`: the largest size that the heap may have; 0: unknown, so that it is never full.
  HeapWatch(const GcPauses& pauses, uint64_t most_bytes)
      : pauses_(pauses), most_bytes_(most_bytes) {}

  // After the last collection less than an eighth was free: a heap that is sized for its program
  // has more room.
  bool IsNearlyFull() const { return Exceeds(most_bytes_ - most_bytes_ / 8); }

  // Less than half was free.
  bool IsHalfFull() const { return Exceeds(most_bytes_ / 2); }

 private:
  bool Exceeds(uint64_t bytes) const {
    const int64_t used = pauses_.used_bytes();
    return most_bytes_ != 0 && used > 0 && static_cast<uint64_t>(used) > bytes;
  }

  const GcPauses& pauses_;
  const uint64_t most_bytes_;
};

}  // namespace jprof
