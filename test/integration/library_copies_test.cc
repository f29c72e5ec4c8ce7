// A program can extract the same native library once per class loader. The frames of each copy are
// walked and named while other libraries are loaded and unloaded.
#include <algorithm>
#include <cstdlib>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

constexpr int kCopies = 3;

int MillisToRun() {
  const char* const seconds = getenv("JPROF_COPIES_SECONDS");
  return seconds == nullptr ? 1000 : std::atoi(seconds) * 1000;
}

class LibraryCopiesTest : public JvmTest {};
JPROF_ON_EVERY_JDK(LibraryCopiesTest);

TEST_P(LibraryCopiesTest, EachCopyIsWalkedAndNamed) {
  ProcessSpec spec = Java(
      {"LibraryCopies", AgentLibrary(), "start,cpu=5ms,cstack=vmx,file=" + Path("out.jfr"),
       NativeLibraryFolder(), folder(), std::to_string(kCopies), std::to_string(MillisToRun())});
  spec.timeout = std::chrono::milliseconds(MillisToRun()) + std::chrono::minutes(1);
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("answer.start=recording")) << run.Describe();
  const ProgramOutput truth(run.out);
  const Recording recording = ReadSound("out.jfr");
  for (int i = 0; i < kCopies; ++i) {
    const std::string number = std::to_string(i);
    const std::string library = "copy_" + number + ".so.";
    const auto samples = SamplesOf(recording, kExecutionSample, "copy-" + number);
    const auto whole = std::count_if(samples.begin(), samples.end(), [&](const Event& sample) {
      return sample.HasFramesInOrder({library + "copied_innermost", library + "copied_middle",
                                      library + "Java_LibraryCopy_burn", "LibraryCopy.burn",
                                      "LibraryCopies.burn", "java.lang.Thread.run"});
    });
    EXPECT_THAT(static_cast<double>(whole) * 5e6,
                IsWithin(0.1, truth.Number("cpu.copy-" + number)));
  }
}

}  // namespace
}  // namespace jprof::test
