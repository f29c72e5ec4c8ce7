#include "sigsafe/hotspot/stack_chunk.h"

#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/hotspot/heap_reference.h"

namespace jprof {
namespace {

// The possible offsets of ContinuationEntry::_cont: two words come before it in 25.0.3, one in
// earlier releases (src/hotspot/share/runtime/continuationEntry.hpp). In each release, the word at
// the other offset is not the address of an object.
constexpr uint64_t kContinuationFields[] = {16, 8};

// Finds the stack of the first chunk that is not empty, starting at `chunk` and going on to its
// parents. Sets stack->chunk to 0 if all are empty.
bool FindFrom(const HotspotLayout& vm, uint64_t chunk, ChunkStack* stack) {
  for (int i = 0; i < kMaxChunks && chunk != 0; ++i) {
    int32_t sp = 0;
    int32_t bottom = 0;
    int32_t size = 0;
    if (!GuardedLoad(chunk + vm.chunk.sp, &sp) || !GuardedLoad(chunk + vm.chunk.bottom, &bottom) ||
        !GuardedLoad(chunk + vm.chunk.size, &size)) {
      return false;
    }
    if (sp >= 0 && sp < bottom && bottom <= size) {
      const uint64_t start = chunk + vm.chunk.stack;
      *stack = {Slot(start, sp), Slot(start, bottom), chunk};
      return true;
    }
    if (!LoadReference(vm.mounted.references, chunk + vm.chunk.parent, &chunk)) return false;
  }
  stack->chunk = 0;
  return chunk == 0;
}

bool FindStackOf(const HotspotLayout& vm, uint64_t continuation, ChunkStack* stack) {
  uint64_t chunk = 0;
  return LoadReference(vm.mounted.references, continuation + vm.chunk.continuation_tail, &chunk) &&
         FindFrom(vm, chunk, stack) && stack->chunk != 0;
}

bool FindFromThread(const HotspotLayout& vm, uint64_t java_thread, ChunkStack* stack) {
  uint64_t thread = 0;
  uint64_t continuation = 0;
  return LoadMountedThread(vm.mounted, java_thread, &thread) &&
         LoadReference(vm.mounted.references, thread + vm.chunk.thread_continuation,
                       &continuation) &&
         continuation != 0 && FindStackOf(vm, continuation, stack);
}

}  // namespace

bool FindChunkStack(const HotspotLayout& vm, uint64_t java_thread, uint64_t entry,
                    ChunkStack* stack) {
  if (vm.chunk.stack == 0) return false;
  if (vm.mounted.references.bad_colours != nullptr) {
    return FindFromThread(vm, java_thread, stack);
  }
  for (const uint64_t field : kContinuationFields) {
    uint64_t continuation = 0;
    if (GuardedLoad(entry + field, &continuation) && continuation != 0 &&
        FindStackOf(vm, continuation, stack)) {
      return true;
    }
  }
  return false;
}

bool FindNextChunkStack(const HotspotLayout& vm, ChunkStack* stack) {
  uint64_t parent = 0;
  return LoadReference(vm.mounted.references, stack->chunk + vm.chunk.parent, &parent) &&
         FindFrom(vm, parent, stack);
}

}  // namespace jprof
