#include "formats/exchange/sample_sums.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/credible_time.h"

namespace jprof {
namespace {

using profile::SampleKind;
using profile::SampleUnit;

struct ValueTypeRow {
  std::string_view kind, count, value;
};
constexpr ValueTypeRow kRows[] = {
#define VALUE_TYPES(kind, count, value) {kind, count, value},
#include "formats/exchange/value_types.def"
};

const ValueTypeRow& RowOf(std::string_view kind) {
  const ValueTypeRow* row = kRows;
  while (!row->kind.empty() && row->kind != kind) ++row;
  return *row;
}

uint64_t KeyOf(uint32_t group, uint32_t stack) { return uint64_t{group} << 32 | stack; }

}  // namespace

void SampleSums::Add(const profile::Sample& sample) {
  const uint32_t group = GroupNumber({sample.kind, sample.thread, sample.state, sample.labels});
  sum_numbers_.Prefetch(KeyOf(group, sample.stack));
  pending_[pending_count_++] = {group,        sample.stack,   sample.samples,
                                sample.value, sample.objects, 0};
  if (pending_count_ == kMaxPending) AddPending();
}

uint32_t SampleSums::GroupNumber(const Group& group) {
  uint32_t& pair = pair_numbers_.At(uint64_t{group.kind} << 32 | group.thread);
  if (pair != 0 && groups_[last_groups_[pair - 1]] == group) return last_groups_[pair - 1];
  const auto [entry, is_new] =
      group_numbers_.try_emplace(group, static_cast<uint32_t>(groups_.size()));
  if (is_new) groups_.push_back(group);
  if (pair == 0) {
    last_groups_.push_back(entry->second);
    pair = static_cast<uint32_t>(last_groups_.size());
  }
  last_groups_[pair - 1] = entry->second;
  return entry->second;
}

void SampleSums::AddPending() {
  for (size_t i = 0; i < pending_count_; ++i) {
    Pending& pending = pending_[i];
    uint32_t& number = sum_numbers_.At(KeyOf(pending.group, pending.stack));
    if (number == 0) {
      sums_.push_back({pending.group, pending.stack, 0, 0, 0});
      number = static_cast<uint32_t>(sums_.size());
    }
    pending.sum = number - 1;
    __builtin_prefetch(&sums_[pending.sum], 1);
  }
  for (size_t i = 0; i < pending_count_; ++i) {
    StackSum& sum = sums_[pending_[i].sum];
    sum.samples += pending_[i].samples;
    sum.value += pending_[i].value;
    sum.objects += pending_[i].objects;
  }
  pending_count_ = 0;
}

RecordedSpan::RecordedSpan(const profile::Profile& profile)
    : start_ns(CredibleTime(profile.start_ns)),
      duration_ns(std::max<int64_t>(CredibleTime(profile.end_ns) - start_ns, 0)) {}

ValueTypes::ValueTypes(const SampleKind& kind) {
  const ValueTypeRow& row = RowOf(kind.name);
  count = row.count;
  is_interval = kind.unit == SampleUnit::kSamples && kind.interval_ns > 0;
  if (kind.unit == SampleUnit::kSamples && !is_interval) return;
  value = row.value;
  unit = kind.unit == SampleUnit::kBytes ? "bytes" : "nanoseconds";
}

uint64_t ValueTypes::CountOf(const SampleKind& kind, uint64_t samples, double objects) {
  constexpr double kMostObjects = 9e18;  // fits the signed 64-bit integers of readers
  if (!kind.HasObjects()) return samples;
  return static_cast<uint64_t>(std::llround(std::min(objects, kMostObjects)));
}

uint64_t ValueTypes::ValueOf(const SampleKind& kind, uint64_t samples, uint64_t weight) const {
  if (!is_interval) return weight;
  // Readers use signed 64-bit integers.
  constexpr auto kMost = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  const auto interval_ns = static_cast<uint64_t>(kind.interval_ns);
  return samples > kMost / interval_ns ? kMost : samples * interval_ns;
}

uint64_t ValueTypes::PeriodOf(const SampleKind& kind) const {
  return unit == "nanoseconds" && kind.interval_ns > 0 ? static_cast<uint64_t>(kind.interval_ns)
                                                       : 1;
}

}  // namespace jprof
