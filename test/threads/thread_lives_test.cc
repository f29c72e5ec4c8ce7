#include "threads/thread_lives.h"

namespace jprof::test {
namespace {

TEST_F(ThreadLivesTest, AHundredThousandLivesLoseNoSlotShareNoneAndLeaveNothingBehind) {
  LiveThrough(100'000);
}

}  // namespace
}  // namespace jprof::test
