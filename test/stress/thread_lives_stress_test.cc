#include "threads/thread_lives.h"

namespace jprof::test {
namespace {

class ThreadLivesStressTest : public ThreadLivesTest {};

TEST_F(ThreadLivesStressTest, TenMillionLivesLoseNoRecordShareNoneAndLeaveNothingBehind) {
  LiveThrough(10'000'000);
}

}  // namespace
}  // namespace jprof::test
