// SampleTable is a SampleSink that sums samples by kind, thread, state, slice of time and stack,
// for formats without a time line or with a coarse one.
//
// A slice of this table is a period of time, and not a profile::Slice. The weight of a sample is
// spread evenly over the slices that the sample covers. So one sample that covers n intervals has
// the same effect as n samples of one interval each. Rounding does not change the total of the
// weights.
//
// Not thread-safe. At first, all slices are 50 ms long. This length doubles whenever there are too
// many slices or sums. So there are at most kMaxEntries sums, unless only one slice is left.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/key_map.h"
#include "profile/profile.h"

namespace jprof::profile {

class SampleTable : public SampleSink {
 public:
  using Weigh = profile::Weigh;
  enum class Slices : uint8_t { kOne, kMany };
  enum class States : uint8_t { kJoin, kKeep };  // with kJoin, all samples count as state 0

  static constexpr uint32_t kMaxSlices = 256;
  static constexpr size_t kMaxEntries = 200'000;

  // Caps the number of states. Further states count as the last of these. Real recordings have
  // about ten states.
  static constexpr uint32_t kMaxStates = 64;

  struct Group {
    uint32_t kind, thread, state, slice;
  };

  // The sum of the samples with the same group and stack. If `weight` is an estimate, `variance` is
  // its variance. If `weight` is a number of samples, or its variance is unknown, `variance` is
  // NaN.
  struct WeightSum {
    uint64_t weight = 0;
    double variance = 0;

    void operator+=(const WeightSum& other) {
      weight += other.weight;
      variance += other.variance;
    }
  };

  SampleTable(Weigh weigh, Slices slices, States states = States::kJoin);

  void OnBegin(int64_t time_ns) override;
  void OnSample(const Sample& sample) override;
  void Finish() { AddPending(); }
  // Removes all sums.
  void Clear();

  Weigh weigh() const { return weigh_; }
  const std::vector<Group>& groups() const { return groups_; }

  // Calls visit(group, stack, sum) for every sum, in the order in which the sums were created. This
  // order is the same in every run, and so is the result of adding up floating-point numbers.
  // `group` is an index into groups(). REQUIRES: Finish() was called.
  template <class Visit>
  void ForEach(const Visit& visit) const {
    for (const CountedStack& entry : sums_) {
      visit(static_cast<uint32_t>(entry.key >> 32), static_cast<uint32_t>(entry.key), entry.sum);
    }
  }
  size_t entry_count() const { return sums_.size(); }
  // True if the sums of this kind have a standard error.
  bool HasErrors(const SampleKind& kind) const {
    return weigh_ == Weigh::kValue && kind.HasError();
  }

  int64_t start_ns() const { return start_ns_; }
  int64_t slice_ns() const { return slice_ns_; }  // 0 if the table has one slice for all times
  uint32_t slice_count() const { return slice_count_; }

 private:
  uint32_t SliceOf(int64_t time_ns);
  uint32_t StateOf(const Sample& sample) const;
  void Spread(const Sample& sample, uint64_t weight);
  void Add(uint32_t group, uint32_t stack, const WeightSum& sum);
  void AddPending();
  uint32_t GroupNumber(const Group& group);
  void MergeSlices();

  const Weigh weigh_;
  const States states_;
  int64_t slice_ns_;
  int64_t start_ns_ = 0;
  bool has_start_ = false;
  uint32_t slice_count_ = 1;
  std::vector<Group> groups_;
  // Maps a series (a kind, a thread and a state) and a slice to an index into groups_, plus 1.
  KeyMap group_numbers_;
  struct CountedStack {
    uint64_t key;  // group and stack
    WeightSum sum;
  };
  std::vector<CountedStack> sums_;
  KeyMap sum_numbers_;  // key -> index into sums_, plus 1
  // A sample that is not added to its sum yet. Samples are added in batches, because their sums are
  // far apart in memory, and AddPending can prefetch all sums of a batch before it changes them.
  struct Pending {
    uint64_t key;
    WeightSum sum;
    uint32_t place;  // index into sums_
  };
  static constexpr size_t kMaxPending = 64;
  std::array<Pending, kMaxPending> pending_;
  size_t pending_count_ = 0;
  // The group of the last sample of a series.
  struct LastGroup {
    uint32_t slice = 0;
    uint32_t number = 0;  // index into groups_, plus 1
  };
  KeyMap series_numbers_;               // kind, state and thread -> series, from 1
  std::vector<LastGroup> last_groups_;  // indexed by series, minus 1
};

}  // namespace jprof::profile
