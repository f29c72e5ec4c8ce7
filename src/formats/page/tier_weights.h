// TierWeights: the weights of a node of the page by how its frames ran. Most frames ran in one way:
// only others need a list. One thread.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "formats/varint_stream.h"
#include "profile/profile.h"

namespace jprof {

class TierWeights {
 public:
  bool IsEmpty() const { return weight_ == 0; }

  void Add(profile::FrameKind tier, uint64_t weight) {
    if (others_ == nullptr && weight_ != 0 && tier != tier_) {
      others_ = std::make_unique<std::array<uint64_t, profile::kFrameKindCount>>();
      (*others_)[static_cast<size_t>(tier_)] = weight_;
    }
    if (others_ != nullptr) (*others_)[static_cast<size_t>(tier)] += weight;
    tier_ = tier;
    weight_ += weight;
  }

  void AppendTo(VarintStream& numbers, uint64_t distance) const {
    numbers.Add(distance * 2 + (others_ != nullptr ? 1 : 0));
    if (others_ == nullptr) {
      numbers.Add(static_cast<uint64_t>(tier_));
      return;
    }
    numbers.Add(profile::kFrameKindCount -
                static_cast<size_t>(std::count(others_->begin(), others_->end(), 0)));
    for (size_t tier = 0; tier < profile::kFrameKindCount; ++tier) {
      if ((*others_)[tier] == 0) continue;
      numbers.Add(tier);
      numbers.Add((*others_)[tier]);
    }
  }

 private:
  profile::FrameKind tier_ = profile::FrameKind::kJava;  // the last one added
  uint64_t weight_ = 0;
  std::unique_ptr<std::array<uint64_t, profile::kFrameKindCount>> others_;  // null: all are tier_
};

}  // namespace jprof
