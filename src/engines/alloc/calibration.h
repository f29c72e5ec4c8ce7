// Calibration: scales estimates of allocated bytes by the exact counters of threads, in groups of
// threads whose samples are off by a common ratio (README.md). A period ends with a reading of all
// threads, and its ratios are for the samples added since the end before.
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

#include "engines/alloc/thread_bytes.h"

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
  double design = 1;  // of the standard error: samples of new threads depend on each other

  double Weight(double weight, double own) const { return own + ratio * (weight - own); }
  double Error(double standard_error) const { return ratio * design * standard_error; }
};

struct CalibrationGroup {
  std::string name;
  SampledThread thread = {};  // if it is a single one; as the next
  uint32_t key = 0;           // as it was in the reading
  uint64_t threads = 0;
  AllocationSums sums = {};
  uint64_t exact = 0;  // bytes
  Scale scale = {};
};

class Calibration {
 public:
  // A thread of as many intervals in a period is a group of its own: that many samples of small
  // objects, so its ratio is known to 13 %.
  static constexpr int64_t kSingleIntervals = 64;

  // REQUIRES: interval_bytes > 0.
  explicit Calibration(int64_t interval_bytes)
      : interval_(static_cast<double>(interval_bytes)), longest_(interval_) {}

  // Samples of this period stand for objects at this interval, which may be longer.
  void SampledEvery(int64_t interval_bytes) {
    longest_ = std::max(longest_, static_cast<double>(interval_bytes));
  }

  // A sample, or a loss, of a thread in this period.
  void Add(uint32_t number, const AllocationSums& sample) { accounts_[number].sums.Add(sample); }
  // Of the next: it is later than the reading that ends this period.
  void AddEarly(uint32_t number, const AllocationSums& sample) {
    early_.push_back({number, sample});
  }

  // Threads that were found or have ended. All samples of the latter have been added.
  void Apply(const BytesReading& changes);

  // Ends the period. The groups that had threads or samples; the last is the total.
  std::vector<CalibrationGroup> End(const BytesReading& reading);

  // The scale of a thread's samples in the period that has ended.
  Scale ScaleOf(uint32_t number) const;

  // Begins anew: samples since the last end are not known.
  void Restart(const BytesReading& reading);

  // Of all periods that have ended.
  const AllocationSums& sums() const { return total_; }
  uint64_t exact() const { return exact_; }

 private:
  static constexpr size_t kSizes = 6;
  static constexpr size_t kBins = 2 * kSizes;
  static constexpr size_t kUnread = SIZE_MAX;  // no reading of its bytes
  static constexpr size_t kDraws = 256;

  // A thread that runs, or has samples in this period or the one that has ended.
  struct Account {
    bool is_running = false;
    bool is_old = false;     // it was found running
    uint64_t first = 0;      // bytes when it was found; 0: it started later
    uint64_t last = 0;       // at the last reading
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
    double past_estimate = 0, past_exact = 0;  // of other objects' bytes, in earlier periods
  };

  void Settle(const ThreadBytes& thread);
  size_t BinOf(const Account& account) const;
  CalibrationGroup& GroupOf(size_t number);
  double Ratio(const CalibrationGroup& group, double expected) const;
  void SetScale(Bin& bin) const;
  std::vector<CalibrationGroup> Groups();

  const double interval_;
  double longest_;                                  // interval of a sample in this period
  std::unordered_map<uint32_t, Account> accounts_;  // by number
  std::vector<std::pair<uint32_t, AllocationSums>> early_;
  std::array<Bin, kBins> bins_;            // groups 0 to kBins - 1
  std::vector<CalibrationGroup> singles_;  // and from kBins on
  AllocationSums total_;
  uint64_t exact_ = 0;
};

}  // namespace jprof
