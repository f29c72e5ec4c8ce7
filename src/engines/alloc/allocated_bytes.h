// AllocatedBytes: the VM's own count of what a thread has allocated in the heap, in bytes.
//
// Outside handlers. Thread-safe: no state.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

class AllocatedBytes {
 public:
  explicit AllocatedBytes(const HotspotLayout& layout) : layout_(layout) {}

  // Whether this JVM exports the counters.
  bool are_known() const { return layout_.thread_allocated_bytes.exists(); }

  // Since the thread's start. Exact on the thread itself; of another thread, as of some moment of
  // the call. REQUIRES: are_known(); the thread stays attached during the call.
  uint64_t Of(const void* jni_env) const;

  // Whether the calling thread has allocated the object outside of its TLAB. `object`: a local
  // reference, just made.
  bool IsOutsideTlab(const void* jni_env, const void* object) const;

 private:
  const HotspotLayout& layout_;
};

}  // namespace jprof
