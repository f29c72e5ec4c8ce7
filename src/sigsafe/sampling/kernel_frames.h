// PushKernelFrames reads the kernel's part of a stack, if the thread's perf_event records that part
// (os/perf_event.h).
//
// PushKernelFrames is async-signal-safe, and is called on the sampled thread. SetKernelRings is
// called by the engine before the first event is enabled.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sigsafe/stack/frame.h"

namespace jprof {

// The maximum number of kernel frames of a stack: one more than the kernel's default limit.
inline constexpr uint32_t kMostKernelFrames = 128;

// The rings of all threads, in the order of their slot indexes and without gaps. A thread without a
// ring has zeros in the place of its ring. The memory is readable for the life of the process.
struct KernelRings {
  const uint8_t* base;
  size_t page_bytes;
};

// REQUIRES: `rings` lives as long as the process.
void SetKernelRings(const KernelRings* rings);

// Writes the kernel's frames to `frames`, callee first: at most `room` of them, and at most
// kMostKernelFrames. Returns the number of written frames.
uint32_t PushKernelFrames(uint32_t slot_index, Frame* frames, uint32_t room);

}  // namespace jprof
