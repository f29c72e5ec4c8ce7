#include "sigsafe/hotspot/stack_chunk.h"

#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/hotspot/heap_reference.h"

namespace jprof {
namespace {

// ContinuationEntry::_cont: behind two words in 25.0.3, behind one before
// (src/hotspot/share/runtime/continuationEntry.hpp); the words where it is not are no object.
constexpr uint64_t kContinuationFields[] = {16, 8};

// Of `chunk` or the first behind it that is not empty.
bool FindFrom(const ChunkLayout& layout, uint64_t chunk, ChunkStack* stack) {
  for (int i = 0; i < kMaxChunks && chunk != 0; ++i) {
    int32_t sp = 0;
    int32_t bottom = 0;
    int32_t size = 0;
    if (!GuardedLoad(chunk + layout.sp, &sp) || !GuardedLoad(chunk + layout.bottom, &bottom) ||
        !GuardedLoad(chunk + layout.size, &size)) {
      return false;
    }
    if (sp >= 0 && sp < bottom && bottom <= size) {
      const uint64_t start = chunk + layout.stack;
      *stack = {Slot(start, sp), Slot(start, bottom), chunk};
      return true;
    }
    if (!LoadReference(layout.mounted.references, chunk + layout.parent, &chunk)) return false;
  }
  stack->chunk = 0;
  return chunk == 0;
}

bool FindStackOf(const ChunkLayout& layout, uint64_t continuation, ChunkStack* stack) {
  uint64_t chunk = 0;
  return LoadReference(layout.mounted.references, continuation + layout.continuation_tail,
                       &chunk) &&
         FindFrom(layout, chunk, stack) && stack->chunk != 0;
}

bool FindFromThread(const ChunkLayout& layout, uint64_t java_thread, ChunkStack* stack) {
  uint64_t thread = 0;
  uint64_t continuation = 0;
  return LoadMountedThread(layout.mounted, java_thread, &thread) &&
         LoadReference(layout.mounted.references, thread + layout.thread_continuation,
                       &continuation) &&
         continuation != 0 && FindStackOf(layout, continuation, stack);
}

}  // namespace

bool FindChunkStack(const HotspotLayout& vm, uint64_t java_thread, uint64_t entry,
                    ChunkStack* stack) {
  if (vm.chunk.stack == 0) return false;
  if (vm.chunk.mounted.references.bad_colours != nullptr) {
    return FindFromThread(vm.chunk, java_thread, stack);
  }
  for (const uint64_t field : kContinuationFields) {
    uint64_t continuation = 0;
    if (GuardedLoad(entry + field, &continuation) && continuation != 0 &&
        FindStackOf(vm.chunk, continuation, stack)) {
      return true;
    }
  }
  return false;
}

bool FindNextChunkStack(const HotspotLayout& vm, ChunkStack* stack) {
  uint64_t parent = 0;
  return LoadReference(vm.chunk.mounted.references, stack->chunk + vm.chunk.parent, &parent) &&
         FindFrom(vm.chunk, parent, stack);
}

}  // namespace jprof
