// The waits of threads that know the true owner, duration and waker.
#include "integration/known_waits.h"

namespace jprof::test {
namespace {

class KnownWaitsTest : public KnownWaitsFixture {};
JPROF_ON_EVERY_JDK(KnownWaitsTest);

TEST_P(KnownWaitsTest, OwnersAndWakersAreThoseThatTheThreadsKnow) {
  for (auto& [kind, known] : Compare("platform", {"monitor", "fresh", "reentrant", "park"})) {
    EXPECT_GE(known.owned * 10, kind == "park" ? 0 : known.waits * 9) << kind;
    EXPECT_GE(known.woken * 10, IsPark(kind) ? known.waits * 9 : 0) << kind;
    // On a busy machine a thread can wait for a processor between its own reading of the clock and
    // ours, but this does not happen in every round.
    ASSERT_GE(known.excesses.size(), kRounds / 2) << kind;
    EXPECT_LE(known.excesses.front(), kMilli) << kind;
  }
}

}  // namespace
}  // namespace jprof::test
