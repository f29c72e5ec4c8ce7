// What a thread did, by its samples of elapsed time. Thread-safe: no state.
#pragma once

#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "views/life_states.h"

namespace jprof {

// A sample that stands for the time before it. The numbers are those of the profile.
struct SampledInterval {
  uint32_t thread, kind, state, stack;
  profile::TimeSpan span;
};

// By node of Profile::stacks: whether the thread waited in the VM for the end of a safepoint.
using StackMarks = std::vector<bool>;
StackMarks StacksAtSafepoint(const profile::Profile& profile);

// How much of one is in the other, in nanoseconds.
double Overlap(profile::TimeSpan a, profile::TimeSpan b);

// The times within `life` of the samples of one thread from `first` on, in the order of their ends,
// with the errors of the sampling.
StateTimes SampledStates(const profile::Profile& profile, const StackMarks& at_safepoint,
                         const SampledInterval* first, const SampledInterval* last,
                         profile::TimeSpan life);

}  // namespace jprof
