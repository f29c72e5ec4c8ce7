// jprof.Profiler in several class loaders of one JVM. All copies control the same profiler,
// whichever loaded the library first, and even if that copy's class loader has been unloaded. The
// same holds for jars that other projects' builds have assembled.
#include <fstream>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

class ProfilerCopiesTest : public JvmTest {
 protected:
  // Runs with the library of this build, which is next to the jar.
  ProcessResult Run(const std::string& which,
                    const std::vector<std::string>& jvm_arguments = {}) const {
    const ProcessResult run = RunProcess(
        Java({"-cp", ContextClasses(), "ProfilerCopies", which, JavaLibrary(), Path("out.jfr")},
             jvm_arguments));
    EXPECT_EQ(run.exit_code, 0) << run.Describe();
    return run;
  }

  int Samples() const { return static_cast<int>(ReadSound("out.jfr").Count(kExecutionSample)); }
};
JPROF_ON_EVERY_JDK(ProfilerCopiesTest);

TEST_P(ProfilerCopiesTest, SixteenClassLoadersLoadItAtTheSameTime) {
  for (int round = 0; round < 3; ++round) {
    const ProcessResult run = Run("at-once");
    EXPECT_EQ(ProgramOutput(run.out).Number("idle"), 16) << run.Describe();
  }
}

TEST_P(ProfilerCopiesTest, TheBeanNamesItsParametersAndIsOptional) {
  const ProcessResult run = Run("unregistered");
  EXPECT_THAT(run.out, HasSubstr("bean=state     idle"));
  EXPECT_THAT(run.out, HasSubstr("operation=execute(command)\noperation=start(options)\n"
                                 "operation=stop()\noperation=dump()\n"));
  EXPECT_THAT(run.out, HasSubstr("proxy=")) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("'cpu=never'"));
  EXPECT_THAT(run.out, HasSubstr("second=1\nagain=1\n"));
}

TEST_P(ProfilerCopiesTest, AClassLoaderThatLoadedItIsUnloadedAndTheRecordingGoesOn) {
  const ProcessResult run = Run("unloaded");
  EXPECT_THAT(run.out, HasSubstr("forgotten=1\nclosed=1\nbean=1\nstop=stopped: "));
  EXPECT_THAT(run.out, HasSubstr("refused=this profiler is closed"));
  EXPECT_THAT(run.out, HasSubstr("left=0\nagain=1\nback=1\n"));
  EXPECT_GE(Samples(), 100);
}

TEST_P(ProfilerCopiesTest, ARelocatedJarWithoutItsVersionsWorks) {
  std::vector<std::string> arguments = {"-Djprof.library=" + AgentLibrary()};
  // This option makes the JVM refuse writes through sun.misc.Unsafe.
  if (jdk().major >= 23) arguments.push_back("--sun-misc-unsafe-memory-access=deny");
  const ProcessResult run = Run("relocated", arguments);
  EXPECT_THAT(run.out, HasSubstr("active=true\ntag=true\nstop=stopped: ")) << run.Describe();
  int marked = 0;
  for (const Event& sample : ReadSound("out.jfr").OfType(kExecutionSample)) {
    if (!sample.HasFrame("ProfilerCopies.span1")) continue;
    ++marked;
    EXPECT_EQ(sample.Number("spanId"), 1);
    EXPECT_EQ(sample.Number("localRootSpanId"), 2);
  }
  EXPECT_GE(marked, 30) << "a busy machine leaves the span little time";
}

std::vector<Jdk> JdksWithSecurityManagers() {
  std::vector<Jdk> jdks = JdkList();
  std::erase_if(jdks, [](const Jdk& jdk) { return jdk.major >= 24; });
  return jdks;
}

class SecuredProfilerCopiesTest : public ProfilerCopiesTest {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(SecuredProfilerCopiesTest);
INSTANTIATE_TEST_SUITE_P(, SecuredProfilerCopiesTest, testing::ValuesIn(JdksWithSecurityManagers()),
                         testing::PrintToStringParamName());

TEST_P(SecuredProfilerCopiesTest, TheBeanAloneMayBeForbidden) {
  std::ofstream(Path("policy")) << "grant { permission java.lang.RuntimePermission \"*\";"
                                   " permission java.util.PropertyPermission \"*\", \"read\";"
                                   " permission java.io.FilePermission \"<<ALL FILES>>\", \"read\";"
                                   "};";
  const ProcessResult run =
      Run("one-by-one", {"-Djava.security.manager", "-Djava.security.policy==" + Path("policy")});
  EXPECT_THAT(run.out, HasSubstr("stop=stopped: ")) << run.Describe();
  EXPECT_GE(Samples(), 100);
}

TEST_P(SecuredProfilerCopiesTest, CodeWithoutPermissionsUsesALoadedAgentAndCannotLoadOne) {
  const ProcessResult found = Run(
      "own", {AgentArgument("start,cpu=100ms,file=" + Path("out.jfr")), "-Djava.security.manager"});
  EXPECT_THAT(found.out, HasSubstr("state     recording"));
  const ProcessResult none = RunProcess(
      Java({"-cp", ContextClasses(), "ProfilerApi", Path("out.jfr")}, {"-Djava.security.manager"}));
  EXPECT_THAT(none.out, HasSubstr("refused=the security manager forbids to load the profiler: "))
      << none.Describe();
}

class ModularProfilerCopiesTest : public ProfilerCopiesTest {};
JPROF_ON_JDKS_FROM(9, ModularProfilerCopiesTest);

TEST_P(ModularProfilerCopiesTest, WorksWithoutTheModuleOfBeans) {
  const ProcessResult run = Run("one-by-one", {"--limit-modules=java.base"});
  EXPECT_THAT(run.out, HasSubstr("stop=stopped: ")) << run.Describe();
  EXPECT_GE(Samples(), 100);
}

class RestrictedProfilerCopiesTest : public ProfilerCopiesTest {};
JPROF_ON_JDKS_FROM(24, RestrictedProfilerCopiesTest);

TEST_P(RestrictedProfilerCopiesTest, SaysInOneLineThatNativeAccessIsDenied) {
  const ProcessResult run = RunProcess(Java(
      {"-cp", ContextClasses(), "ProfilerApi", Path("out.jfr")}, {"--illegal-native-access=deny"}));
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_THAT(run.out, HasSubstr("refused=the profiler cannot be loaded: ")) << run.Describe();
}

}  // namespace
}  // namespace jprof::test
