// ContextBlock: the memory in which one thread writes its trace context, and how a handler finds
// it.
//
//   ContextBlock │ header │ private A │ public A │ private B │ public B │
//                                       ▲ the slot has the address of one, or 0
//
// The slot of a platform thread is the exported thread-local otel_thread_ctx_v1, that of a virtual
// thread is in its block. Only the thread itself writes records and slot, in Java
// (src/java/jprof/ThreadContext.java), which knows the offsets below.
//
// Async-signal-safe. Blocks come from src/context, are reused, and never unmapped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profiler/thread_context.h"

namespace jprof {

// In front of each public record.
struct PrivateContext {
  int64_t span_id;
  int64_t local_root_span_id;
  uint32_t tags_size;
  uint32_t reserved[3];
};

struct ContextRecord {
  PrivateContext own;
  profiler_context published;
};

struct alignas(64) ContextBlock {
  // threadId() of the virtual thread; 0: the block of a platform thread, or free. Release, acquire.
  std::atomic<int64_t> virtual_thread;
  // Of a virtual thread: the slot. relaxed: shared with handlers on the same thread alone.
  std::atomic<const profiler_context*> current;
  const ContextBlock* address;  // this block, for the writer
  uint32_t users;  // copies of the Java class that write it; under the lock of its owner
  uint32_t reserved[9];
  ContextRecord records[2];
};

static_assert(sizeof(profiler_context) == PROFILER_CONTEXT_BYTES);
static_assert(offsetof(profiler_context, valid) == 24);
static_assert(offsetof(profiler_context, attributes) == 28);
static_assert(sizeof(PrivateContext) == 32);
static_assert(offsetof(ContextBlock, current) == 8);
static_assert(offsetof(ContextBlock, address) == 16);
static_assert(offsetof(ContextBlock, records) == 64);

// The calling thread's block, if it is a platform thread with one. nullptr also clears its slot.
ContextBlock* OwnContextBlock();
void SetOwnContextBlock(ContextBlock* block);

// The address of the calling thread's otel_thread_ctx_v1.
void* OwnContextSlot();

// The blocks of virtual threads by id: a hash table with a few places for each id.
//
// Find: Async-signal-safe, on the virtual thread of `id`. Add and Remove: one thread at a time.
class VirtualContexts {
 public:
  static constexpr size_t kPlaces = size_t{1} << 18;
  static constexpr size_t kTries = 32;

  // False: no place is free.
  [[nodiscard]] bool Add(int64_t id, ContextBlock* block);
  void Remove(int64_t id);
  // nullptr: the thread has no block.
  ContextBlock* Find(int64_t id) const;

 private:
  struct Place {
    std::atomic<int64_t> id;  // 0: free. Release after the block, acquire before it
    std::atomic<ContextBlock*> block;
  };

  // The JVM assigns ids in sequence: those of dead threads that are not collected yet are
  // neighbours, so attempts are far from each other. Odd: all places are in reach.
  static constexpr size_t kStride = 40'503;
  static size_t PlaceOf(int64_t id, size_t attempt) {
    return (static_cast<size_t>(id) + attempt * kStride) % kPlaces;
  }

  Place places_[kPlaces] = {};
};

// Of the process.
VirtualContexts& TheVirtualContexts();

}  // namespace jprof
