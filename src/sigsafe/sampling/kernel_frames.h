// The kernel's part of a stack, where the thread's perf_event records it (os/perf_rings.h).
//
// PushKernelFrames: Async-signal-safe, on the sampled thread. SetKernelRings is called by the
// engine before the first event is enabled.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sigsafe/stack/frame.h"

namespace jprof {

// More than the kernel's default limit.
inline constexpr uint32_t kMostKernelFrames = 128;

// The rings are contiguous, by slot index; a thread without a ring has zeros. Readable for the
// life of the process.
struct KernelRings {
  const uint8_t* base;
  size_t page_bytes;
};

// REQUIRES: `rings` lives as long as the process.
void SetKernelRings(const KernelRings* rings);

// Callee first, at most `room` and kMostKernelFrames; returns their number.
uint32_t PushKernelFrames(uint32_t slot_index, Frame* frames, uint32_t room);

}  // namespace jprof
