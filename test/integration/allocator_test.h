// AllocatorTest: runs a program whose threads allocate native memory all the time with a preloaded
// allocator, while recordings with each engine start and stop.
#pragma once

#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "support/jvm/jvm_test.h"

namespace jprof::test {

class AllocatorTest : public JvmTest {
 protected:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  static constexpr const char* kEngines[] = {"cpu=5ms,cstack=vmx",
                                             "wall=5ms",
                                             "alloc=64k",
                                             "alloc=64k,live",
                                             "lock=100us",
                                             "nativelock=100us",
                                             "trace=NativeAllocations.allocate"};
  static constexpr int kEngineCount = static_cast<int>(std::size(kEngines));

  // Makes at least one recording with each engine, and as many as start within `time`.
  ProcessResult RunBeside(const std::string& allocator, const Environment& environment = {},
                          std::chrono::seconds time = {}) const {
    const auto millis = std::chrono::milliseconds(time).count();
    std::vector<std::string> program = {"NativeAllocations",    AgentLibrary(),
                                        NativeLibraryFolder(),  folder(),
                                        std::to_string(millis), "1"};
    program.insert(program.end(), std::begin(kEngines), std::end(kEngines));
    ProcessSpec spec = Java(program);
    spec.env = environment;
    spec.env.emplace_back("LD_PRELOAD", allocator);
    spec.timeout = std::chrono::minutes(2) + 5 * time;  // a heap profiler is slow
    return RunProcess(spec);
  }

  void ExpectRecordings(const ProcessResult& run) const {
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    EXPECT_GE(truth.Number("recordings"), kEngineCount);
    EXPECT_EQ(truth.Number("failed"), 0) << run.Describe();
    ReadSound("out.jfr");
  }
};

}  // namespace jprof::test
