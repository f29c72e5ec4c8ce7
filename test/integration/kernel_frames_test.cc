// kernel=1: stacks begin where the thread was, in the kernel too.
#include <algorithm>

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

TEST_P(KernelFramesTest, TheyLieOnTopOfTheStackThatCalledTheKernel) {
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
    for (const Frame& frame : sample.frames)
      EXPECT_EQ(frame.method.find("[unknown]"), std::string::npos);
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

TEST_P(KernelFramesTest, WithoutTheOptionThereAreNone) {
  const ProcessResult run =
      RunProfiled("start,event=perf,cpu=5ms,file=" + Path("out.jfr"), {"KernelReader", "300"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const std::vector<Event> samples = ReadSound("out.jfr").OfType(kExecutionSample);
  EXPECT_TRUE(std::none_of(samples.begin(), samples.end(), BeginsInKernel));
}

}  // namespace
}  // namespace jprof::test
