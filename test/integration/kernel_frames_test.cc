// kernel=1: a stack starts where the thread was, even if it was in the kernel.
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

class KernelFramesTest : public JvmTest {
 protected:
  static bool BeginsInKernel(const Event& sample) {
    return !sample.frames.empty() && sample.frames[0].type == "Kernel";
  }
};
JPROF_ON_EVERY_JDK(KernelFramesTest);

TEST_P(KernelFramesTest, LieOnTopOfTheCallingStack) {
  const ProcessResult run =
      RunProfiled("start,cpu=5ms,kernel=1,file=" + Path("out.jfr"), {"KernelReader", "1500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const size_t refused = run.err.find("no kernel frames: ");
  if (refused != std::string::npos) {
    GTEST_SKIP() << run.err.substr(refused, run.err.find('\n', refused) - refused);
  }
  const Recording recording = ReadSound("out.jfr");
  auto cpu = NanosByThread(recording, kExecutionSample, std::chrono::milliseconds(5));
  for (const auto& [name, truth] : ProgramOutput(run.out).NumbersOf("cpu.")) {
    EXPECT_THAT(cpu[name], IsWithin(0.05, truth)) << name;
  }
  const auto reads = SamplesOf(recording, kExecutionSample, "reader-0");
  const auto in_kernel = std::count_if(reads.begin(), reads.end(), BeginsInKernel);
  EXPECT_GT(in_kernel, 0.7 * static_cast<double>(reads.size()));
  for (const Event& sample : reads) {
    if (!BeginsInKernel(sample)) continue;
    EXPECT_FALSE(sample.frames.back().type == "Kernel") << "what called it is missing";
    for (const Frame& frame : sample.frames) {
      EXPECT_EQ(frame.method.find("[unknown]"), std::string::npos);
    }
  }
  EXPECT_GT(std::count_if(reads.begin(), reads.end(),
                          [](const Event& sample) {
                            return BeginsInKernel(sample) && sample.HasFrame("KernelReader.read");
                          }),
            0.95 * static_cast<double>(in_kernel));
  const auto burns = SamplesOf(recording, kExecutionSample, "busy-0");
  EXPECT_LT(std::count_if(burns.begin(), burns.end(), BeginsInKernel),
            0.1 * static_cast<double>(burns.size()));
}

// Each thread needs a ring of two pages. The program has more threads than fit into the limit of
// locked memory.
TEST_P(KernelFramesTest, CountsThreadsBeyondTheLimitOfLockedMemory) {
  if (geteuid() != 0) GTEST_SKIP() << "needs CAP_PERFMON without CAP_IPC_LOCK";
  // Linux allows perf_event_mlock_kb for each processor in addition to the limit (Linux v6.1
  // kernel/events/core.c, perf_mmap).
  int64_t free_kb = 0;
  std::ifstream("/proc/sys/kernel/perf_event_mlock_kb") >> free_kb;
  const int64_t rings = free_kb * sysconf(_SC_NPROCESSORS_ONLN) * 1024 / (2 * getpagesize());
  if (rings > 2000) GTEST_SKIP() << "this machine has room for " << rings << " rings";
  const std::string threads = std::to_string(rings + 100);
  ProcessSpec spec = Java({"Sleepers", threads, "500"},
                          {AgentArgument("start,cpu=10ms,kernel=1,file=" + Path("out.jfr"))});
  spec.argv.insert(spec.argv.begin(), {"/usr/bin/setpriv", "--bounding-set=-ipc_lock",
                                       "/usr/bin/prlimit", "--memlock=0"});
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  if (AgentLog(run.err).LinesWith("no kernel frames: ") != 0) GTEST_SKIP() << run.err;
  EXPECT_EQ(AgentLog(run.err).LinesWith("has no kernel frames"), 1) << run.err;
  EXPECT_EQ(AgentLog(run.err).LinesWith("perf_event_mlock_kb"), 1) << run.err;
  int64_t without = 0;
  for (const Event& counter : ReadSound("out.jfr").OfType("profiler.Counter")) {
    if (counter.Text("name") != "threads without kernel frames") continue;
    without = std::max(without, counter.Number("value"));
  }
  EXPECT_GT(without, 0);
  EXPECT_LT(without, rings) << "others have them, unless another process of this user does";
}

TEST_P(KernelFramesTest, WithoutTheOptionThereAreNone) {
  const ProcessResult run =
      RunProfiled("start,event=perf,cpu=5ms,file=" + Path("out.jfr"), {"KernelReader", "300"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const std::vector<Event> samples = ReadSound("out.jfr").OfType(kExecutionSample);
  EXPECT_TRUE(std::none_of(samples.begin(), samples.end(), BeginsInKernel));
}

}  // namespace
}  // namespace jprof::test
