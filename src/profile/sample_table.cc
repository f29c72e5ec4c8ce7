#include "profile/sample_table.h"

#include <algorithm>
#include <utility>

namespace jprof::profile {
namespace {

constexpr int64_t kFirstSliceNs = 50'000'000;

__extension__ using Product = unsigned __int128;

}  // namespace

SampleTable::SampleTable(Weigh weigh, Slices slices, States states)
    : weigh_(weigh), states_(states), slice_ns_(slices == Slices::kMany ? kFirstSliceNs : 0) {}

uint32_t SampleTable::StateOf(const Sample& sample) const {
  return states_ == States::kJoin ? 0 : std::min(sample.state, kMaxStates - 1);
}

void SampleTable::OnSample(const Sample& sample) {
  const uint64_t weight = weigh_ == Weigh::kSamples ? sample.samples : sample.value;
  if (weight == 0) return;
  if (slice_ns_ == 0 || sample.covers_ns == 0) {
    const uint32_t slice = SliceOf(sample.time_ns);
    const double variance = weigh_ == Weigh::kValue ? sample.variance : kNotKnown;
    Add(GroupNumber({sample.kind, sample.thread, StateOf(sample), slice}), sample.stack,
        {weight, variance});
  } else {
    Spread(sample, weight);
  }
  if (sums_.size() > kMaxEntries && slice_count_ > 1) MergeSlices();
}

void SampleTable::Spread(const Sample& sample, uint64_t weight) {
  Interval interval = IntervalOf(sample);
  // This call comes first, because it can make all slices longer.
  const uint32_t last = SliceOf(interval.to_ns);
  interval.from_ns = std::max(interval.from_ns, std::min(start_ns_, interval.to_ns));
  const uint64_t whole =
      static_cast<uint64_t>(interval.to_ns) - static_cast<uint64_t>(interval.from_ns);
  uint64_t added = 0;
  for (uint32_t slice = SliceOf(interval.from_ns); slice <= last && added < weight; ++slice) {
    uint64_t so_far = weight;
    if (slice < last) {
      const auto begun = static_cast<uint64_t>(interval.from_ns) - static_cast<uint64_t>(start_ns_);
      const uint64_t part = (slice + uint64_t{1}) * static_cast<uint64_t>(slice_ns_) - begun;
      // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): the interval's ends are in two slices
      so_far = static_cast<uint64_t>((Product{weight} * part + whole / 2) / whole);
    }
    if (so_far == added) continue;
    Add(GroupNumber({sample.kind, sample.thread, StateOf(sample), slice}), sample.stack,
        {so_far - added, kNotKnown});
    added = so_far;
  }
}

void SampleTable::OnBegin(int64_t time_ns) {
  start_ns_ = time_ns;
  has_start_ = true;
}

void SampleTable::Add(uint32_t group, uint32_t stack, const WeightSum& sum) {
  pending_[pending_count_++] = {uint64_t{group} << 32 | stack, sum, 0};
  if (pending_count_ == kMaxPending) AddPending();
}

void SampleTable::AddPending() {
  for (size_t i = 0; i < pending_count_; ++i) sum_numbers_.Prefetch(pending_[i].key);
  for (size_t i = 0; i < pending_count_; ++i) {
    Pending& pending = pending_[i];
    uint32_t& number = sum_numbers_.At(pending.key);
    if (number == 0) {
      sums_.push_back({pending.key, {}});
      number = static_cast<uint32_t>(sums_.size());
    }
    pending.place = number - 1;
    __builtin_prefetch(&sums_[pending.place], 1);
  }
  for (size_t i = 0; i < pending_count_; ++i) sums_[pending_[i].place].sum += pending_[i].sum;
  pending_count_ = 0;
}

void SampleTable::Clear() {
  pending_count_ = 0;
  groups_.clear();
  group_numbers_.Clear();
  series_numbers_.Clear();
  last_groups_.clear();
  sums_.clear();
  sum_numbers_.Clear();
}

uint32_t SampleTable::SliceOf(int64_t time_ns) {
  if (slice_ns_ == 0) return 0;
  if (!has_start_) {
    start_ns_ = time_ns;
    has_start_ = true;
  }
  if (time_ns <= start_ns_) return 0;
  const uint64_t elapsed = static_cast<uint64_t>(time_ns) - static_cast<uint64_t>(start_ns_);
  while (elapsed / static_cast<uint64_t>(slice_ns_) >= kMaxSlices) MergeSlices();
  const auto slice = static_cast<uint32_t>(elapsed / static_cast<uint64_t>(slice_ns_));
  slice_count_ = std::max(slice_count_, slice + 1);
  return slice;
}

uint32_t SampleTable::GroupNumber(const Group& group) {
  const uint64_t kind_and_state = uint64_t{group.kind} * kMaxStates + group.state;
  uint32_t& series = series_numbers_.At(kind_and_state << 32 | group.thread);
  if (series == 0) {
    last_groups_.emplace_back();
    series = static_cast<uint32_t>(last_groups_.size());
  }
  LastGroup& last = last_groups_[series - 1];
  if (last.number != 0 && last.slice == group.slice) return last.number - 1;
  uint32_t& number = group_numbers_.At(uint64_t{series} << 32 | group.slice);
  if (number == 0) {
    groups_.push_back(group);
    number = static_cast<uint32_t>(groups_.size());
  }
  last.slice = group.slice;
  last.number = number;
  return number - 1;
}

void SampleTable::MergeSlices() {
  AddPending();
  slice_ns_ *= 2;
  slice_count_ = (slice_count_ + 1) / 2;
  const std::vector<Group> groups = std::exchange(groups_, {});
  const std::vector<CountedStack> sums = std::exchange(sums_, {});
  sum_numbers_.Clear();
  group_numbers_.Clear();
  for (LastGroup& last : last_groups_) last.number = 0;
  for (const auto& [key, sum] : sums) {
    const Group& group = groups[key >> 32];
    Add(GroupNumber({group.kind, group.thread, group.state, group.slice / 2}),
        static_cast<uint32_t>(key), sum);
  }
  AddPending();
}

}  // namespace jprof::profile
