#include "formats/exchange/sample_sums.h"

namespace jprof {

void SampleSums::Add(const profile::Sample& sample) {
  const Group group{sample.kind, sample.thread, sample.state, sample.labels};
  if (groups_.empty() || groups_[last_group_] != group) {
    const auto [entry, is_new] =
        group_numbers_.try_emplace(group, static_cast<uint32_t>(groups_.size()));
    if (is_new) groups_.push_back(group);
    last_group_ = entry->second;
  }
  uint32_t& number = sum_numbers_.At(uint64_t{last_group_} << 32 | sample.stack);
  if (number == 0) {
    sums_.push_back({last_group_, sample.stack, 0, 0});
    number = static_cast<uint32_t>(sums_.size());
  }
  Sum& sum = sums_[number - 1];
  sum.samples += sample.samples;
  sum.value += sample.value;
}

}  // namespace jprof
