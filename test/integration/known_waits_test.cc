// The waits of threads that know the owner, the time and the waker.
#include "integration/known_waits.h"

namespace jprof::test {
namespace {

class KnownWaitsTest : public KnownWaitsFixture {};
JPROF_ON_EVERY_JDK(KnownWaitsTest);

TEST_P(KnownWaitsTest, OwnersAndWakersAreThoseThatTheThreadsKnow) {
  for (auto& [kind, known] : Compare("platform", {"monitor", "fresh", "reentrant", "park"})) {
    EXPECT_GE(known.owned * 10, kind == "park" ? 0 : known.waits * 9) << kind;
    EXPECT_GE(known.woken * 10, IsPark(kind) ? known.waits * 9 : 0) << kind;
    // On a busy machine threads can wait for a processor between the two clocks, but not in every
    // round.
    ASSERT_GE(known.excesses.size(), kRounds / 2) << kind;
    EXPECT_LE(known.excesses.front(), kMilli) << kind;
  }
}

}  // namespace
}  // namespace jprof::test
