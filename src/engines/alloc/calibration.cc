#include "engines/alloc/calibration.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace jprof {
namespace {

// Threads that are neither carriers nor groups by themselves are divided into size classes by the
// bytes that they have allocated. kSizeEnds has the upper ends of the classes, in intervals. The
// last class has no upper end.
constexpr std::array<double, 5> kSizeEnds = {0.25, 1, 4, 16, 64};
// The smallest number of draws from which SetDesign estimates how much samples depend on each
// other. A draw is the set of threads that have the same first gap.
constexpr double kFewestDraws = 16;
// Fibonacci hashing to 8 bits.
constexpr uint64_t kHashFactor = 0x9e3779b97f4a7c15;
constexpr int kHashShift = 56;

// Returns the samples' estimate of the bytes of the objects that were not sampled.
double EstimateOfOthers(const CalibrationGroup& group) {
  return group.sums.weight - group.sums.own;
}

// Returns a number of intervals. Allocating that many intervals of bytes yields `samples` samples
// or fewer only with a probability of about 10^-5, by the Poisson distribution.
double LikelyIntervals(double samples) { return samples + 4 * std::sqrt(samples) + 12; }

std::string NameOf(size_t bin, double interval) {
  if (bin == 2 * (kSizeEnds.size() + 1)) return "carriers of virtual threads";
  const size_t size = bin % (kSizeEnds.size() + 1);
  const char* const age = bin > kSizeEnds.size() ? "new" : "old";
  const bool has_end = size < kSizeEnds.size();
  const double end = kSizeEnds[has_end ? size : size - 1] * interval;
  return std::string(age) + " threads, " + (has_end ? "up to " : "more than ") +
         std::to_string(static_cast<uint64_t>(end)) + " bytes";
}

}  // namespace

void AllocationSums::Add(const AllocationSums& other) {
  samples += other.samples;
  weight += other.weight;
  own += other.own;
  variance += other.variance;
}

size_t Calibration::BinOf(const Account& account) const {
  const double intervals = static_cast<double>(account.last - account.first) / interval_;
  const auto* const end = std::ranges::lower_bound(kSizeEnds, intervals);
  return static_cast<size_t>(end - kSizeEnds.begin()) + (account.is_old ? 0 : kSizes);
}

CalibrationGroup& Calibration::GroupOf(size_t number) {
  return number < kBins ? bins_[number].group : singles_[number - kBins];
}

// Adds the thread's samples, and the thread's bytes since the last reading, to the thread's group.
// REQUIRES: Add was called for all samples of the thread up to this reading.
void Calibration::Settle(const ThreadBytes& thread, IsLast is_last) {
  Account& account = accounts_[thread.number];
  const uint64_t bytes = std::max(thread.bytes, account.last);
  const uint64_t exact = bytes - std::exchange(account.last, bytes);
  if (exact == 0 && account.sums.weight == 0) return;
  double others = static_cast<double>(exact) - account.debt - account.sums.own;
  account.debt = 0;
  if (others < 0) {
    const double counted_before = std::min(pending_, -others);
    pending_ -= counted_before;
    others += counted_before;
    const bool may_be_counted_later = is_last == IsLast::kNo || account.sums.own == 0;
    if (may_be_counted_later) account.debt = -others;
    if (!may_be_counted_later) account.own_scale = std::max(0.0, 1 + others / account.sums.own);
  }
  if (thread.is_carrier) {
    account.group = kCarriers;
  } else if (static_cast<double>(exact) >= static_cast<double>(kSingleIntervals) * longest_) {
    account.group = kBins + singles_.size();
    singles_.push_back({"thread", thread.thread, thread.key});
  } else {
    account.group = BinOf(account);
    Draw& draw = bins_[account.group].draws[thread.address * kHashFactor >> kHashShift];
    draw.weight += account.sums.weight;
    draw.exact += static_cast<double>(exact);
  }
  CalibrationGroup& group = GroupOf(account.group);
  ++group.threads;
  group.sums.Add(account.sums);
  group.exact += exact;
  group.others += std::max(0.0, others);
}

void Calibration::Apply(const BytesReading& changes) {
  for (const ThreadBytes& thread : changes.found) {
    Account& account = accounts_[thread.number];
    account.is_old = true;
    account.first = account.last = thread.bytes;
  }
  for (const ThreadBytes& thread : changes.ended) {
    Settle(thread, IsLast::kYes);
    // An account with samples stays until the samples have been scaled.
    if (accounts_[thread.number].sums.weight == 0) accounts_.erase(thread.number);
  }
}

std::vector<CalibrationGroup> Calibration::End(const BytesReading& reading, IsLast is_last) {
  Apply(reading);
  for (const ThreadBytes& thread : reading.running) {
    Settle(thread, is_last);
    accounts_[thread.number].is_running = true;
  }
  SetRatios();
  unseen_.not_sampled += std::exchange(pending_, std::exchange(unsampled_, 0));
  if (is_last == IsLast::kYes) unseen_.not_sampled += std::exchange(pending_, 0);
  std::vector<CalibrationGroup> groups = Groups();
  for (auto it = accounts_.begin(); it != accounts_.end();) {
    Account& account = it->second;
    const bool is_done = !account.is_running && account.sums.weight == 0;
    account.is_running = false;
    account.scale = account.group == kUnread ? Scale() : GroupOf(account.group).scale;
    account.scale.own = std::exchange(account.own_scale, 1);
    account.sums = {};
    account.group = kUnread;
    it = is_done ? accounts_.erase(it) : std::next(it);
  }
  for (Bin& bin : bins_) {
    bin.group = {};
    bin.draws = {};
  }
  singles_.clear();
  longest_ = interval_;
  return groups;
}

