#include "sigsafe/hotspot/stack_chunk.h"

#include "sigsafe/hotspot/frame_shape.h"
#include "sigsafe/hotspot/heap_reference.h"

namespace jprof {
namespace {

// ContinuationEntry::_cont: behind two words in 25.0.3, behind one before
// (src/hotspot/share/runtime/continuationEntry.hpp); the words where it is not are no object.
constexpr uint64_t kContinuationFields[] = {16, 8};
// A continuation has one chunk, seldom two.
constexpr int kMaxChunks = 8;

bool FindStackOf(const ChunkLayout& layout, uint64_t continuation, ChunkStack* stack) {
  uint64_t chunk = 0;
  if (!LoadReference(layout.references, continuation + layout.continuation_tail, &chunk)) {
    return false;
  }
  for (int i = 0; i < kMaxChunks; ++i) {
    int32_t sp = 0;
    int32_t bottom = 0;
    int32_t size = 0;
    if (!GuardedLoad(chunk + layout.sp, &sp) || !GuardedLoad(chunk + layout.bottom, &bottom) ||
        !GuardedLoad(chunk + layout.size, &size)) {
      return false;
    }
    if (sp >= 0 && sp < bottom && bottom <= size) {
      const uint64_t start = chunk + layout.stack;
      *stack = {Slot(start, sp), Slot(start, bottom)};
      return true;
    }
    if (!LoadReference(layout.references, chunk + layout.parent, &chunk)) return false;
  }
  return false;
}

bool FindFromThread(const ChunkLayout& layout, uint64_t java_thread, ChunkStack* stack) {
  uint64_t thread = 0;
  uint64_t continuation = 0;
  return MayFollowReferences(layout.followable, java_thread) &&
         LoadRoot(layout.references, java_thread + layout.thread_current, &thread) &&
         LoadReference(layout.references, thread + layout.thread_continuation, &continuation) &&
         FindStackOf(layout, continuation, stack);
}

}  // namespace

bool FindChunkStack(const HotspotLayout& vm, uint64_t java_thread, uint64_t entry,
                    ChunkStack* stack) {
  if (vm.chunk.stack == 0) return false;
  if (vm.chunk.references.bad_colours != nullptr) {
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

}  // namespace jprof
