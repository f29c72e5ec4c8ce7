// Calibration scales estimates of allocated bytes by the exact counters of threads. It does so in
// groups of threads whose samples are off by a common ratio (README.md). A period ends with a
// reading of the counters of all threads. The reading yields a ratio for each group, by which the
// samples of the period are scaled. The scaled samples of a period and its Unseen bytes add up to
// the bytes that the counters show for the period.
//
// Used by one thread at a time.
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

// Sums of samples, in bytes. S and p are those of ObjectWeight.
struct AllocationSums {
  uint64_t samples = 0;
  double weight = 0;    // sum of S/p, which estimates the allocated bytes
  double own = 0;       // sum of S, the bytes of the sampled objects themselves
  double variance = 0;  // variance of the estimate, in bytes^2

  void Add(const AllocationSums& other);
};

// The factors by which a sample is scaled. The bytes of the sampled object are certain. The bytes
// of the other objects that the sample stands for are an estimate.
struct Scale {
  double ratio = 1;  // factor of the bytes of the other objects
  // Factor of the bytes of the sampled object. Below 1 if an earlier period has counted a part of
  // these bytes.
  double own = 1;
  // Factor of the standard error. Above 1 if the samples of threads depend on each other.
  double design = 1;

  double Weight(double weight, double own_bytes) const {
    return own * own_bytes + ratio * (weight - own_bytes);
  }
  double Error(double standard_error) const { return ratio * design * standard_error; }
};

// The bytes that the counters include in a period, but that no sample stands for.
struct Unseen {
  double not_announced = 0;  // bytes of objects for which the JVM sends no events
  double error = 0;          // standard error of not_announced
  double not_sampled = 0;    // bytes of threads with too few samples to scale
};

// Threads whose samples are scaled by one ratio, with their sums in a period.
struct CalibrationGroup {
  std::string name;
  SampledThread thread = {};  // the only thread; none if there are several
  uint32_t key = 0;           // ThreadBytes::key of the only thread
  uint64_t threads = 0;
  AllocationSums sums = {};
  uint64_t exact = 0;  // bytes by the counters
  double others = 0;   // part of `exact` for objects that were not sampled
  Scale scale = {};
};

class Calibration {
 public:
  // A thread that allocates at least this many intervals of bytes in a period is a group by itself.
  // If its objects are small, it has about one sample for each interval, so the standard error of
  // its ratio is 13 % or less.
  static constexpr int64_t kSingleIntervals = 64;
  // Groups share a ratio if the objects that were not sampled amount to fewer intervals than this,
  // as estimated from the samples of the group.
  static constexpr double kFewestIntervals = 8;
  // Caps the ratio that groups share, and the ratio of a thread by itself: if the counters exceed
  // the samples by a larger factor, the cause is not chance.
  static constexpr double kMostRatio = 4;
  // If the counters of the carriers of virtual threads exceed the estimate from their samples by
  // more than this many standard errors plus kFewestIntervals intervals, the excess is attributed
  // to objects for which the JVM sends no events: the stacks of virtual threads that park.
  static constexpr double kMostErrors = 4;
  // If the carriers' counters exceed the estimate by more than this many standard errors, the
  // samples of carriers are not scaled to include the excess.
  static constexpr double kMostErrorsByChance = 2;

  // REQUIRES: interval_bytes > 0.
  explicit Calibration(int64_t interval_bytes)
      : interval_(static_cast<double>(interval_bytes)), longest_(interval_) {}

  // Notes that objects of the present period were sampled at `interval_bytes`, which can be longer
  // than the constructor's interval.
  void SampledEvery(int64_t interval_bytes) {
    longest_ = std::max(longest_, static_cast<double>(interval_bytes));
  }

  // Adds a sample, or a loss, of a thread in this period. The object's bytes can be in the reading
  // at the start of this period or in the reading at its end, because the JVM counts an object
  // before it creates the object and reports the sample.
  void Add(uint32_t number, const AllocationSums& sample) { accounts_[number].sums.Add(sample); }

  // Adds the threads in `changes.found`. Adds the samples and bytes of the threads in
  // `changes.ended` to their groups. REQUIRES: all samples of the ended threads have been added.
  void Apply(const BytesReading& changes);

  enum class IsLast : bool { kNo, kYes };

  // Ends the period. Returns the groups that had threads or samples; the last element is the total
  // of all groups.
  std::vector<CalibrationGroup> End(const BytesReading& reading, IsLast is_last);

  // Returns the scale of a thread's samples in the period that the last call to End has ended.
  Scale ScaleOf(uint32_t number) const;
  // Returns the bytes of the previous period that no sample stands for.
  const Unseen& unseen() const { return unseen_; }

  // Starts a new period at the reading. Called if the samples since the last End are not known.
  // Leaves sums() and exact() unchanged.
  void Restart(const BytesReading& reading);

  // Return the sums of samples, and the exact bytes, of all periods that have ended.
  const AllocationSums& sums() const { return total_; }
  uint64_t exact() const { return exact_; }

 private:
  static constexpr size_t kSizes = 6;
  static constexpr size_t kCarriers = 2 * kSizes;  // the group of carriers of virtual threads
  static constexpr size_t kBins = kCarriers + 1;
  static constexpr size_t kUnread = SIZE_MAX;  // the group of a thread without a reading
  static constexpr size_t kDraws = 256;

  // The account of a thread. It exists while the thread runs, and while the thread has samples in
  // this period or in the one before.
  struct Account {
    bool is_running = false;
    bool is_old = false;     // true if the thread was already running when it was found
    uint64_t first = 0;      // bytes when the thread was found; 0 if the thread was seen to start
    uint64_t last = 0;       // bytes at the last reading
    double debt = 0;         // bytes of sampled objects that the counter does not include yet
    double own_scale = 1;    // Scale::own for this period
    AllocationSums sums;     // samples of this period
    size_t group = kUnread;  // group in this period
    Scale scale;             // scale in the previous period
  };
  // The sums of the threads that share a hash of ThreadBytes::address.
  struct Draw {
    double weight = 0;
    double exact = 0;
  };
  // A group of threads that are similar in age and in the bytes that they have allocated.
  struct Bin {
    CalibrationGroup group;
    std::array<Draw, kDraws> draws;
  };

  // The groups that share a ratio, and their bytes of objects that were not sampled.
  struct Few {
    std::vector<CalibrationGroup*> groups;
    double others = 0;    // bytes by the counters
    double estimate = 0;  // bytes by the samples
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
  double longest_;                                  // longest interval of a sample in this period
  std::unordered_map<uint32_t, Account> accounts_;  // keyed by number of the thread
  std::array<Bin, kBins> bins_;                     // groups 0 to kBins - 1
  std::vector<CalibrationGroup> singles_;           // groups from kBins on
  double carriers_excess_ = 0;  // bytes of carriers beyond the estimate from their samples, so far
  double carriers_variance_ = 0;         // variance of carriers_excess_
  bool are_some_not_announced_ = false;  // true once carriers_excess_ has been above its limit
  double pending_ = 0;    // bytes of the previous period whose samples might still come
  double unsampled_ = 0;  // bytes of this period whose samples might still come
  Few few_;               // used only by SetRatios
  Unseen unseen_;         // bytes of the previous period that no sample stands for
  AllocationSums total_;
  uint64_t exact_ = 0;
};

}  // namespace jprof
