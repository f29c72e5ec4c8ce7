// JavaFrameAnchor: where the topmost Java frame of a thread is while the thread runs the VM's own
// code or native code.
//
// Async-signal-safe; of the running thread, or of one that cannot go on meanwhile.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

struct JavaFrameAnchor {
  uint64_t sp;  // 0: no Java frame below
  uint64_t pc;
  uint64_t fp;  // 0: not known, the frame needs none
};

// `address` is that of a JavaFrameAnchor.
[[nodiscard]] bool LoadAnchor(const HotspotLayout& vm, uint64_t address, JavaFrameAnchor* anchor);

}  // namespace jprof
