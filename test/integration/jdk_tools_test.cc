// The JDK's own command `jfr` reads the recording.
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class JdkToolsTest : public JvmTest {
 protected:
  void SetUp() override {
    const ProcessResult run =
        RunProfiled("start,cpu=5ms,wall=20ms,file=" + Path("out.jfr"), {"BusyLoop", "2", "500"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
  }

  ProcessResult Jfr(const std::vector<std::string>& arguments) const {
    ProcessSpec spec;
    spec.argv = {ReaderOf(jdk()).Tool("jfr")};
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    spec.argv.push_back(Path("out.jfr"));
    return RunProcess(spec);
  }
};
JPROF_ON_EVERY_JDK(JdkToolsTest);

TEST_P(JdkToolsTest, SummaryMetadataAndEveryEventArePrinted) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"summary"}, {"metadata"}, {"print"}, {"print", "--json"}, {"print", "--xml"}}) {
    const ProcessResult run = Jfr(command);
    EXPECT_EQ(run.exit_code, 0) << testing::PrintToString(command) << run.err;
    EXPECT_THAT(run.out, HasSubstr("jdk.ExecutionSample")) << testing::PrintToString(command);
  }
}

class JfrViewTest : public JdkToolsTest {};
JPROF_ON_JDKS_FROM(kFirstMajorWithJfrView, JfrViewTest);

TEST_P(JfrViewTest, HotMethodsShowsTheHotMethod) {
  const ProcessResult run = Jfr({"view", "hot-methods"});
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("BusyLoop.burnThree"));
}

// A view without data says so in its title. No view lacks a type or a field.
TEST_P(JfrViewTest, EveryViewOfTheJdkReadsTheRecording) {
  const ProcessResult run = Jfr({"view", "all-views"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const std::string title : {"GC Pauses", "File Reads by Path", "Socket Reads by Host"}) {
    EXPECT_THAT(run.out, HasSubstr(title));
  }
  for (const std::string& text : {run.out, run.err}) {
    EXPECT_THAT(text, Not(HasSubstr("Can't find")));
    EXPECT_THAT(text, Not(HasSubstr("Missing event")));
  }
}

}  // namespace
}  // namespace jprof::test
