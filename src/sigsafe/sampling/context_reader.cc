#include "sigsafe/sampling/context_reader.h"

#include <algorithm>
#include <cstring>

namespace jprof {
namespace {

constexpr size_t kWordBytes = sizeof(uint64_t);
constexpr uint32_t kMaxWords =
    kFirstTagWord + (PROFILER_CONTEXT_ATTRIBUTES + kWordBytes - 1) / kWordBytes;

constinit MissingContexts g_missing;
constinit std::atomic<bool> g_are_read = false;

struct PublishedRecord {
  const ContextRecord* record = nullptr;  // nullptr if no record is published
  uint32_t attributes = 0;                // bytes of attributes for which the record has room
};

// Returns the record of `block` whose public part is at `current`; {} if there is none. `current`
// is the content of the thread's context slot (context_block.h). It is only compared with addresses
// in the block, and never dereferenced.
PublishedRecord PublishedIn(const ContextBlock* block, const profiler_context* current) {
  if (block == nullptr || current == nullptr) return {};
  for (size_t i = 0; i < 2; ++i) {
    const ContextRecord* const record = block->RecordAt(i);
    if (&record->published == current) return {record, block->attributes()};
  }
  return {};
}

PublishedRecord RecordOf(const ContextOwner& owner) {
  if (owner.virtual_thread == 0) {
    return PublishedIn(OwnContextBlock(), *OwnContextSlot());
  }
  const ContextBlock* block = TheVirtualContexts().Find(owner.virtual_thread);
  if (block == nullptr ||
      block->virtual_thread.load(std::memory_order_acquire) != owner.virtual_thread) {
    return {};
  }
  return PublishedIn(block, block->current.load(std::memory_order_relaxed));
}

uint64_t WordAt(const uint8_t* bytes) {
  uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

// Copies the record as words, and returns their number.
uint32_t Copy(const PublishedRecord& from, Frame* words) {
  const ContextRecord& record = *from.record;
  const auto set = [words](uint32_t word, uint64_t value) {
    words[word] = {value, 0, FrameKind::kContext};
  };
  const profiler_context& published = record.published;
  const uint32_t tags = std::min(record.own.tags_size, from.attributes);
  set(kSpanIdWord, static_cast<uint64_t>(record.own.span_id));
  set(kLocalRootWord, static_cast<uint64_t>(record.own.local_root_span_id));
  set(kTraceHighWord, __builtin_bswap64(WordAt(published.trace_id)));
  set(kTraceLowWord, __builtin_bswap64(WordAt(published.trace_id + kWordBytes)));
  words[kSpanIdWord].bci = static_cast<int32_t>(tags);
  uint32_t count = kFirstTagWord;
  for (uint32_t at = 0; at < tags; at += kWordBytes) {
    uint64_t word = 0;
    std::memcpy(&word, published.attributes + at, std::min<size_t>(kWordBytes, tags - at));
    set(count++, word);
  }
  if (tags == 0 && words[kTraceHighWord].id == 0 && words[kTraceLowWord].id == 0) {
    count = kTraceHighWord;
  }
  return count;
}

}  // namespace

MissingContexts& TheMissingContexts() { return g_missing; }

bool ContextsAreRead() { return g_are_read.load(std::memory_order_relaxed); }

void SetContextsAreRead() { g_are_read.store(true, std::memory_order_relaxed); }

uint32_t PutContext(CallTraceHashTable& table, const ContextOwner& owner) {
  const PublishedRecord published = RecordOf(owner);
  if (published.record == nullptr) {
    if (owner.is_unknown && !TheVirtualContexts().IsEmpty()) {
      g_missing.unknown_virtual_thread.fetch_add(1, std::memory_order_relaxed);
    }
    return 0;
  }
  std::array<Frame, kMaxWords> words;
  const CallTraceId id = table.Put({words.data(), Copy(published, words.data()), false});
  if (id == kDroppedCallTrace) {
    g_missing.no_room.fetch_add(1, std::memory_order_relaxed);
    return 0;
  }
  return static_cast<uint32_t>(Value(id)) + 1;
}

}  // namespace jprof
