// SampledStates estimates how long a thread was in each state, from its samples of elapsed time.
// LifeState is a state of a thread, and StateTime is the time that a thread was in a state.
//
// Plain values and functions without state, usable on any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "profile/profile.h"

namespace jprof {

// The state of a thread at a moment of its life.
enum class LifeState : uint8_t {
  kCpu,
  kRunnable,
  kBlocked,  // monitor enter
  kWaiting,  // Object.wait
  kParked,
  kSleeping,
  kIo,
  kSafepoint,
  kUnattributed,
};
inline constexpr std::array<const char*, 9> kLifeStateNames = {
    "cpu",      "runnable", "blocked",   "waiting",     "parked",
    "sleeping", "io",       "safepoint", "unattributed"};
inline constexpr size_t kLifeStates = kLifeStateNames.size();

// The sources of a time, as a set of the bits below.
using StateSources = uint8_t;
inline constexpr StateSources kOfCounters = 1;  // counters of the kernel
inline constexpr StateSources kOfLockEvents = 2;
inline constexpr StateSources kOfWallSamples = 4;
inline constexpr StateSources kOfCpuSamples = 8;
inline constexpr StateSources kOfWaitSums = 16;  // sums of all waits of a thread
inline constexpr StateSources kOfProbes = 32;    // probes of virtual threads
inline constexpr StateSources kOfRest = 64;      // the lifetime minus all other states

struct StateTime {
  double ns = 0;        // a whole number
  double variance = 0;  // 0 if the time is exact
  StateSources sources = 0;
};

// The time in each LifeState.
using StateTimes = std::array<StateTime, kLifeStates>;

// A sample of elapsed time, which stands for `interval`.
struct SampledInterval {
  uint32_t thread, kind, state;  // numbers of the profile
  uint32_t stack;                // node of Profile::stacks; the root after MarkSafepoints
  profile::Interval interval;
  bool is_at_safepoint = false;  // the thread waited for the end of a safepoint
};

// Sets is_at_safepoint of the samples, and sets their stacks to the root.
void MarkSafepoints(const profile::Profile& profile, std::span<SampledInterval> samples);

// Returns the length of the intersection of `a` and `b` in nanoseconds.
double Overlap(profile::Interval a, profile::Interval b);

// When the agent notices that a thread no longer sleeps: late for a platform thread, which it looks
// at less and less often, and at once for a virtual thread.
enum class SleepEnd : uint8_t { kSeenLate, kSeenAtOnce };

// Returns the time of a thread in each state within `life`, with the variance that is due to
// sampling. [first, last) are the samples of the thread. REQUIRES: the samples are in the order of
// their ends, and MarkSafepoints was called for them.
StateTimes SampledStates(const profile::Profile& profile, const SampledInterval* first,
                         const SampledInterval* last, profile::Interval life,
                         SleepEnd sleep_end = SleepEnd::kSeenLate);

}  // namespace jprof
