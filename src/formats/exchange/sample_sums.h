// SampleSums: sums of samples by kind, stack, thread, state and labels, in the order in which each
// was first seen: equal recordings give equal outputs. One thread.
#pragma once

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
  struct Sum {
    uint32_t group, stack;
    uint64_t samples, value;  // value: in the unit of the kind
  };

  void Add(const profile::Sample& sample);

  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<Sum>& sums() const { return sums_; }

 private:
  std::vector<Group> groups_;
  std::map<Group, uint32_t> group_numbers_;
  uint32_t last_group_ = 0;
  KeyMap sum_numbers_;  // group and stack -> index into sums_, plus 1
  std::vector<Sum> sums_;
};

}  // namespace jprof
