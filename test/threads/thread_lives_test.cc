#include "threads/thread_lives.h"

namespace jprof::test {
namespace {

TEST_F(ThreadLivesTest, LosesAndSharesNoSlotInAHundredThousandLives) { LiveThrough(100'000); }

}  // namespace
}  // namespace jprof::test
