#include "engines/validate/comparison_sums.h"

#include <utility>

namespace jprof {

bool ComparisonSums::Add(ComparisonKey key) {
  const std::lock_guard lock(mutex_);
  if (all_.size() >= kMostKeys && all_.count(key) == 0) key.cause = {"(others)"};
  const uint64_t count = ++all_[key];
  if (key.layer == Layer::kSignal && key.walker == JudgedWalker::kOurs) {
    ++totals_.of_ours[static_cast<size_t>(key.verdict)];
  }
  if (!IsDifference(key.verdict)) return false;
  key.cause = {};
  Examples& examples = of_sorts_[key];
  const bool is_wanted =
      ++examples.stacks <= kExamples || (count == 1 && examples.wanted < kMostExamples);
  if (is_wanted) ++examples.wanted;
  return is_wanted;
}

void ComparisonSums::AddExample(Difference difference) {
  const std::lock_guard lock(mutex_);
  examples_.push_back(std::move(difference));
}

void ComparisonSums::AddFrames(uint64_t frames, uint64_t left_out) {
  const std::lock_guard lock(mutex_);
  totals_.frames += frames;
  totals_.left_out += left_out;
}

std::map<ComparisonKey, uint64_t> ComparisonSums::TakeCounts() {
  const std::lock_guard lock(mutex_);
  std::map<ComparisonKey, uint64_t> since;
  for (const auto& [key, count] : all_) {
    if (count != taken_[key]) since[key] = count - taken_[key];
  }
  taken_ = all_;
  return since;
}

std::vector<Difference> ComparisonSums::TakeExamples() {
  const std::lock_guard lock(mutex_);
  return std::exchange(examples_, {});
}

ComparisonSums::Totals ComparisonSums::Sum() const {
  const std::lock_guard lock(mutex_);
  return totals_;
}

}  // namespace jprof
