// Checks that the wall engine's samples account for all the time of a thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "engines/engine_world.h"
#include "sigsafe/sampling/wall_accounting.h"

namespace jprof::test {

// Expects that the samples of a thread stand for all its time from its registration, or from the
// start of sampling if that is later, up to its last sample.
inline void ExpectAllTimeCredited(const ThreadTotals& totals, Nanos registered_ns,
                                  Nanos interval_ns) {
  const Nanos begin_ns = std::max(registered_ns, Sampling().start_ns);
  const Nanos cuts =
      WallCutBefore(totals.last_ns, interval_ns) - WallCutBefore(begin_ns, interval_ns);
  EXPECT_EQ(totals.intervals, static_cast<uint64_t>(cuts / interval_ns));
  EXPECT_EQ(totals.elapsed_ns, totals.last_ns - begin_ns);
}

}  // namespace jprof::test
