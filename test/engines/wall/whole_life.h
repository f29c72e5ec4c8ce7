// Checks the intervals with which the wall engine credits a thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "engines/engine_world.h"
#include "sigsafe/sampling/wall_accounting.h"

namespace jprof::test {

// Expects that a thread is credited with all intervals that began after its registration and the
// start of sampling, up to its last sample.
inline void ExpectWholeLife(const ThreadTotals& totals, Nanos registered_ns, Nanos interval_ns) {
  const Nanos begin_ns = std::max(registered_ns, Sampling().start_ns);
  const Nanos cuts =
      WallCutBefore(totals.last_ns, interval_ns) - WallCutBefore(begin_ns, interval_ns);
  EXPECT_EQ(totals.intervals, static_cast<uint64_t>(cuts / interval_ns));
  EXPECT_EQ(totals.elapsed_ns, totals.last_ns - begin_ns);
}

}  // namespace jprof::test
