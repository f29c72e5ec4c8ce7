// WaitTotals: the exact number and time of all waits since the start, by type: sampled or not.
//
// Add: in callbacks of the JVM, any thread, without a lock. Of: any thread. The cells are many so
// that threads seldom share one.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/wait_type.h"
#include "jfr/writer/jfr_writer.h"
#include "sigsafe/base/types.h"

namespace jprof {

// kRelaxed: the memory order of values that publish no other value.
inline constexpr auto kRelaxed = std::memory_order_relaxed;

struct WaitSums {
  uint64_t waits = 0;
  uint64_t total_ns = 0;
  uint64_t short_waits = 0;  // the part of them below the interval
  uint64_t short_ns = 0;
  uint64_t longest_ns = 0;

  void Add(const WaitSums& other);
};

// Any thread. relaxed: plain counters.
class WaitCell {
 public:
  // REQUIRES: waited_ns >= 0.
  void Add(Nanos waited_ns, Nanos interval_ns);
  WaitSums Read() const;
  void Clear();

 private:
  std::atomic<uint64_t> short_waits_{0};  // below the interval
  std::atomic<uint64_t> short_ns_{0};
  std::atomic<uint64_t> long_waits_{0};  // all others
  std::atomic<uint64_t> long_ns_{0};
  std::atomic<uint64_t> longest_ns_{0};
};

class WaitTotals {
 public:
  // `spread`: chooses the cell; the number of the thread. REQUIRES: waited_ns >= 0.
  void Add(WaitType type, Nanos waited_ns, Nanos interval_ns, int64_t spread);

  WaitSums Of(WaitType type) const;
  void Clear();

 private:
  static constexpr size_t kCells = 16;

  struct alignas(64) Cell : WaitCell {};

  Cell cells_[kWaitTypeCount][kCells];
};

// What the exact sums of waits look like: for the answers to stop and status, and in a recording.
//
// Any thread; WriteWaitCounters: the recorder's.
using WaitSumsByType = std::array<WaitSums, kWaitTypeCount>;

// A line for each type that has waits. `interval_ns`: below it waits are short.
std::vector<std::string> WaitLines(const WaitSumsByType& all, Nanos interval_ns);

// The same as profiler.Counter.
void WriteWaitCounters(const WaitSumsByType& all, Nanos now_ns, JfrWriter& writer);

}  // namespace jprof
