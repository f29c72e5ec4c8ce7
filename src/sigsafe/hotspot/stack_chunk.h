// ChunkStack: the frames of a mounted virtual thread that are still in the heap, in a StackChunk.
// HotSpot copies a frame back to the stack only when its callee returns.
//
// Async-signal-safe, for the continuation of the running thread. The collector can move the chunk
// during the read, so every load is guarded, and a return address is accepted only if it follows a
// call. ZGC moves objects even while the program runs: with ZGC, chunks are read only while ZGC
// cannot move them (heap_reference.h).
#pragma once

#include <cstdint>

#include "sigsafe/hotspot/hotspot_layout.h"

namespace jprof {

// The stack of a chunk: words from `sp` up to `end`. The word below `sp` is the return address into
// the innermost frame.
struct ChunkStack {
  uint64_t sp;
  uint64_t end;
  uint64_t chunk;  // address of the StackChunk; 0 if there is none
};

// The maximum number of chunks that are read. A continuation has fewer: one, and a second one while
// the collector forbids writes to the first.
inline constexpr int kMaxChunks = 8;

// Finds the first chunk that is not empty. `entry` is the thread's ContinuationEntry. Returns false
// if there is no such chunk, or if it cannot be located.
[[nodiscard]] bool FindChunkStack(const HotspotLayout& vm, uint64_t java_thread, uint64_t entry,
                                  ChunkStack* stack);

// Finds the next chunk that is not empty, which has the callers of the frames in stack->chunk. Sets
// stack->chunk to 0 if there is none. Returns false if the next chunk cannot be located.
[[nodiscard]] bool FindNextChunkStack(const HotspotLayout& vm, ChunkStack* stack);

// A chunk from which the VM copies frames to the stack. The VM removes the frames from the chunk
// first, but their words are still there.
struct ThawedChunk {
  ChunkStack stack;  // the frames that have not been removed; sp == end if there are none
  int64_t removed;   // the number of words of the frames that have been removed, or one more
  // The number of words that the remaining frames and their alignment can take on the stack. The VM
  // lowers it a few instructions after it has changed stack.sp.
  int64_t left;
};

// Finds the chunk from which frames are copied to the stack: the last one of the continuation.
// `room` is the number of words from the stack pointer of the code at the return barrier to
// `entry`. Returns false if the chunk cannot be located.
[[nodiscard]] bool FindThawedChunk(const HotspotLayout& vm, uint64_t java_thread, uint64_t entry,
                                   uint64_t room, ThawedChunk* thawed);

}  // namespace jprof
