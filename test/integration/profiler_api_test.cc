// jprof.Profiler finds its library in each place where it looks, and controls recordings, including
// those that were started by options at the JVM's launch.
#include <unistd.h>

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

  ProcessSpec Command(const std::vector<std::string>& jvm_arguments,
                      const std::vector<std::string>& arguments,
                      const std::string& more_class_path) const {
    std::vector<std::string> program = {"-cp", jar_ + ":" + ContextClasses() + more_class_path,
                                        "ProfilerApi", Path("out.jfr")};
    program.insert(program.end(), arguments.begin(), arguments.end());
    return Java(program, jvm_arguments);
  }

  ProcessResult Run(const std::vector<std::string>& jvm_arguments,
                    const std::vector<std::string>& arguments = {},
                    const std::string& more_class_path = "") const {
    return RunProcess(Command(jvm_arguments, arguments, more_class_path));
  }

  // Adds the library to a jar by the tool jar with these options.
  void AddLibraryTo(const std::string& archive, const std::string& options) const {
    std::filesystem::create_directories(Path("in/jprof/linux-x64"));
    std::filesystem::copy(AgentLibrary(), Path("in/jprof/linux-x64/libprofiler.so"));
    ProcessSpec jar;
    jar.argv = {
        jdk().Tool("jar"), options, archive, "-C", Path("in"), "jprof/linux-x64/libprofiler.so"};
    const ProcessResult packed = RunProcess(jar);
    ASSERT_EQ(packed.exit_code, 0) << packed.Describe();
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
  AddLibraryTo(jar_, "-0uf");
  std::filesystem::create_directories(Path("tmp"));
  std::filesystem::create_symlink(Path("tmp"), Path("link"));
  for (const std::string folder : {"tmp", "link"}) {
    ExpectControl(Run({"-Djava.io.tmpdir=" + Path(folder)}));
    EXPECT_TRUE(std::filesystem::is_empty(Path("tmp")));
  }
}

TEST_P(ProfilerApiTest, LoadsTheLibraryOfAnotherJar) {
  AddLibraryTo(Path("natives.jar"), "-0cf");
  ExpectControl(Run({}, {}, ":" + Path("natives.jar")));
  if (jdk().major < 9) return;
  // A class of a named module does not see the resources of other modules as its own.
  ExpectControl(
      Run({"--module-path", jar_ + ":" + Path("natives.jar"), "--add-modules", "jprof,natives"}));
}

// Another user could put a library of its own in place of the unpacked one, in each of these
// folders: by a rename, if the folder or one of its parents can be written to, or as its owner.
TEST_P(ProfilerApiTest, UnpacksNoLibraryWhereAnotherUserCouldReplaceIt) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make a folder of another user";
  AddLibraryTo(jar_, "-0uf");
  std::filesystem::create_directories(Path("tmp/inner"));
  const auto refuses = [&](const std::string& folder, const std::string& why) {
    const ProcessResult run = Run({"-Djava.io.tmpdir=" + Path(folder)});
    EXPECT_THAT(run.out, HasSubstr("refused=the library of jprof.jar is not unpacked, because the "
                                   "folder " +
                                   Path("tmp") + ' ' + why + ": name another folder"));
    EXPECT_TRUE(std::filesystem::is_empty(Path("tmp/inner")));
  };
  constexpr auto kEveryone = std::filesystem::perms::all;
  for (const std::string folder : {"tmp", "tmp/inner"}) {
    std::filesystem::permissions(Path("tmp"), kEveryone);
    refuses(folder, "can be changed by other users");
    std::filesystem::permissions(Path("tmp"), std::filesystem::perms::group_write,
                                 std::filesystem::perm_options::remove);
    refuses(folder, "can be changed by other users");
    std::filesystem::permissions(Path("tmp"), std::filesystem::perms::owner_all);
    ASSERT_EQ(chown(Path("tmp").c_str(), 65534, 0), 0);
    refuses(folder, "belongs to another user");
    ASSERT_EQ(chown(Path("tmp").c_str(), 0, 0), 0);
  }
  std::filesystem::permissions(Path("tmp"), kEveryone | std::filesystem::perms::sticky_bit);
  ExpectControl(Run({"-Djava.io.tmpdir=" + Path("tmp/inner")}));
}

TEST_P(ProfilerApiTest, SaysThatTheFolderIsMountedNoexec) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can mount a file system";
  AddLibraryTo(jar_, "-0uf");
  std::filesystem::create_directories(Path("tmp"));
  ProcessSpec spec = Command({"-Djava.io.tmpdir=" + Path("tmp")}, {}, "");
  spec.argv.insert(
      spec.argv.begin(),
      {"/usr/bin/unshare", "--mount", "/bin/sh", "-c",
       "mount -t tmpfs -o noexec none \"$1\" && shift && exec \"$@\"", "sh", Path("tmp")});
  const ProcessResult run = RunProcess(spec);
  EXPECT_THAT(run.out, HasSubstr("refused=the library of jprof.jar cannot be loaded from " +
                                 Path("tmp") + ", which is mounted noexec"));
}

TEST_P(ProfilerApiTest, LoadsTheLibraryOfAPropertyOrSaysWhereItLooked) {
  ExpectControl(Run({"-Djprof.library=" + AgentLibrary()}));
  const ProcessResult none = Run({});
  EXPECT_THAT(none.out,
              HasSubstr("refused=there is no libprofiler.so beside jprof.jar, and none in "
                        "it or in jprof-natives: name its path by -Djprof.library=PATH"));
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
