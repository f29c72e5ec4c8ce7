// WaitTotals holds the exact number and time of all waits since the start, sampled or not, for each
// type of wait. WaitLines describes these sums for the answers to the commands `stop` and `status`;
// WriteWaitCounters writes them to the recording.
//
// WaitTotals::Add is called on any thread, also in callbacks of the JVM, and takes no lock.
// WriteWaitCounters is called on the recorder's thread; the other functions may be called on any
// thread.
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

// The memory order of atomics that publish no other value.
inline constexpr auto kRelaxed = std::memory_order_relaxed;

struct WaitSums {
  uint64_t waits = 0;
  uint64_t total_ns = 0;
  uint64_t short_waits = 0;  // number of waits that were shorter than the interval
  uint64_t short_ns = 0;     // total time of the waits that were shorter than the interval
  uint64_t longest_ns = 0;

  void Add(const WaitSums& other);
};

// WaitCell holds the sums for a part of all waits. Thread-safe. relaxed: the members are plain
// counters.
class WaitCell {
 public:
  // REQUIRES: waited_ns >= 0.
  void Add(Nanos waited_ns, Nanos interval_ns);
  WaitSums Read() const;
  void Clear();

 private:
  std::atomic<uint64_t> short_waits_{0};  // number of waits below the interval
  std::atomic<uint64_t> short_ns_{0};     // total time of the waits below the interval
  std::atomic<uint64_t> long_waits_{0};   // number of waits of at least the interval
  std::atomic<uint64_t> long_ns_{0};      // total time of the waits of at least the interval
  std::atomic<uint64_t> longest_ns_{0};
};

class WaitTotals {
 public:
  // Adds a wait. `spread` is a number that differs between threads. It selects the cell, so that
  // two threads seldom write to the same cell. REQUIRES: waited_ns >= 0.
  void Add(WaitType type, Nanos waited_ns, Nanos interval_ns, int64_t spread);

  WaitSums Of(WaitType type) const;
  void Clear();

 private:
  static constexpr size_t kCells = 16;

  struct alignas(64) Cell : WaitCell {};

  Cell cells_[kWaitTypeCount][kCells];
};

using WaitSumsByType = std::array<WaitSums, kWaitTypeCount>;

// Returns a line of text for each type that has waits. `interval_ns` is the interval below which
// waits were counted as short.
std::vector<std::string> WaitLines(const WaitSumsByType& all, Nanos interval_ns);

// Writes the sums of each type that has waits, as events profiler.Counter.
void WriteWaitCounters(const WaitSumsByType& all, Nanos now_ns, JfrWriter& writer);

}  // namespace jprof
