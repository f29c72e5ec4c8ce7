#include "sigsafe/traces/call_trace_hash_table.h"

#include <algorithm>
#include <cstring>

namespace jprof {
namespace {

// MurmurHash3's 64-bit finaliser (Austin Appleby, public domain): spreads every input bit.
uint64_t Mix(uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ULL;
  return value ^ value >> 33;
}

uint64_t HashOf(const Stack& stack) {
  uint64_t hash = Mix(stack.count);
  for (uint32_t i = 0; i < stack.count; ++i) {
    const Frame& frame = stack.frames[i];
    const uint64_t place =
        uint64_t{static_cast<uint32_t>(frame.bci)} << 32 | static_cast<uint32_t>(frame.kind);
    hash = Mix(hash ^ frame.id) + Mix(place);
  }
  return Mix(hash);
}

bool Same(const CallTrace& trace, const Stack& stack, uint64_t hash) {
  return trace.hash == hash && trace.frame_count == stack.count &&
         (trace.truncated != 0) == stack.truncated &&
         (stack.count == 0 ||
          std::memcmp(trace.frames(), stack.frames, stack.count * sizeof(Frame)) == 0);
}

}  // namespace

CallTraceHashTable::CallTraceHashTable(uint32_t epoch, Region slots, Region arena)
    : epoch_(epoch),
      mask_(static_cast<uint32_t>(slots.size / sizeof(Slot)) - 1),
      slots_(static_cast<Slot*>(slots.data)),
      arena_(arena) {}

TraceId CallTraceHashTable::Put(const Stack& stack) {
  const uint64_t hash = HashOf(stack);
  CallTrace* fresh = nullptr;
  auto index = static_cast<uint32_t>(hash ^ hash >> 32) & mask_;
  for (uint32_t probe = 0; probe < kMaxProbes; ++probe, index = (index + 1) & mask_) {
    CallTrace* present = slots_[index].load(std::memory_order_acquire);
    if (present == nullptr) {
      if (fresh == nullptr) fresh = NewTrace(stack, hash);
      if (fresh == nullptr) return kDroppedTrace;
      if (slots_[index].compare_exchange_strong(present, fresh, std::memory_order_release,
                                                std::memory_order_acquire)) {
        return IdOf(index);
      }
    }
    // A record that lost the race for its slot stays unused in the arena.
    if (Same(*present, stack, hash)) return IdOf(index);
  }
  return kDroppedTrace;
}

CallTrace* CallTraceHashTable::NewTrace(const Stack& stack, uint64_t hash) {
  const size_t frame_bytes = stack.count * sizeof(Frame);
  auto* trace = static_cast<CallTrace*>(arena_.Allocate(sizeof(CallTrace) + frame_bytes));
  if (trace == nullptr) return nullptr;
  trace->hash = hash;
  trace->frame_count = stack.count;
  trace->truncated = stack.truncated ? 1 : 0;
  std::copy_n(stack.frames, stack.count, trace->frames());
  return trace;
}

const CallTrace* CallTraceHashTable::Find(TraceId id) const {
  const auto index = static_cast<uint32_t>(Value(id));
  if (Value(id) >> 32 != epoch_ || index > mask_) return nullptr;
  return slots_[index].load(std::memory_order_acquire);
}

}  // namespace jprof
