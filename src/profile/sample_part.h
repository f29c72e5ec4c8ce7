// PartWithin: computes the part of a sample that lies in a window of time. Thread-safe: no state.
#pragma once

#include "profile/profile.h"

namespace jprof::profile {

// Returns the part of `sample` that lies in [window.from_ns, window.to_ns), with the time that it
// covers there. Values are rounded so that those of adjacent windows add up to the sample's. A part
// with a value counts as at least one sample; a sample outside the window has no weight.
Sample PartWithin(const Sample& sample, Interval window);

}  // namespace jprof::profile
