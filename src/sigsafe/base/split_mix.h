// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): returns a
// random number for each state. Successive states of a sequence differ by kSplitMixStep.
//
// Async-signal-safe: no state of its own.
#pragma once

#include <cstdint>

namespace jprof {

inline constexpr uint64_t kSplitMixStep = 0x9e3779b97f4a7c15;

constexpr uint64_t SplitMix(uint64_t state) {
  state = (state ^ state >> 30) * 0xbf58476d1ce4e5b9;
  state = (state ^ state >> 27) * 0x94d049bb133111eb;
  return state ^ state >> 31;
}

// Returns a random number as a value in [0, 1).
constexpr double UniformOf(uint64_t random) { return static_cast<double>(random >> 11) * 0x1p-53; }

}  // namespace jprof
