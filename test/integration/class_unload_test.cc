// Classes that are gone by the time the recording is written.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;

class ClassUnloadTest : public JvmTest {};
JPROF_ON_EVERY_JDK(ClassUnloadTest);

TEST_P(ClassUnloadTest, MethodsOfUnloadedClassesKeepTheirNames) {
  const ProcessResult run = RunProfiled("start,event=cpu,interval=1ms,file=" + Path("out.jfr"),
                                        {"ClassUnloader", "100", "20"}, {"-XX:+UseSerialGC"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  ASSERT_GE(truth.Number("unloaded"), 100);  // A Throwaway and its lambda each round.

  const Recording recording = ReadSound("out.jfr");
  auto cpu = NanosByThread(recording, kExecutionSample, milliseconds(1));
  EXPECT_THAT(cpu["unloader"], IsWithin(0.05, truth.Number("cpu.unloader")));
  double in_method = 0;
  double in_lambda = 0;
  double unnamed = 0;
  for (const Event& sample : SamplesOf(recording, kExecutionSample, "unloader")) {
    if (sample.HasFrame("Throwaway.burnInMethod")) in_method += 1e6;
    if (sample.HasFrame("Throwaway.burnInLambda")) in_lambda += 1e6;
    if (sample.HasFrame("[unloaded class].unknown")) unnamed += 1e6;
  }
  const double burned = truth.Number("cpu.throwaway");
  EXPECT_LT(unnamed, 0.02 * burned);
  // Most of the time, not all: AsyncGetCallTrace cannot walk out of every stub, and such a sample
  // carries its reason instead of a stack.
  EXPECT_GT(in_method + in_lambda, 0.7 * burned);
}

TEST_P(ClassUnloadTest, WallSamplingSurvivesUnloading) {
  const ProcessResult run =
      RunProfiled("start,cpu=1ms,wall=1ms,file=" + Path("out.jfr"), {"ClassUnloader", "50", "10"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_GT(ReadSound("out.jfr").Count(kWallClockSample), 0);
}

}  // namespace
}  // namespace jprof::test
