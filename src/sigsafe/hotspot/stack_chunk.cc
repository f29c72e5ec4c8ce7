#include "sigsafe/hotspot/stack_chunk.h"

#include <algorithm>

#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/hotspot/heap_reference.h"

namespace jprof {
namespace {

// The possible offsets of ContinuationEntry::_cont: two words come before it in 25.0.3, one in
// earlier releases (src/hotspot/share/runtime/continuationEntry.hpp). In each release, the word at
// the other offset is not the address of an object.
constexpr uint64_t kContinuationFields[] = {16, 8};

// The number of words of the room that are not for frames: two for alignment and two pairs of return
// address and frame pointer (jdk-25+36 src/hotspot/share/runtime/continuationFreezeThaw.cpp,
// thaw_size), and the two words that the code at the return barrier pushes below the room
// (src/hotspot/cpu/x86/stubGenerator_x86_64.cpp, generate_cont_thaw). Seen in 21.0.13, 25.0.3, 26
// and 27.
constexpr int64_t kRoomWithoutFrames = 8;

// Loads the stack of `chunk`, which can be empty. Returns false if the fields are not plausible.
bool LoadChunkStack(const HotspotLayout& vm, uint64_t chunk, ChunkStack* stack) {
  int32_t sp = 0;
  int32_t bottom = 0;
  int32_t size = 0;
  if (!GuardedLoad(chunk + vm.chunk.sp, &sp) || !GuardedLoad(chunk + vm.chunk.bottom, &bottom) ||
      !GuardedLoad(chunk + vm.chunk.size, &size) || sp < 0 || bottom < 0 || bottom > size) {
    return false;
  }
  const uint64_t start = chunk + vm.chunk.stack;
  *stack = {Slot(start, std::min(sp, bottom)), Slot(start, bottom), chunk};
  return true;
}

// Finds the stack of the first chunk that is not empty, starting at `chunk` and going on to its
// parents. Sets stack->chunk to 0 if all are empty.
bool FindFrom(const HotspotLayout& vm, uint64_t chunk, ChunkStack* stack) {
  for (int i = 0; i < kMaxChunks && chunk != 0; ++i) {
    if (!LoadChunkStack(vm, chunk, stack)) return false;
    if (stack->sp != stack->end) return true;
    if (!LoadReference(vm.mounted.references, chunk + vm.chunk.parent, &chunk)) return false;
  }
  stack->chunk = 0;
  return chunk == 0;
}

// Calls `use` with the last chunk of the continuation, or with 0 if the continuation has none.
// Returns false if a reference cannot be followed, or if `use` does.
template <typename Use>
bool WithLastChunkOf(const HotspotLayout& vm, uint64_t continuation, const Use& use) {
  uint64_t chunk = 0;
  return continuation != 0 &&
         LoadReference(vm.mounted.references, continuation + vm.chunk.continuation_tail, &chunk) &&
         use(chunk);
}

// Does the same for the continuation of the thread's ContinuationEntry. Tries the next possible
// continuation if `use` returns false, because `use` has then not found a chunk.
template <typename Use>
bool WithLastChunk(const HotspotLayout& vm, uint64_t java_thread, uint64_t entry, const Use& use) {
  if (vm.chunk.stack == 0) return false;
  uint64_t continuation = 0;
  if (vm.mounted.references.bad_colours != nullptr) {
    uint64_t thread = 0;
    return LoadMountedThread(vm.mounted, java_thread, &thread) &&
           LoadReference(vm.mounted.references, thread + vm.chunk.thread_continuation,
                         &continuation) &&
           WithLastChunkOf(vm, continuation, use);
  }
  for (const uint64_t field : kContinuationFields) {
    if (GuardedLoad(entry + field, &continuation) && WithLastChunkOf(vm, continuation, use)) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool FindChunkStack(const HotspotLayout& vm, uint64_t java_thread, uint64_t entry,
                    ChunkStack* stack) {
  return WithLastChunk(vm, java_thread, entry, [&](uint64_t chunk) {
    return FindFrom(vm, chunk, stack) && stack->chunk != 0;
  });
}

bool FindNextChunkStack(const HotspotLayout& vm, ChunkStack* stack) {
  uint64_t parent = 0;
  return LoadReference(vm.mounted.references, stack->chunk + vm.chunk.parent, &parent) &&
         FindFrom(vm, parent, stack);
}

bool FindThawedChunk(const HotspotLayout& vm, uint64_t java_thread, uint64_t entry, uint64_t room,
                     ThawedChunk* thawed) {
  if (vm.chunk.max_thawing_size == 0) return false;
  return WithLastChunk(vm, java_thread, entry, [&](uint64_t chunk) {
    int32_t left = 0;
    if (chunk == 0 || !LoadChunkStack(vm, chunk, &thawed->stack) ||
        !GuardedLoad(chunk + vm.chunk.max_thawing_size, &left) || left < 0) {
      return false;
    }
    thawed->left = left;
    thawed->removed = static_cast<int64_t>(room) - kRoomWithoutFrames - left;
    const uint64_t words_below = (thawed->stack.sp - chunk - vm.chunk.stack) / kWordSize;
    return thawed->removed >= 0 && thawed->removed <= static_cast<int64_t>(words_below) + 1;
  });
}

}  // namespace jprof
