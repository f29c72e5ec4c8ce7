#include "support/sanitizer.h"
#include "threads/thread_lives.h"

namespace jprof::test {
namespace {

class ThreadLivesStressTest : public ThreadLivesTest {};

// The lives of threads. Under a sanitizer there are fewer, because each takes ten times as long.
constexpr int kLives = kUnderSanitizer ? 1'000'000 : 10'000'000;

TEST_F(ThreadLivesStressTest, MillionsOfLivesNeitherLoseNorShareSlots) { LiveThrough(kLives); }

}  // namespace
}  // namespace jprof::test
