#include "formats/exchange/sample_sums.h"

namespace jprof {
namespace {

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

}  // namespace jprof
