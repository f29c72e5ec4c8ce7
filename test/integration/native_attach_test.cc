// An attach to a JVM that native threads enter and leave all the time does it no harm.
#include <cstdlib>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

int AttachesWanted() {
  const char* const wanted = getenv("JPROF_ATTACHES");
  return wanted == nullptr ? 4 : atoi(wanted);
}

class NativeAttachTest : public JvmTest {};
JPROF_ON_EVERY_JDK(NativeAttachTest);

TEST_P(NativeAttachTest, TheJvmSurvivesWhileThreadsAreEntering) {
  for (int i = 0; i < AttachesWanted(); ++i) {
    ProcessSpec spec = Java({"Attachers", "4"}, {"-XX:-CreateCoredumpOnCrash",
                                                 "-Djava.library.path=" + NativeLibraryFolder()});
    auto process = RunningProcess::Start(spec);
    ASSERT_TRUE(process.ok()) << process.error().message();
    ASSERT_TRUE(process.value().WaitForLine("ready").ok());
    const AttachResult start =
        Attach(process.value().pid(), "start,cpu=10ms,file=" + Path("out.jfr"));
    process.value().WriteLine("enough");
    const ProcessResult end = process.value().Wait();
    ASSERT_TRUE(start.Accepted()) << "attach " << i << ": " << start.output << end.Describe();
    ASSERT_EQ(end.exit_code, 0) << "attach " << i << ": " << end.Describe();
    EXPECT_GT(ProgramOutput(end.out).Number("entered"), 0);
  }
  ReadSound("out.jfr");
}

}  // namespace
}  // namespace jprof::test