// Widens the group's error if the estimates of its draws differ more from each other than they
// would with independent samples (the design effect of statistics). A draw is the set of threads
// whose JavaThread objects have had the same address: HotSpot derives the first gap of a thread
// from that address. Draws whose addresses share a hash count as one.
void Calibration::SetDesign(Bin& bin) {
  CalibrationGroup& group = bin.group;
  const double share = group.sums.weight / static_cast<double>(std::max<uint64_t>(group.exact, 1));
  double draws = 0;
  double variance = 0;
  for (const Draw& draw : bin.draws) {
    draws += draw.exact > 0 ? 1 : 0;
    variance += (draw.weight - share * draw.exact) * (draw.weight - share * draw.exact);
  }
  if (draws < kFewestDraws || group.sums.variance <= 0) return;
  variance *= draws / (draws - 1);
  group.scale.design = std::sqrt(std::max(1.0, variance / group.sums.variance));
  group.sums.variance *= group.scale.design * group.scale.design;
}

// Sets the ratio of each group. A ratio scales only the bytes of objects that were not sampled.
// Groups with few samples share a ratio. If such a group has more bytes than are likely with its
// few samples, the excess goes to unsampled_.
void Calibration::SetRatios() {
  unseen_ = {};
  few_ = {};
  for (size_t i = 0; i < kCarriers; ++i) {
    SetDesign(bins_[i]);
    SetRatio(bins_[i].group);
  }
  for (CalibrationGroup& single : singles_) SetRatioOfSingle(single);
  SetRatioOfCarriers();
  const double ratio = few_.estimate > 0 ? std::min(few_.others / few_.estimate, kMostRatio) : 0;
  for (CalibrationGroup* group : few_.groups) group->scale.ratio = ratio;
  unsampled_ += few_.others - ratio * few_.estimate;
}

// Sets the ratio of a thread that is a group by itself. If the thread has far more bytes than its
// samples explain, the cause is a large object that was counted in this period, and whose sample
// comes in the next period. In this case the excess goes to unsampled_.
void Calibration::SetRatioOfSingle(CalibrationGroup& single) {
  const double estimate = EstimateOfOthers(single);
  const bool is_likely = single.others <= kMostRatio * estimate;
  if (is_likely || estimate < kFewestIntervals * longest_) return SetRatio(single);
  unsampled_ += single.others - estimate;
}

void Calibration::SetRatio(CalibrationGroup& group) {
  const double estimate = EstimateOfOthers(group);
  if (estimate >= kFewestIntervals * longest_) {
    group.scale.ratio = group.others / estimate;
    return;
  }
  const double likely = LikelyIntervals(estimate / longest_) * longest_;
  unsampled_ += std::max(0.0, group.others - likely);
  few_.groups.push_back(&group);
  few_.others += std::min(group.others, likely);
  few_.estimate += estimate;
}

// Sets the ratio of the carriers of virtual threads. If their counters exceed the estimate from
// their samples by more than chance explains, the excess can come from objects for which the JVM
// sends no events. In this case the samples are not scaled up to the counters.
void Calibration::SetRatioOfCarriers() {
  CalibrationGroup& group = bins_[kCarriers].group;
  const double excess = group.others - EstimateOfOthers(group);
  carriers_excess_ += excess;
  carriers_variance_ += group.sums.variance;
  if (carriers_excess_ >
      kMostErrors * std::sqrt(carriers_variance_) + kFewestIntervals * interval_) {
    are_some_not_announced_ = true;
  }
  const bool may_be_chance =
      carriers_excess_ <= kMostErrorsByChance * std::sqrt(carriers_variance_);
  if (excess <= 0 || (may_be_chance && !are_some_not_announced_)) return SetRatio(group);
  (are_some_not_announced_ ? unseen_.not_announced : unsampled_) += excess;
  if (are_some_not_announced_) unseen_.error = std::sqrt(group.sums.variance);
}

std::vector<CalibrationGroup> Calibration::Groups() {
  std::vector<CalibrationGroup> groups;
  for (size_t i = 0; i < kBins; ++i) {
    if (bins_[i].group.threads == 0) continue;
    bins_[i].group.name = NameOf(i, interval_);
    groups.push_back(bins_[i].group);
  }
  groups.insert(groups.end(), singles_.begin(), singles_.end());
  CalibrationGroup unread{"not read"};
  for (const auto& [number, account] : accounts_) {
    if (account.group == kUnread) unread.sums.Add(account.sums);
  }
  if (unread.sums.weight != 0) groups.push_back(unread);
  CalibrationGroup total{"total"};
  for (const CalibrationGroup& group : groups) {
    total.threads += group.threads;
    total.exact += group.exact;
    total.sums.Add(group.sums);
  }
  total_.Add(total.sums);
  exact_ += total.exact;
  groups.push_back(total);
  return groups;
}

Scale Calibration::ScaleOf(uint32_t number) const {
  const auto found = accounts_.find(number);
  return found == accounts_.end() ? Scale() : found->second.scale;
}

void Calibration::Restart(const BytesReading& reading) {
  const AllocationSums sums = total_;
  const uint64_t exact = exact_;
  static_cast<void>(End(reading, IsLast::kNo));
  pending_ = 0;
  total_ = sums;
  exact_ = exact;
}

}  // namespace jprof
