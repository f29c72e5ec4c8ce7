#include "threads/thread_lives.h"

namespace jprof::test {
namespace {

TEST_F(ThreadLivesTest, AHundredThousandLivesLoseNoRecordShareNoneAndLeaveNothingBehind) {
  LiveThrough(100'000);
}

}  // namespace
}  // namespace jprof::test
