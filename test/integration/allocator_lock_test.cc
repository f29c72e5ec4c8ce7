// The program's allocator takes a lock; another thread wants the dynamic linker's lock while it
// holds the allocator's. No walk of the profiler through the loaded objects waits for the
// allocator.
#include "integration/allocator_test.h"

namespace jprof::test {
namespace {

class AllocatorLockTest : public AllocatorTest {
 protected:
  static std::string Allocator() { return NativeLibraryFolder() + "/liblocking_malloc.so"; }
};
JPROF_ON_EVERY_JDK(AllocatorLockTest);

TEST_P(AllocatorLockTest, NoWalkWaitsForTheAllocator) {
  const ProcessResult run = RunBeside(Allocator());
  ExpectRecordings(run);
  EXPECT_GT(ProgramOutput(run.err).Number("locking_malloc.meetings"), kEngineCount) << run.err;
}

TEST_P(AllocatorLockTest, NoWalkAllocatesOrFrees) {
  ExpectRecordings(RunBeside(Allocator(), {{"JPROF_MALLOC_IN_WALK", "abort"}}));
}

}  // namespace
}  // namespace jprof::test
