// SampleSums: sums of samples by kind, stack, thread, state and labels, in the order of their first
// samples. So equal recordings give equal outputs. Used by one thread.
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
  // The properties, other than the stack, that all samples of a sum share.
  struct Group {
    uint32_t kind, thread, state, labels;
    auto operator<=>(const Group&) const = default;
  };
  struct StackSum {
    uint32_t group, stack;
    uint64_t samples, value;  // `value` is in the unit of the kind
    double objects;           // number of objects that the samples stand for; NaN: unknown
  };

  void Add(const profile::Sample& sample);
  // Completes the sums. REQUIRES: called after the last sample and before groups() and sums().
  void Finish() { AddPending(); }

  const std::vector<Group>& groups() const { return groups_; }
  const std::vector<StackSum>& sums() const { return sums_; }

 private:
  uint32_t GroupNumber(const Group& group);
  void AddPending();

  std::vector<Group> groups_;
  std::map<Group, uint32_t> group_numbers_;
  KeyMap pair_numbers_;  // kind and thread -> index into last_groups_, plus 1
  // Caches the group (index into groups_) of the last sample of each kind and thread: the next
  // sample of that kind and thread mostly has the same group.
  std::vector<uint32_t> last_groups_;
  KeyMap sum_numbers_;  // group and stack -> index into sums_, plus 1
  std::vector<StackSum> sums_;
  // A sample that has not been added to its sum yet. Sums lie far apart in memory, so samples are
  // added in batches that prefetch the memory of their sums.
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
