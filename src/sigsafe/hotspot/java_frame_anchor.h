// JavaFrameAnchor: where the topmost Java frame of a thread is while the thread runs the VM's own
// code or native code; and the bounds of its stack.
//
// Async-signal-safe; the running thread's own JavaThread.
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

// `high` is the first address above the stack.
[[nodiscard]] bool LoadStackBounds(const HotspotLayout& vm, uint64_t java_thread, uint64_t* low,
                                   uint64_t* high);

}  // namespace jprof
