// PartWithin: the part of a sample that lies in a window of time. Thread-safe: no state.
#pragma once

#include "profile/profile.h"

namespace jprof::profile {

// Of a sample that lies partly in [window.from_ns, window.to_ns) its part, with the time that it
// covers there, rounded so that the values of adjacent windows add up to the sample's. A part with
// a value counts as one sample at least. Of a sample outside no weight.
Sample PartWithin(const Sample& sample, Interval window);

}  // namespace jprof::profile
