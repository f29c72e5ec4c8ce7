// The first events of a recording say how it was made, before its first sample. They contain no
// secrets.
#include <set>

#include "base/version.h"
#include "integration/server.h"
#include "jfr/writer/jfr_file.h"
#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

class OpeningTest : public JvmTest {
 protected:
  // Returns the values of the settings with this name.
  static std::set<std::string> SettingsOf(const Recording& recording, const std::string& name) {
    std::set<std::string> values;
    for (const Event& setting : recording.OfType("jdk.ActiveSetting")) {
      if (setting.Text("name") == name) values.insert(setting.Text("value"));
    }
    return values;
  }
};
JPROF_ON_EVERY_JDK(OpeningTest);

TEST_P(OpeningTest, SettingsAndStatusSayWhatTriggersCpuSamples) {
  auto server = ServerProcess::Start(
      Java({"Server", "1", "1"},
           {AgentArgument("start,event=ctimer,interval=20ms,wall=50ms,file=" + Path("out.jfr"))}));
  ASSERT_TRUE(server.ok()) << server.error().message();
  const std::string status = Attach(server.value().pid(), "status,answer=" + Path("status")).output;
  EXPECT_THAT(ReadFile(Path("status")), HasSubstr("cpu every 20 ms by thread timers (kernel tick "))
      << status;
  EXPECT_THAT(ReadFile(Path("status")), HasSubstr(std::string("\nversion=") + JprofVersion()));
  EXPECT_EQ(server.value().Quit().exit_code, 0);
  const Recording recording = ReadSound("out.jfr");
  EXPECT_THAT(SettingsOf(recording, "period"), IsSupersetOf({"20 ms", "50 ms"}));
  EXPECT_THAT(SettingsOf(recording, "jprof"), ElementsAre(JprofVersion()));
  EXPECT_THAT(SettingsOf(recording, "interval"), ElementsAre("20000000"));
  EXPECT_THAT(SettingsOf(recording, "wall"), ElementsAre("50000000"));
  EXPECT_THAT(SettingsOf(recording, "engine"),
              ElementsAre(HasSubstr("thread timers (kernel tick ")));
}

TEST_P(OpeningTest, SecretsAreNowhereInTheFile) {
  ProcessSpec spec = Java(
      {"Hello", "0", "--api-key", "hunter2", "--db-password=hunter2", "jdbc:x://me:hunter2@h/db"},
      {AgentArgument("start,cpu=10ms,file=" + Path("out.jfr")), "-Ddb.password=hunter2",
       "-Dservice.url=http://me:hunter2@host/?token=hunter2", "-Dharmless=visible"});
  spec.env = {{"DB_PASSWORD", "hunter2"}, {"HARMLESS", "hunter2"}};
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(ReadFile(Path("out.jfr")), Not(HasSubstr("hunter2")));

  ProcessSpec print;
  print.argv = {ReaderOf(jdk()).Tool("jfr"), "print", "--events",
                "JVMInformation,InitialSystemProperty", Path("out.jfr")};
  const ProcessResult printed = RunProcess(print);
  ASSERT_EQ(printed.exit_code, 0) << printed.Describe();
  EXPECT_THAT(printed.out,
              AllOf(HasSubstr("-Ddb.password=[REDACTED]"), HasSubstr("-Dharmless=visible"),
                    HasSubstr("--api-key [REDACTED]"), HasSubstr("--db-password=[REDACTED]")));
}

}  // namespace
}  // namespace jprof::test
