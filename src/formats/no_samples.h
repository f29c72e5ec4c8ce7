// ExplainNoSamples: why a requested event has no samples in a recording, and the remedy. Thread-safe: no
// state.
#pragma once

#include <string>

#include "profile/profile.h"

namespace jprof {

// Returns the reason and the remedy as one line. REQUIRES: `kind` belongs to `profile` and has no
// samples.
std::string ExplainNoSamples(const profile::Profile& profile, const profile::SampleKind& kind);

}  // namespace jprof
