// Objects that the agent itself allocates on the Java heap appear in no profile of the program,
// whichever engines run besides alloc and live.
#include <string>

#include "integration/alloc_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr int kRecordings = 3;

class OwnObjectsTest : public AllocTest {
 protected:
  static bool IsOwn(const std::string& name) {
    for (const char* own : {"ParkProbes", "ParkNatives", "ThreadFields", "MethodProbes",
                            "VirtualProbes", "java.jprof.", "java/jprof/"}) {
      if (name.find(own) != std::string::npos) return true;
    }
    return false;
  }

  // True for the text of an answer, which is allocated when the program calls the agent.
  static bool IsOfStart(const Event& event) {
    return event.HasFrame("Profiler.execute") && event.Number("allocationSize") > 1024;
  }

  static void ExpectNothingOwn(const Recording& recording) {
    for (const char* type :
         {kAllocated, kAllocationSample, "profiler.LiveObject", "profiler.SurvivingObject"}) {
      for (const Event& event : recording.OfType(type)) {
        const std::string what = type + (" " + event.Text("objectClass"));
        EXPECT_FALSE(IsOwn(event.Text("objectClass"))) << what;
        EXPECT_FALSE(IsOfStart(event)) << what;
        for (const Frame& frame : event.frames) {
          EXPECT_FALSE(IsOwn(frame.method)) << what << " in " << frame.method;
        }
      }
    }
  }
};
JPROF_ON_JDKS_FROM(11, OwnObjectsTest);

TEST_P(OwnObjectsTest, AppearInNoProfileAndNoCounter) {
  const ProcessResult run = RunProcess(
      Java({"OwnObjects", AgentLibrary(), "start,alloc=4k,live,lock=100us,trace=OwnObjects.traced",
            NativeLibraryFolder(), folder(), std::to_string(kRecordings)}));
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  for (int i = 1; i <= kRecordings; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_THAT(run.out, HasSubstr("answer.stop." + number + "=stopped: ")) << run.Describe();
    const Recording recording = ReadSound(number + ".jfr");
    EXPECT_GT(recording.Count(kAllocated), 100);
    ExpectNothingOwn(recording);
    double exact = 0;
    for (const Event& event : recording.OfType(kCalibration)) {
      if (event.Text("eventThread.javaName") == "main") {
        exact += static_cast<double>(event.Number("exact"));
      }
    }
    // The recording also contains the text of the answers, and little else.
    EXPECT_NEAR(exact, truth.Number("allocated." + number), 32 << 10) << number;
  }
}

}  // namespace
}  // namespace jprof::test
