// Calibration: scales estimates of allocated bytes by the exact counters of threads, in groups of
// threads whose samples are off by a common ratio (README.md). A period ends with a reading of all
// threads, and its ratios are for the samples added since the end before. The scaled samples of a
// period and its Unseen bytes add up to what the counters have.
//
// One thread at a time.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engines/alloc/watched_threads.h"

namespace jprof {

// Sums of samples; bytes.
struct AllocationSums {
  uint64_t samples = 0;
  double weight = 0;    // S/p: the estimate
  double own = 0;       // S: the sampled objects themselves
  double variance = 0;  // of the estimate; bytes^2

  void Add(const AllocationSums& other);
};

// How the weight of a sample is scaled: its object's own bytes are certain, the others that it
// stands for are not.
struct Scale {
  double ratio = 1;   // of the bytes of other objects
  double own = 1;     // of its object's: less where they were counted a period earlier
  double design = 1;  // of the standard error: samples of new threads depend on each other

  double Weight(double weight, double own_bytes) const {
    return own * own_bytes + ratio * (weight - own_bytes);
  }
  double Error(double standard_error) const { return ratio * design * standard_error; }
};

// Bytes of a period that the counters have and no sample stands for.
struct Unseen {
  double not_announced = 0;  // the JVM samples them, and keeps the samples to itself
  double error = 0;          // standard error of not_announced
  double not_sampled = 0;    // of threads with too few samples to scale
};

struct CalibrationGroup {
  std::string name;
  SampledThread thread = {};  // if it is a single one; as the next
  uint32_t key = 0;           // as it was in the reading
  uint64_t threads = 0;
  AllocationSums sums = {};
  uint64_t exact = 0;  // bytes
  double others = 0;   // of these, bytes of objects that were not sampled
  Scale scale = {};
};

class Calibration {
 public:
  // A thread of as many intervals in a period is a group of its own: that many samples of small
  // objects, so its ratio is known to 13 %.
  static constexpr int64_t kSingleIntervals = 64;
  // Groups whose samples stand for fewer intervals of other objects share a ratio.
  static constexpr double kFewestIntervals = 8;
  // Their ratio is no larger, nor is that of a thread by itself: so many more bytes than samples
  // have another cause than chance.
  static constexpr double kMostRatio = 4;
  // Carriers of virtual threads that have allocated so many standard errors more than their samples
  // say, and kFewestIntervals, have allocated what the JVM does not announce: stacks of virtual
  // threads that park.
  static constexpr double kMostErrors = 4;
  // With more than these what is missing is no part of the samples' ratio either.
  static constexpr double kMostErrorsByChance = 2;

  // REQUIRES: interval_bytes > 0.
  explicit Calibration(int64_t interval_bytes)
      : interval_(static_cast<double>(interval_bytes)), longest_(interval_) {}

  // Samples of this period stand for objects at this interval, which may be longer.
  void SampledEvery(int64_t interval_bytes) {
    longest_ = std::max(longest_, static_cast<double>(interval_bytes));
  }

  // A sample, or a loss, of a thread in this period. Its bytes may be in the counter of the period
  // before or after: the JVM counts an object before it makes it, and then hands out the sample.
  void Add(uint32_t number, const AllocationSums& sample) { accounts_[number].sums.Add(sample); }

  // Threads that were found or have ended. All samples of the latter have been added.
  void Apply(const BytesReading& changes);

  enum class IsLast : bool { kNo, kYes };

  // Ends the period. Returns the groups that had threads or samples; the last is the total.
  std::vector<CalibrationGroup> End(const BytesReading& reading, IsLast is_last);

  // The scale of a thread's samples in the period that has ended, and what they lack.
  Scale ScaleOf(uint32_t number) const;
  const Unseen& unseen() const { return unseen_; }

  // Begins anew: samples since the last end are not known.
  void Restart(const BytesReading& reading);

  // Of all periods that have ended.
  const AllocationSums& sums() const { return total_; }
  uint64_t exact() const { return exact_; }

 private:
  static constexpr size_t kSizes = 6;
  static constexpr size_t kCarriers = 2 * kSizes;  // the group of carriers of virtual threads
  static constexpr size_t kBins = kCarriers + 1;
  static constexpr size_t kUnread = SIZE_MAX;  // no reading of its bytes
  static constexpr size_t kDraws = 256;

  // A thread that runs, or has samples in this period or the one that has ended.
  struct Account {
    bool is_running = false;
    bool is_old = false;     // it was found running
    uint64_t first = 0;      // bytes when it was found; 0: it started later
    uint64_t last = 0;       // at the last reading
    double debt = 0;         // bytes of samples that no reading has had yet
    double own_scale = 1;    // Scale::own
    AllocationSums sums;     // in this period
    size_t group = kUnread;  // in this period
    Scale scale;             // in the one that has ended
  };
  // The threads whose addresses have the same hash.
  struct Draw {
    double weight = 0;
    double exact = 0;
  };
  // Threads that are alike.
  struct Bin {
    CalibrationGroup group;
    std::array<Draw, kDraws> draws;
  };

  // The groups that share a ratio, and what they have of objects that were not sampled.
  struct Few {
    std::vector<CalibrationGroup*> groups;
    double others = 0;    // bytes, by the counters
    double estimate = 0;  // by the samples
  };

  void Settle(const ThreadBytes& thread, IsLast is_last);
  void SetRatioOfSingle(CalibrationGroup& single);
  size_t BinOf(const Account& account) const;
  CalibrationGroup& GroupOf(size_t number);
  static void SetDesign(Bin& bin);
  void SetRatios();
  void SetRatio(CalibrationGroup& group);
  void SetRatioOfCarriers();
  std::vector<CalibrationGroup> Groups();

  const double interval_;
  double longest_;                                  // interval of a sample in this period
  std::unordered_map<uint32_t, Account> accounts_;  // by number
  std::array<Bin, kBins> bins_;                     // groups 0 to kBins - 1
  std::vector<CalibrationGroup> singles_;           // and from kBins on
  double carriers_gap_ = 0;                         // bytes of carriers that no sample told, so far
  double carriers_variance_ = 0;                    // of that
  bool are_some_not_announced_ = false;             // the gap has exceeded kMostErrors
  double pending_ = 0;  // bytes of the period before that no sample told: one may follow
  double gap_ = 0;      // the same of this period
  Few few_;             // used by SetRatios alone
  Unseen unseen_;       // of the period that has ended
  AllocationSums total_;
  uint64_t exact_ = 0;
};

}  // namespace jprof
