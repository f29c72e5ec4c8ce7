// Frames of a mounted virtual thread that are still in the heap, in a StackChunk: HotSpot copies
// them back to the stack only when their callee returns.
//
// Async-signal-safe; the running thread's own continuation. The collector may move the chunk while
// it is read: every load is guarded, and a return address counts only if a call is in front of it.
// ZGC moves objects while the program runs: there the chunk is read only where it cannot go on with
// that meanwhile (heap_reference.h).
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// What the stack part of a chunk holds: words from `sp` up to `end`. The return address into its
// topmost frame is in the word below `sp`.
struct ChunkStack {
  uint64_t sp;
  uint64_t end;
  uint64_t chunk;  // the object; 0: there is none
};

// More chunks than a continuation has: it has one, and another one while the collector keeps the
// first from being written to.
inline constexpr int kMaxChunks = 8;

// Of the first chunk that is not empty. `entry`: the thread's ContinuationEntry. False: there is
// none, or it cannot be told where it is.
[[nodiscard]] bool FindChunkStack(const HotspotLayout& vm, uint64_t java_thread, uint64_t entry,
                                  ChunkStack* stack);

// Of the next one that is not empty, with the callers of the frames in this one; stack->chunk is 0
// behind the last. False: it cannot be told.
[[nodiscard]] bool FindNextChunkStack(const HotspotLayout& vm, ChunkStack* stack);

}  // namespace jprof
