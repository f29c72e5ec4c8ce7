// What a thread did, by its samples of elapsed time. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <span>

#include "profile/profile.h"
#include "views/life_states.h"

namespace jprof {

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
