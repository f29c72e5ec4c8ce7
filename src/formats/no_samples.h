// ExplainNoSamples says why a requested event has no samples in a recording, and what to do about
// it. Thread-safe: no state.
#pragma once

#include <string>

#include "profile/profile.h"

namespace jprof {

// Returns the reason and the remedy as one line. REQUIRES: `kind` is one of profile.kinds and has
// no samples.
std::string ExplainNoSamples(const profile::Profile& profile, const profile::SampleKind& kind);

}  // namespace jprof
