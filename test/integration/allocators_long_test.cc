// Allocators and heap profilers of other projects that lock, unwind and sample themselves.
#include <filesystem>

#include "integration/allocator_test.h"

namespace jprof::test {
namespace {

using std::chrono::seconds;

class AllocatorsLongTest : public AllocatorTest {
 protected:
  void RecordBeside(const std::string& library, const Environment& environment, seconds time) {
    const std::string path = "/usr/lib/" JPROF_LIBRARY_FOLDER "/" + library;
    if (!std::filesystem::exists(path)) {
      GTEST_SKIP() << "no " << path << ": scripts/bootstrap --dev";
    }
    ExpectRecordings(RunBeside(path, environment, time));
  }
};
JPROF_ON_EVERY_JDK(AllocatorsLongTest);

TEST_P(AllocatorsLongTest, HeapProfilerOfGperftools) {
  RecordBeside("libtcmalloc.so.4", {{"HEAPPROFILE", Path("heap")}}, seconds(60));
}

TEST_P(AllocatorsLongTest, CpuProfilerOfGperftools) {
  RecordBeside("libtcmalloc_and_profiler.so.4", {{"CPUPROFILE", Path("cpu")}}, seconds(20));
}

TEST_P(AllocatorsLongTest, Tcmalloc) { RecordBeside("libtcmalloc.so.4", {}, seconds(20)); }

TEST_P(AllocatorsLongTest, JemallocWithBackgroundThreadsAndProfiling) {
  const std::string settings =
      "background_thread:true,dirty_decay_ms:10,prof:true,lg_prof_sample:10";
  RecordBeside("libjemalloc.so.2", {{"MALLOC_CONF", settings}}, seconds(20));
}

TEST_P(AllocatorsLongTest, Mimalloc) { RecordBeside("libmimalloc.so.2", {}, seconds(20)); }

}  // namespace
}  // namespace jprof::test
