// LifeState: what a thread does at a moment of its life; and for how long it did. Plain values: any
// thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace jprof {

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

}  // namespace jprof
