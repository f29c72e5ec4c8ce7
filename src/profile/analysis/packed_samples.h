// PackedSamples stores samples in the order in which they were added, in some ten bytes each, or
// some thirty for estimates, instead of the 72 bytes of a Sample. Not thread-safe.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>

#include "profile/profile.h"

namespace jprof::profile {

class PackedSamples {
 public:
  void Add(const Sample& sample);
  size_t size() const { return count_; }

  // Calls visit(sample) for every sample in order.
  template <class Visit>
  void ForEach(const Visit& visit) const {
    Sample sample = kBefore;
    for (const Block& block : blocks_) {
      const uint8_t* const end = block.bytes.data() + block.used;
      for (const uint8_t* at = block.bytes.data(); at < end;) {
        at = Unpack(at, sample);
        visit(static_cast<const Sample&>(sample));
      }
    }
  }

 private:
  // A block of whole entries. An entry holds the fields that differ from those of the sample before
  // it, as varints.
  struct Block {
    std::array<uint8_t, size_t{64} * 1024> bytes;
    uint32_t used = 0;
  };
  static constexpr Sample kBefore{};  // stands before the first sample

  static const uint8_t* Unpack(const uint8_t* at, Sample& sample);

  std::deque<Block> blocks_;  // a deque, so that growing copies nothing
  Sample last_ = kBefore;
  size_t count_ = 0;
};

}  // namespace jprof::profile
