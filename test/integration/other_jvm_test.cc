// JVMs other than HotSpot are refused. No such JVM can be installed here: a program of
// test/native/fake_j9 looks like one.
#include "integration/cli_fixture.h"

namespace jprof::test {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

constexpr char kRefusal[] =
    "this JVM (Eclipse OpenJ9 VM) is not HotSpot: jprof profiles HotSpot JVMs (OpenJDK and its "
    "builds) only";

class OtherJvmTest : public CliTest {
 protected:
  ProcessSpec FakeJ9(const std::string& options) const {
    ProcessSpec spec;
    spec.argv = {NativeLibraryFolder() + "/fake_j9/fake_j9", AgentLibrary(), options};
    return spec;
  }
};
JPROF_ON_NEWEST_JDK(OtherJvmTest);

// The program runs on when the agent is loaded at its launch. The other two callers get an error.
TEST_P(OtherJvmTest, TheAgentRefusesItInOneLine) {
  for (const std::string& command : {"start,file=" + Path("out.jfr"), std::string("status")}) {
    const ProcessResult run = RunProcess(FakeJ9(command));
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_THAT(run.out, HasSubstr("Agent_OnLoad=0\nAgent_OnAttach=-1\n"));
    EXPECT_THAT(run.out, HasSubstr(std::string("text=") + kRefusal + "\nexecute=2\n"));
    EXPECT_THAT(AgentLog(run.err).lines(), ElementsAre(EndsWith(kRefusal), EndsWith(kRefusal)));
  }
  EXPECT_FALSE(std::filesystem::exists(Path("out.jfr")));
}

TEST_P(OtherJvmTest, JprofRefusesToAttach) {
  auto program = RunningProcess::Start(FakeJ9("status"));
  ASSERT_TRUE(program.ok()) << program.error().message();
  ASSERT_TRUE(program.value().WaitForLine("ready").ok());
  EXPECT_THAT(JprofOn(program.value().pid(), {"status"}),
              FailedWith(kNotAJvm, "is an OpenJ9 JVM: jprof profiles HotSpot JVMs"));
  program.value().WriteLine("quit");
  EXPECT_EQ(program.value().Wait().exit_code, 0);
}

}  // namespace
}  // namespace jprof::test
