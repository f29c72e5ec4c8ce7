// SampleSums: sums of samples by kind, stack, thread, state and labels, in the order in which each
// was first seen: equal recordings give equal outputs. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "base/key_map.h"
#include "profile/profile.h"

namespace jprof {

class SampleSums {
 public:
  // What samples of a sum have in common besides their stack.
  struct Group {
    uint32_t kind, thread, state, labels;
    auto operator<=>(const Group&) const = default;
  };
  struct StackSum {
    uint32_t group, stack;
    uint64_t samples, value;  // value: in the unit of the kind
    double objects;           // that they stand for; NaN: not known
  };

  void Add(const profile::Sample& sample);
  // After the last sample. REQUIRES: before the first call of what follows.
  void Finish() { AddPending(); }

  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<StackSum>& sums() const { return sums_; }

 private:
  uint32_t GroupNumber(const Group& group);
  void AddPending();

  std::vector<Group> groups_;
  std::map<Group, uint32_t> group_numbers_;
  // The group of the last sample of a kind and thread: mostly that of the next one too.
  KeyMap pair_numbers_;                // kind and thread -> index into last_groups_, plus 1
  std::vector<uint32_t> last_groups_;  // indices into groups_
  KeyMap sum_numbers_;                 // group and stack -> index into sums_, plus 1
  std::vector<StackSum> sums_;
  // Sums lie far apart in memory: samples are added in batches, whose memory is fetched at once.
  struct Pending {
    uint32_t group, stack;
    uint64_t samples, value;
    double objects;
    uint32_t sum;
  };
  static constexpr size_t kMaxPending = 64;
  std::array<Pending, kMaxPending> pending_;
  size_t pending_count_ = 0;
};

}  // namespace jprof
