// ChunkClock: the time base of a recording file. Turns CLOCK_MONOTONIC into the file's ticks.
//
// Ticks are 100 ns long and count from base_monotonic_ns: small numbers cost fewer bytes (5 up to
// 57 minutes). All chunks of a file share one clock, because JDK readers take base and frequency
// from the first chunk for the whole file. Plain value: any thread.
#pragma once

#include <cstdint>

namespace jprof {

struct ChunkClock {
  static constexpr int64_t kNanosPerTick = 100;
  static constexpr int64_t kTicksPerSecond = 1'000'000'000 / kNanosPerTick;

  int64_t start_epoch_ns = 0;     // CLOCK_REALTIME at base_monotonic_ns
  int64_t base_monotonic_ns = 0;  // tick 0

  // Both clocks, read now. The pair is consistent within the time of two clock readings.
  static ChunkClock Now();

  // Returns the tick in which a time on CLOCK_MONOTONIC lies: negative before the base.
  int64_t Ticks(int64_t monotonic_ns) const {
    const int64_t elapsed_ns = monotonic_ns - base_monotonic_ns;
    const int64_t ticks = elapsed_ns / kNanosPerTick;
    return elapsed_ns % kNanosPerTick < 0 ? ticks - 1 : ticks;
  }

  int64_t MonotonicNanos(int64_t ticks) const { return base_monotonic_ns + ticks * kNanosPerTick; }

  // Nanoseconds since the epoch at a tick; exact, so chunk starts agree with event ticks.
  int64_t EpochNanos(int64_t ticks) const { return start_epoch_ns + ticks * kNanosPerTick; }
};

}  // namespace jprof
