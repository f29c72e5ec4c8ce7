// ChunkStack: the frames of a mounted virtual thread that are still in the heap, in a StackChunk:
// HotSpot copies a frame back to the stack only when its callee returns.
//
// Async-signal-safe, for the running thread's own continuation. The collector can move the chunk
// during the read: every load is guarded, and a return address counts only if it follows a call.
// ZGC moves objects while the program runs: its chunks are read only while it cannot move them
// (heap_reference.h).
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// The stack of a chunk: words from `sp` up to `end`. The word below `sp` is the return address into
// the topmost frame.
struct ChunkStack {
  uint64_t sp;
  uint64_t end;
  uint64_t chunk;  // the object; 0: no chunk
};

// The most chunks that are read, more than a continuation has: it has one, and a second while the
// collector forbids writes to the first.
inline constexpr int kMaxChunks = 8;

// Finds the first chunk that is not empty. `entry` is the thread's ContinuationEntry. False: there
// is no such chunk, or it cannot be located.
[[nodiscard]] bool FindChunkStack(const HotspotLayout& vm, uint64_t java_thread, uint64_t entry,
                                  ChunkStack* stack);

// Finds the next chunk that is not empty, which has the callers of this chunk's frames;
// stack->chunk is 0 after the last one. False: the chunk cannot be located.
[[nodiscard]] bool FindNextChunkStack(const HotspotLayout& vm, ChunkStack* stack);

}  // namespace jprof
