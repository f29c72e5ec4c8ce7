// JDK Mission Control loads the recording. Its parser is fetched from Maven Central.
#include <filesystem>
#include <map>

#include "support/jvm/jvm_test.h"
#include "support/jvm/maven.h"

namespace jprof::test {
namespace {

using testing::IsEmpty;

// The only rule that applies to jprof's events. The other rules need events of the JDK.
constexpr char kMethodProfilingRule[] = "rule.MethodProfiling";

class JmcTest : public JvmTest {
 protected:
  static std::string JarFolder() { return testing::TempDir() + "jprof-jmc"; }

  void SetUp() override {
    if (!FetchFromMaven("jmc", "copy-dependencies", JarFolder())) {
      GTEST_SKIP() << "JMC's parser cannot be had from Maven Central";
    }
  }

  ProcessResult LoadInJmc() const {
    ProcessSpec spec;
    spec.argv = {ReaderOf(jdk()).Tool("java"), "-cp", JarFolder() + "/*",
                 JavaSources() + "/jmc/JmcCheck.java", Path("out.jfr")};
    return RunProcess(spec);
  }
};
JPROF_ON_EVERY_JDK(JmcTest);

// The setting `period` states the requested interval, in a unit that JMC must understand.
TEST_P(JmcTest, TheMethodProfilingRuleAppliesToEveryEngineAndInterval) {
  for (const char* what : {"cpu=100us", "cpu=1ms", "event=ctimer,interval=10ms", "wall=10ms"}) {
    const ProcessResult run = RunProfiled("start," + std::string(what) + ",file=" + Path("out.jfr"),
                                          {"BusyLoop", "1", "2000"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProcessResult load = LoadInJmc();
    ASSERT_EQ(load.exit_code, 0) << what << load.Describe();
    const ProgramOutput jmc(load.out);
    EXPECT_THAT(jmc.NumbersOf("failed."), IsEmpty()) << what << load.out;
    EXPECT_TRUE(jmc.Has(kMethodProfilingRule)) << what;
    EXPECT_EQ(load.out.find(std::string(kMethodProfilingRule) + "=NA"), std::string::npos) << what;
  }
}

TEST_P(JmcTest, SeesEveryEventAndItsRulesApply) {
  const ProcessResult run =
      RunProfiled("start,cpu=10ms,wall=20ms,file=" + Path("out.jfr"), {"BusyLoop", "2", "2000"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  std::map<std::string, double> expected;
  for (const Event& event : recording.events()) expected[event.type] += 1;

  const ProcessResult load = LoadInJmc();
  ASSERT_EQ(load.exit_code, 0) << load.Describe();
  const ProgramOutput jmc(load.out);
  EXPECT_EQ(jmc.NumbersOf("events."), expected);
  EXPECT_EQ(jmc.Number("stackless"), 0);
  EXPECT_THAT(jmc.NumbersOf("failed."), IsEmpty()) << load.out;
  EXPECT_TRUE(jmc.Has(kMethodProfilingRule));
  EXPECT_EQ(load.out.find(std::string(kMethodProfilingRule) + "=NA"), std::string::npos);
}

// These events start before the file does, so that their start times relative to it are negative.
TEST_P(JmcTest, LoadsEventsThatStartedBeforeTheirFile) {
  const ProcessResult run =
      RunProfiled("start,cpu,lock,trace=LongEvents.call:100ms,loop=1s,file=" + Path("part-%n.jfr"),
                  {"LongEvents", "2500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  double calls = 0;
  for (const std::string& name : FilesInFolder()) {
    std::filesystem::copy_file(Path(name), Path("out.jfr"),
                               std::filesystem::copy_options::overwrite_existing);
    const ProcessResult load = LoadInJmc();
    ASSERT_EQ(load.exit_code, 0) << load.Describe();
    const ProgramOutput jmc(load.out);
    EXPECT_THAT(jmc.NumbersOf("failed."), IsEmpty()) << load.out;
    if (jmc.Has("events.jdk.MethodTrace")) calls += jmc.Number("events.jdk.MethodTrace");
  }
  EXPECT_EQ(calls, 1);
}

// The JVM has the event for sampled allocations (JEP 331) from JDK 11 on.
class JmcAllocTest : public JmcTest {};
JPROF_ON_JDKS_FROM(11, JmcAllocTest);

// The result of the rule on TLABs depends on how many arrays the JVM puts outside of TLABs, so that
// OK and INFO are both right. Without the events the result would be NA.
TEST_P(JmcAllocTest, TheRulesOfAllocationsApply) {
  const std::map<std::string, std::string> rules = {
      {"tlab=0", "rule.Allocations.class=INFO"}, {"tlab=1", "rule.TlabAllocationRatio=(OK|INFO)"}};
  for (const auto& [option, rule] : rules) {
    const ProcessResult run = RunProfiled("start,alloc=64k," + option + ",file=" + Path("out.jfr"),
                                          {"Allocations", "1000000", "10000"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProcessResult load = LoadInJmc();
    ASSERT_EQ(load.exit_code, 0) << option << load.Describe();
    EXPECT_THAT(ProgramOutput(load.out).NumbersOf("failed."), IsEmpty()) << option << load.out;
    EXPECT_THAT(load.out, testing::ContainsRegex(rule)) << option;
  }
}

// JMC's pages show sums of allocated bytes. These equal the sums of our events, by class and by
// thread, and those of the program.
TEST_P(JmcAllocTest, TheSumsOfClassesAndThreadsAreThoseOfTheRecording) {
  const std::map<std::string, std::string> prefixes = {{"tlab=0", "samples."},
                                                       {"tlab=1", "tlabs."}};
  for (const auto& [option, prefix] : prefixes) {
    const ProcessResult run = RunProfiled("start,alloc=64k," + option + ",file=" + Path("out.jfr"),
                                          {"AllocationTruth", "long", "2", "128"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    std::map<std::string, double> expected;
    for (const Event& event : ReadSound("out.jfr").OfType("profiler.AllocatedObject")) {
      const auto weight = static_cast<double>(event.Number("weight"));
      for (const std::string& part :
           {std::string("all"), event.Text("objectClass"), event.Text("eventThread.javaName")}) {
        if (weight != 0) expected[part] += weight;
      }
    }
    const ProcessResult load = LoadInJmc();
    ASSERT_EQ(load.exit_code, 0) << option << load.Describe();
    const ProgramOutput jmc(load.out);
    const std::map<std::string, double> sums = jmc.NumbersOf(prefix);
    for (const char* part : {"all", "AllocationTruth$Small", "long-0", "long-1"}) {
      ASSERT_TRUE(sums.contains(part)) << option << load.out;
      EXPECT_EQ(sums.at(part), expected[part]) << option << ' ' << part;
    }
    EXPECT_THAT(jmc.NumbersOf(prefix == "tlabs." ? "samples." : "tlabs."), IsEmpty()) << option;
    for (const auto& [thread, truth] : ProgramOutput(run.out).NumbersOf("thread.")) {
      EXPECT_NEAR(sums.at(thread), truth, truth / 100) << option << ' ' << thread;
    }
  }
}

}  // namespace
}  // namespace jprof::test
