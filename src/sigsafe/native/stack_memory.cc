#include "sigsafe/native/stack_memory.h"

#include <cstring>

#include "sigsafe/os/safe_load.h"

namespace jprof {
namespace {

// The number of bytes below sp that the interrupted function may use (System V ABI, AMD64).
constexpr uint64_t kRedZone = 128;

}  // namespace

StackMemory::StackMemory(uint64_t sp, const StackBounds& bounds, LoadFaults faults)
    : faults_(faults), bounds_(bounds) {
  const auto own_frame = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
  if (!bounds.Contains(sp)) return;
  if (own_frame < bounds.low || own_frame >= sp) return;
  plain_begin_ = sp - kRedZone;
  plain_end_ = bounds.high;
}

bool StackMemory::Load(uint64_t address, uint64_t* word) {
  if (address >= plain_begin_ && address < plain_end_ && plain_end_ - address >= sizeof *word) {
    memcpy(word, reinterpret_cast<const void*>(address), sizeof *word);
    return true;
  }
  return faults_ == LoadFaults::kCaught ? GuardedLoad(address, word) : LoadSafely(address, word);
}

bool StackMemory::LoadSafely(uint64_t address, uint64_t* word) {
  const bool is_held = address >= block_begin_ && block_size_ >= sizeof *word &&
                       address - block_begin_ <= block_size_ - sizeof *word;
  if (!is_held) {
    block_begin_ = address;
    block_size_ = SafeCopy(block_, reinterpret_cast<const void*>(address), sizeof block_);
    if (block_size_ < sizeof *word) return false;
  }
  memcpy(word, block_ + (address - block_begin_), sizeof *word);
  return true;
}

bool StackMemory::MayHoldFrame(uint64_t sp) const {
  if (plain_end_ == 0) return true;
  return sp >= plain_begin_ && sp <= plain_end_;
}

}  // namespace jprof
