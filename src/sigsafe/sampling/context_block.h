// A ContextBlock is the memory in which one thread writes its trace context. A handler finds the
// current record of the thread through a pointer, the thread's context slot.
//
//   ContextBlock │ header │ private A │ public A │ private B │ public B │
//                                       ▲ the context slot: address of public A or B, or 0
//
// The context slot of a platform thread is the exported thread-local otel_thread_ctx_v1; that of a
// virtual thread is ContextBlock::current. Only the thread itself writes the records and the
// context slot, in Java (src/java/jprof/ThreadContext.java); that Java code contains the offsets
// that are asserted below.
//
// Async-signal-safe. Blocks come from src/engines/context, are reused, and are never unmapped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "profiler/thread_context.h"

namespace jprof {

// The private part of a context. It precedes the public part in memory.
struct PrivateContext {
  int64_t span_id;
  int64_t local_root_span_id;
  uint32_t tags_size;
  uint32_t reserved[3];
};

// A record holds one context, in two parts: private and public. A record can be shorter than this
// type, and then has room for fewer attributes (ContextBlock::record_bytes).
struct ContextRecord {
  PrivateContext own;
  profiler_context published;
};

// The header of a block. The two records follow it in memory.
struct alignas(64) ContextBlock {
  static constexpr uint32_t kFullRecord = sizeof(ContextRecord);
  // The size of a record with room for the local root span id and 18 bytes of tags.
  static constexpr uint32_t kSmallRecord = 96;

  static constexpr size_t BytesWith(uint32_t record_bytes) {
    return sizeof(ContextBlock) + size_t{2} * record_bytes;
  }

  // Returns record 0 or 1.
  ContextRecord* RecordAt(size_t index) {
    return reinterpret_cast<ContextRecord*>(reinterpret_cast<char*>(this + 1) +
                                            index * record_bytes);
  }
  const ContextRecord* RecordAt(size_t index) const {
    return const_cast<ContextBlock*>(this)->RecordAt(index);
  }
  // Returns the number of bytes of attributes that fit into a record.
  uint32_t attributes() const {
    return record_bytes - static_cast<uint32_t>(offsetof(ContextRecord, published.attributes));
  }

  // threadId() of the virtual thread; 0 if the block is free or belongs to a platform thread.
  // Stored with release when the block gets another thread, loaded with acquire by handlers.
  std::atomic<int64_t> virtual_thread{0};
  // The context slot of a virtual thread. relaxed: used only by the virtual thread and by handlers
  // that interrupt it.
  std::atomic<const profiler_context*> current{nullptr};
  const ContextBlock* address = nullptr;  // the address of this block, for the Java code
  void* owner = nullptr;                  // the owner's data (src/engines/context/context_blocks.h)
  // Not 0 if the thread has to report to the agent what it publishes. relaxed: Java code reads it.
  std::atomic<uint32_t> is_exported{0};
  uint32_t record_bytes = 0;  // kFullRecord or kSmallRecord; never changes
  uint32_t reserved[6] = {};
};

// A ContextBlock with its records. Every ContextBlock must be the start of such memory.
template <uint32_t kRecordBytes>
struct ContextMemory {
  ContextBlock block{.record_bytes = kRecordBytes};
  alignas(8) std::byte records[2 * kRecordBytes] = {};
};
using FullContextMemory = ContextMemory<ContextBlock::kFullRecord>;
using SmallContextMemory = ContextMemory<ContextBlock::kSmallRecord>;

static_assert(sizeof(profiler_context) == PROFILER_CONTEXT_BYTES);
static_assert(offsetof(profiler_context, valid) == 24);
static_assert(offsetof(profiler_context, attributes) == 28);
static_assert(sizeof(PrivateContext) == 32);
static_assert(offsetof(ContextBlock, current) == 8);
static_assert(offsetof(ContextBlock, address) == 16);
static_assert(offsetof(ContextBlock, is_exported) == 32);
static_assert(sizeof(ContextBlock) == 64);
static_assert(ContextBlock::kSmallRecord % 8 == 0 && ContextBlock::kFullRecord % 8 == 0);
static_assert(sizeof(FullContextMemory) == ContextBlock::BytesWith(ContextBlock::kFullRecord));
static_assert(sizeof(SmallContextMemory) == 256);

// Return and set the block of the calling platform thread; nullptr if the thread has no block.
// Setting nullptr also clears the thread's context slot.
ContextBlock* OwnContextBlock();
void SetOwnContextBlock(ContextBlock* block);

// Returns the address of the calling thread's otel_thread_ctx_v1.
const profiler_context* volatile* OwnContextSlot();

// VirtualContexts has the blocks of virtual threads, by the id of the thread. It is a hash table in
// which each id has kTries possible places.
//
// Find and IsEmpty are async-signal-safe; Find is called on the virtual thread of `id`. Add,
// Replace, Remove and Visit are called by one thread at a time.
class VirtualContexts {
 public:
  static constexpr size_t kPlaces = size_t{1} << 18;
  static constexpr size_t kTries = 32;

  // Adds the block of a virtual thread. Returns false if no place is free.
  [[nodiscard]] bool Add(int64_t id, ContextBlock* block);
  // Replaces the block of the calling virtual thread: a handler finds the old block or the new one.
  void Replace(int64_t id, ContextBlock* block);
  void Remove(int64_t id);
  // Returns the block of the virtual thread `id`; nullptr if that thread has none.
  ContextBlock* Find(int64_t id) const;
  // True if no virtual thread has a block. Called on any thread.
  bool IsEmpty() const { return count_.load(std::memory_order_relaxed) == 0; }

  // Calls visit(block) for each block in `count` places from `first` on; visit can remove the
  // block.
  template <typename Visitor>
  void Visit(size_t first, size_t count, Visitor visit) {
    for (size_t i = 0; i < count; ++i) {
      const Place& place = places_[(first + i) % kPlaces];
      if (place.id.load(std::memory_order_relaxed) != 0) {
        visit(*place.block.load(std::memory_order_relaxed));
      }
    }
  }

 private:
  struct Place {
    // The id of the virtual thread; 0 if the place is free. `id` is stored with release after
    // `block` is stored, and loaded with acquire before `block` is loaded.
    std::atomic<int64_t> id;
    std::atomic<ContextBlock*> block;
  };

  // The distance between one possible place of an id and the next. The distance is large, because
  // the JVM assigns ids in sequence: threads that have ended but have not been garbage-collected
  // yet occupy long runs of places. The distance is odd, so the attempts for an id lead to kTries
  // different places.
  static constexpr size_t kStride = 40'503;
  static size_t PlaceOf(int64_t id, size_t attempt) {
    return (static_cast<size_t>(id) + attempt * kStride) % kPlaces;
  }

  Place places_[kPlaces] = {};
  std::atomic<uint32_t> count_{0};  // number of taken places
};

// Returns the table of the process.
VirtualContexts& TheVirtualContexts();

}  // namespace jprof
