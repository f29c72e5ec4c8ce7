// The option filter= selects threads for both engines.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;

class FilterTest : public JvmTest {};
JPROF_ON_EVERY_JDK(FilterTest);

TEST_P(FilterTest, SamplesOnlyTheNamedThread) {
  const ProcessResult run =
      RunProfiled("start,cpu=10ms,wall=10ms,filter=busy-[x]+busy-1,file=" + Path("out.jfr"),
                  {"BusyLoop", "3", "1000"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  const ProgramOutput truth(run.out);
  const auto cpu = NanosByThread(recording, kExecutionSample, milliseconds(10));
  ASSERT_EQ(cpu.size(), 1u);
  EXPECT_THAT(cpu.at("busy-1"), IsWithin(0.05, truth.Number("cpu.busy-1")));
  const auto wall = NanosByThread(recording, kWallClockSample, milliseconds(10));
  ASSERT_EQ(wall.size(), 1u);
  EXPECT_THAT(wall.at("busy-1"), IsWithin(0.05, truth.Number("wall.busy-1")));
}

}  // namespace
}  // namespace jprof::test
