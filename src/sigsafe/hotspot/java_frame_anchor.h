// JavaFrameAnchor: the position of a thread's topmost Java frame while the thread runs VM code or
// native code.
//
// Async-signal-safe; of the running thread, or of a stopped thread.
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

struct JavaFrameAnchor {
  uint64_t sp;  // 0: no Java frame below
  uint64_t pc;
  uint64_t fp;  // 0: not known; the frame needs no frame pointer
};

// `address`: of a JavaFrameAnchor.
[[nodiscard]] bool LoadAnchor(const HotspotLayout& vm, uint64_t address, JavaFrameAnchor* anchor);

}  // namespace jprof
