// The owners of locks while collectors move the locks, and the owners of locks of virtual threads.
#include "integration/known_waits.h"

namespace jprof::test {
namespace {

class KnownWaitsLongTest : public KnownWaitsFixture {};
JPROF_ON_EVERY_JDK(KnownWaitsLongTest);

// Under lightweight locking the owners of "fresh" locks are found by the addresses of the locks.
TEST_P(KnownWaitsLongTest, OwnersAreRightWhileTheLocksAreMoved) {
  for (const char* collector : {"Serial", "Parallel", "G1"}) {
    SCOPED_TRACE(collector);
    const std::string option = std::string("-XX:+Use") + collector + "GC";
    const auto known = Compare("platform", {"fresh"}, {option, "-Xmx64m", "-Dcollect=true"});
    EXPECT_GE(known.at("fresh").owned * 10, known.at("fresh").waits * 9);
  }
}

TEST_P(KnownWaitsLongTest, OwnersAreRightUnderAConcurrentCollector) {
  const auto known =
      Compare("platform", {"fresh", "monitor"},
              {"-XX:+UnlockExperimentalVMOptions", "-XX:+UseZGC", "-Xmx64m", "-Dcollect=true"});
  EXPECT_GE(known.at("monitor").owned * 10, known.at("monitor").waits * 9);
}

class KnownWaitsOfVirtualThreadsTest : public KnownWaitsFixture {};
JPROF_ON_JDKS_FROM(kFirstMajorWithOwnerIds, KnownWaitsOfVirtualThreadsTest);

// The owner of a monitor is found only if it has a carrier, which it lacks in the first round of
// "monitor" and in all rounds of "fresh".
TEST_P(KnownWaitsOfVirtualThreadsTest, OwnersAndWakersAreThoseThatTheThreadsKnow) {
  for (auto& [kind, known] : Compare("virtual", {"monitor", "fresh", "reentrant", "park"})) {
    EXPECT_GE(known.owned * 10, kind == "park" || kind == "fresh" ? 0 : known.waits * 9) << kind;
    EXPECT_GE(known.woken * 10, IsPark(kind) ? known.waits * 9 : 0) << kind;
  }
}

}  // namespace
}  // namespace jprof::test
