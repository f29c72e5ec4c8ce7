// jprof.Profiler finds its library in each place where it looks, and controls recordings, including
// those that were started by options at the JVM's launch.
#include <filesystem>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::Not;

class ProfilerApiTest : public JvmTest {
 protected:
  // Copies the jar to a folder that has no library.
  void SetUp() override {
    std::filesystem::copy(std::filesystem::path(AgentLibrary()).parent_path() / "jprof.jar", jar_);
  }

  ProcessResult Run(const std::vector<std::string>& jvm_arguments,
                    const std::vector<std::string>& arguments = {}) const {
    std::vector<std::string> program = {"-cp", jar_ + ":" + ContextClasses(), "ProfilerApi",
                                        Path("out.jfr")};
    program.insert(program.end(), arguments.begin(), arguments.end());
    return RunProcess(Java(program, jvm_arguments));
  }

  void ExpectControl(const ProcessResult& run) const {
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_THAT(run.out, HasSubstr("wrong='cpu=never'"));
    EXPECT_THAT(run.out, HasSubstr("wrong=control character in 'status\\x00,x'"));
    EXPECT_THAT(run.out, HasSubstr("wrong=control character in 'status\\x00'"));
    EXPECT_THAT(run.out, HasSubstr("start=recording cpu"));
    EXPECT_THAT(run.out, HasSubstr("bean=state     recording"));
    EXPECT_THAT(run.out, HasSubstr("copies=2\nstop=stopped: "));
    EXPECT_GE(ReadSound("out.jfr").Count(kExecutionSample), 100);
  }

  const std::string jar_ = Path("jprof.jar");
};
JPROF_ON_EVERY_JDK(ProfilerApiTest);

TEST_P(ProfilerApiTest, ACopyAndTheBeanControlALibraryAtAPath) {
  ExpectControl(Run({}, {AgentLibrary()}));
}

TEST_P(ProfilerApiTest, LoadsTheLibraryInItsJarAndLeavesNoFile) {
  std::filesystem::create_directories(Path("in/jprof/linux-x64"));
  std::filesystem::create_directories(Path("tmp"));
  std::filesystem::copy(AgentLibrary(), Path("in/jprof/linux-x64/libprofiler.so"));
  ProcessSpec jar;
  jar.argv = {jdk().Tool("jar"), "-0uf", jar_, "-C", Path("in"), "jprof/linux-x64/libprofiler.so"};
  const ProcessResult packed = RunProcess(jar);
  ASSERT_EQ(packed.exit_code, 0) << packed.Describe();
  ExpectControl(Run({"-Djava.io.tmpdir=" + Path("tmp")}));
  EXPECT_TRUE(std::filesystem::is_empty(Path("tmp")));
}

TEST_P(ProfilerApiTest, LoadsTheLibraryOfAPropertyOrSaysWhereItLooked) {
  ExpectControl(Run({"-Djprof.library=" + AgentLibrary()}));
  const ProcessResult none = Run({});
  EXPECT_THAT(none.out,
              HasSubstr("refused=there is no libprofiler.so beside jprof.jar, and none in "
                        "it: name its path by -Djprof.library=PATH"));
  const ProcessResult wrong = Run({"-Djprof.library=/no/such/libprofiler.so"});
  EXPECT_THAT(wrong.out, HasSubstr("refused=the profiler cannot be loaded: "));
  EXPECT_EQ(wrong.exit_code, 0) << wrong.Describe();
}

// The premain method of a Java agent that precedes ours on the command line runs before our agent
// is told that the JVM is initialised.
class LoadingAgentTest : public JvmTest {
 protected:
  std::string AgentWith(const std::string& commands) const {
    return "-javaagent:" + MakeAgentJar("Premain-Class: LoadingAgent\n") + '=' + AgentLibrary() +
           ';' + commands;
  }

  ProcessResult Run(const std::string& commands, const std::vector<std::string>& agent = {}) const {
    std::vector<std::string> arguments = {AgentWith(commands)};
    arguments.insert(arguments.end(), agent.begin(), agent.end());
    ProcessResult run = RunProcess(Java({"-cp", ContextClasses(), "LoadingAgent"}, arguments));
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    EXPECT_THAT(run.out, HasSubstr("load=0\n"));
    return run;
  }

  std::string Start(const std::string& file) const { return "start,cpu=1ms,file=" + Path(file); }

  void ExpectBurnerIn(const std::string& file) const {
    int samples = 0;
    for (const Event& sample : ReadSound(file).OfType(kExecutionSample)) {
      if (sample.HasFrame("LoadingAgent.main")) ++samples;
    }
    EXPECT_GE(samples, 50) << file;
  }
};
JPROF_ON_EVERY_JDK(LoadingAgentTest);

TEST_P(LoadingAgentTest, PremainStartsARecordingAtOnce) {
  const ProcessResult run = Run("status;" + Start("premain.jfr"));
  EXPECT_THAT(run.out, HasSubstr("premain.status=state     idle\nagent"));
  EXPECT_THAT(run.out, HasSubstr("main.status=state     recording"));
  EXPECT_THAT(run.out, HasSubstr("main.stop=stopped: "));
  ExpectBurnerIn("premain.jfr");
}

TEST_P(LoadingAgentTest, PremainLearnsOfTheWaitingRecording) {
  const ProcessResult run = Run("status;stop;dump", {AgentArgument(Start("launch.jfr"))});
  const std::string waits = "the recording starts when the JVM is initialised\n";
  EXPECT_THAT(run.out, HasSubstr("premain.status=state     idle\nnote      " + waits));
  EXPECT_THAT(run.out, HasSubstr("there is nothing to stop; " + waits));
  EXPECT_THAT(run.out, HasSubstr("there is nothing to dump; " + waits));
  EXPECT_THAT(run.out, HasSubstr("main.stop=stopped: "));
  ExpectBurnerIn("launch.jfr");
}

TEST_P(LoadingAgentTest, PremainsRecordingTakesPrecedenceOverAWaitingOne) {
  const ProcessResult run = Run(Start("premain.jfr"), {AgentArgument(Start("launch.jfr"))});
  EXPECT_THAT(run.err, HasSubstr("error: already recording to " + Path("premain.jfr") + " since "));
  EXPECT_THAT(run.err, Not(HasSubstr("unprofiled")));
  ExpectBurnerIn("premain.jfr");
  EXPECT_FALSE(std::filesystem::exists(Path("launch.jfr")));
}

TEST_P(LoadingAgentTest, PremainUsesTheRecordingOfAnAgentThatCameFirst) {
  const ProcessResult run =
      RunProcess(Java({"-cp", ContextClasses(), "LoadingAgent"},
                      {AgentArgument(Start("launch.jfr")), AgentWith("status")}));
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("premain.status=state     recording"));
  ExpectBurnerIn("launch.jfr");
}

}  // namespace
}  // namespace jprof::test
