#include "sigsafe/stack/call_trace_hash_table.h"

#include <algorithm>
#include <cstring>

#include "sigsafe/base/check.h"

namespace jprof {
namespace {

// Odd constants without a pattern: the fractional parts of the golden ratio and of the square roots
// of 2 and 3.
constexpr uint64_t kFirstLane = 0x9E3779B97F4A7C15ULL;
constexpr uint64_t kSecondLane = 0x6A09E667F3BCC909ULL;
constexpr uint64_t kPlace = 0xBB67AE8584CAA73BULL;

__extension__ using Product = unsigned __int128;

// Combines both halves of the 128-bit product, so that every bit of the result depends on every bit
// of both factors.
uint64_t Fold(uint64_t left, uint64_t right) {
  const auto product = static_cast<Product>(left) * right;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

uint64_t AddFrame(uint64_t hash, const Frame& frame) {
  const uint64_t place =
      uint64_t{static_cast<uint32_t>(frame.bci)} << 32 | static_cast<uint32_t>(frame.kind);
  return Fold(hash ^ frame.id, place ^ kPlace);
}

// Hashes the frames in two lanes, so that each multiplication waits only for the previous one of
// its own lane.
uint64_t HashOf(const Stack& stack) {
  uint64_t first = kFirstLane;
  uint64_t second = kSecondLane;
  uint32_t i = 0;
  for (; i + 1 < stack.count; i += 2) {
    first = AddFrame(first, stack.frames[i]);
    second = AddFrame(second, stack.frames[i + 1]);
  }
  if (i < stack.count) first = AddFrame(first, stack.frames[i]);
  const uint64_t hash = Fold(first ^ stack.count, second ^ kFirstLane);
  return hash == 0 ? 1 : hash;
}

bool Same(const CallTrace& trace, const Stack& stack, uint64_t hash) {
  return trace.hash == hash && trace.frame_count == stack.count &&
         trace.truncated == stack.truncated &&
         (stack.count == 0 ||
          std::memcmp(trace.frames(), stack.frames, stack.count * sizeof(Frame)) == 0);
}

uint64_t FirstSlot(uint64_t hash, uint64_t mask) { return (hash ^ hash >> 32) & mask; }

}  // namespace

void CallTraceHashTable::Begin(uint32_t epoch, CallTraceIndex* index, Region arena) {
  JPROF_CHECK(epoch > 0);
  epoch_ = epoch;
  arena_.Reset(arena);
  trace_count_.store(0, std::memory_order_relaxed);
  methods_.Clear();
  index_.store(index, std::memory_order_release);
}

void CallTraceHashTable::UseIndex(CallTraceIndex* larger) {
  JPROF_CHECK(larger->mask >= trace_count());
  CallTraceIndex* old = index_.load(std::memory_order_relaxed);
  for (uint64_t i = 0; i <= old->mask; ++i) {
    CallTrace* trace = old->At(i).load(std::memory_order_acquire);
    if (trace == nullptr) continue;
    uint64_t slot = FirstSlot(trace->hash, larger->mask);
    while (larger->At(slot).load(std::memory_order_relaxed) != nullptr) {
      slot = (slot + 1) & larger->mask;
    }
    larger->At(slot).store(trace, std::memory_order_relaxed);
  }
  index_.store(larger, std::memory_order_release);
}

CallTraceId CallTraceHashTable::Put(const Stack& stack) {
  const uint64_t hash = HashOf(stack);
  CallTraceIndex* index = index_.load(std::memory_order_acquire);
  CallTrace* fresh = nullptr;
  uint64_t slot = FirstSlot(hash, index->mask);
  for (uint32_t probe = 0; probe < kMaxProbes; ++probe, slot = (slot + 1) & index->mask) {
    CallTrace* present = index->At(slot).load(std::memory_order_acquire);
    if (present == nullptr) {
      if (fresh == nullptr) fresh = NewCallTrace(stack, hash);
      if (fresh == nullptr) return kDroppedCallTrace;
      if (index->At(slot).compare_exchange_strong(present, fresh, std::memory_order_release,
                                                  std::memory_order_acquire)) {
        trace_count_.fetch_add(1, std::memory_order_relaxed);
        return IdOf(fresh);
      }
    }
    // If another Put has filled the slot first, the record `fresh` stays in the arena without an
    // id.
    if (Same(*present, stack, hash)) return IdOf(present);
  }
  return kDroppedCallTrace;
}

// The names of the methods come first, so that a caller that finds the stack also finds the names.
CallTrace* CallTraceHashTable::NewCallTrace(const Stack& stack, uint64_t hash) {
  for (uint32_t i = 0; stack.methods != nullptr && i < stack.count; ++i) {
    const Frame& frame = stack.frames[i];
    const bool is_recursion = i != 0 && frame.id == stack.frames[i - 1].id;
    if (IsJava(frame) && IsMethodId(frame.id) && !is_recursion &&
        !methods_.Add(*stack.vm, stack.methods[i], frame.id, arena_)) {
      return nullptr;
    }
  }
  auto* trace = static_cast<CallTrace*>(arena_.Allocate(CallTrace::SizeFor(stack.count)));
  if (trace == nullptr) return nullptr;
  trace->hash = hash;
  trace->frame_count = stack.count;
  trace->truncated = stack.truncated;
  std::copy_n(stack.frames, stack.count, trace->frames());
  return trace;
}

const CallTrace* CallTraceHashTable::Find(CallTraceId id) const {
  if (Value(id) >> 32 != epoch_) return nullptr;
  return static_cast<const CallTrace*>(arena_.At(static_cast<uint32_t>(Value(id))));
}

}  // namespace jprof
