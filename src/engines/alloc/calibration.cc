#include "engines/alloc/calibration.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace jprof {
namespace {

// The upper ends of the other threads' sizes, in intervals; the last size has none.
constexpr std::array<double, 5> kSizeEnds = {0.25, 1, 4, 16, 64};
// A ratio begins at the expected one, as sure as by so many intervals.
constexpr double kPriorIntervals = 8;
// Fewer draws tell nothing of how much samples depend on each other.
constexpr double kFewestDraws = 16;
// Fibonacci hashing to 8 bits.
constexpr uint64_t kHashFactor = 0x9e3779b97f4a7c15;
constexpr int kHashShift = 56;

std::string NameOf(size_t bin, double interval) {
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

// The thread's samples up to the reading have been added.
void Calibration::Settle(const ThreadBytes& thread) {
  Account& account = accounts_[thread.number];
  const uint64_t bytes = std::max(thread.bytes, account.last);
  const uint64_t exact = bytes - std::exchange(account.last, bytes);
  if (exact == 0 && account.sums.weight == 0) return;
  if (static_cast<double>(exact) >= static_cast<double>(kSingleIntervals) * longest_) {
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
}

void Calibration::Apply(const BytesReading& changes) {
  for (const ThreadBytes& thread : changes.found) {
    Account& account = accounts_[thread.number];
    account.is_old = true;
    account.first = account.last = thread.bytes;
  }
  for (const ThreadBytes& thread : changes.ended) {
    Settle(thread);
    // Its samples have yet to be scaled.
    if (accounts_[thread.number].sums.weight == 0) accounts_.erase(thread.number);
  }
}

std::vector<CalibrationGroup> Calibration::End(const BytesReading& reading) {
  Apply(reading);
  for (const ThreadBytes& thread : reading.running) {
    Settle(thread);
    accounts_[thread.number].is_running = true;
  }
  std::vector<CalibrationGroup> groups = Groups();
  for (auto it = accounts_.begin(); it != accounts_.end();) {
    Account& account = it->second;
    const bool is_done = !account.is_running && account.sums.weight == 0;
    account.is_running = false;
    account.scale = account.group == kUnread ? Scale() : GroupOf(account.group).scale;
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
  for (const auto& [number, sample] : std::exchange(early_, {})) Add(number, sample);
  return groups;
}

// Toward 1 where little is known. Of objects that were sampled for certain nothing is scaled.
double Calibration::Ratio(const CalibrationGroup& group, double expected) const {
  const double prior = kPriorIntervals * longest_;
  const double exact = std::max(0.0, static_cast<double>(group.exact) - group.sums.own);
  return (exact + prior * expected) / (group.sums.weight - group.sums.own + prior);
}

// Threads whose VM threads have had the same address have had the same first gap: they are one
// draw, and two draws that share a hash count as one. Their spread says how much more the estimate
// is off than it would be by independent samples.
void Calibration::SetScale(Bin& bin) const {
  CalibrationGroup& group = bin.group;
  const double prior = kPriorIntervals * longest_;
  group.scale.ratio = Ratio(group, (bin.past_exact + prior) / (bin.past_estimate + prior));
  bin.past_exact += std::max(0.0, static_cast<double>(group.exact) - group.sums.own);
  bin.past_estimate += group.sums.weight - group.sums.own;
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

std::vector<CalibrationGroup> Calibration::Groups() {
  std::vector<CalibrationGroup> groups;
  for (size_t i = 0; i < kBins; ++i) {
    if (bins_[i].group.threads == 0) continue;
    SetScale(bins_[i]);
    bins_[i].group.name = NameOf(i, interval_);
    groups.push_back(bins_[i].group);
  }
  for (CalibrationGroup& single : singles_) {
    single.scale.ratio = Ratio(single, 1);
    groups.push_back(single);
  }
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
  static_cast<void>(End(reading));
  total_ = sums;
  exact_ = exact;
}

}  // namespace jprof
