// What a thread did, by its samples of elapsed time. Thread-safe: no state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "profile/profile.h"

namespace jprof {

// LifeState: what a thread does at a moment of its life; and for how long it did. Plain values: any
// thread.
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

// What a time is known by: a set.
using StateSources = uint8_t;
inline constexpr StateSources kOfCounters = 1;  // of the kernel
inline constexpr StateSources kOfLockEvents = 2;
inline constexpr StateSources kOfWallSamples = 4;
inline constexpr StateSources kOfCpuSamples = 8;
inline constexpr StateSources kOfWaitSums = 16;  // all waits, by thread
inline constexpr StateSources kOfProbes = 32;    // in virtual threads
inline constexpr StateSources kOfRest = 64;      // the lifetime less all others

struct StateTime {
  double ns = 0;        // a whole number
  double variance = 0;  // 0: exact
  StateSources sources = 0;
};

// By LifeState.
using StateTimes = std::array<StateTime, kLifeStates>;

// A sample that stands for the time before it. The numbers are those of the profile.
struct SampledInterval {
  uint32_t thread, kind, state;
  uint32_t stack;  // the root once is_at_safepoint is known
  profile::Interval interval;
  bool is_at_safepoint = false;  // the thread waited in the VM for the end of a safepoint
};

// Finds out which samples are at a safepoint, and takes their stacks away.
void MarkSafepoints(const profile::Profile& profile, std::span<SampledInterval> samples);

// How much of one is in the other, in nanoseconds.
double Overlap(profile::Interval a, profile::Interval b);

// The times within `life` of the samples of one thread from `first` on, in the order of their ends,
// with the errors of the sampling.
// REQUIRES: MarkSafepoints has seen them.
StateTimes SampledStates(const profile::Profile& profile, const SampledInterval* first,
                         const SampledInterval* last, profile::Interval life);

}  // namespace jprof
