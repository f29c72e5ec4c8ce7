// LatencyHistogram has the durations of the calls to a method, in the cells that
// java/MethodProbes.java counts in. Each factor of two of the duration has 64 cells, so that a
// duration read from a cell is off by less than 1 %.
//
// A plain value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sigsafe/base/types.h"

namespace jprof {

class LatencyHistogram {
 public:
  static constexpr size_t kCells = 59 * 64;

  LatencyHistogram() = default;
  // REQUIRES: `counts` has kCells counts.
  explicit LatencyHistogram(std::span<const int64_t> counts);

  // Returns the cell of a duration. Cell c has the durations from LowestOf(c) up to, but not
  // including, LowestOf(c + 1).
  static size_t CellOf(Nanos duration);
  static Nanos LowestOf(size_t cell);

  uint64_t calls() const { return calls_; }

  // Returns the duration that `share` of the calls did not exceed, as the middle of its cell; 0
  // without calls. REQUIRES: 0 < share <= 1.
  Nanos Quantile(double share) const;

  // Returns the lowest duration of each cell that has calls, and the number of its calls, such as
  // "1200:3 1216:17".
  std::string Text() const;

 private:
  struct LatencyCount {
    uint32_t index;
    uint64_t count;
  };

  std::vector<LatencyCount> cells_;  // cells with calls, ascending
  uint64_t calls_ = 0;
};

}  // namespace jprof
