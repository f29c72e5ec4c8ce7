// PackedSamples stores samples in the order in which they were added. A packed sample takes about
// 10 bytes, or about 30 if it is an estimate. A Sample takes 72. Not thread-safe.
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
  // A block of whole entries. The entry of a sample holds only the fields in which the sample
  // differs from the previous sample, as varints.
  struct Block {
    std::array<uint8_t, size_t{64} * 1024> bytes;
    uint32_t used = 0;
  };
  static constexpr Sample kBefore{};  // counts as the sample before the first one

  static const uint8_t* Unpack(const uint8_t* at, Sample& sample);

  std::deque<Block> blocks_;  // a deque, which grows without copying blocks
  Sample last_ = kBefore;
  size_t count_ = 0;
};

}  // namespace jprof::profile
