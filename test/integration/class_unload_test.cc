// Samples of classes that have been unloaded by the time the recording is written.
#include <map>
#include <string>

#include "support/jvm/jvm_test.h"

namespace jprof::test {
namespace {

using std::chrono::milliseconds;

constexpr int kThreads = 3;
constexpr int kRounds = 40;

class ClassUnloadTest : public JvmTest {
 protected:
  // Expects right names. Each class has its own name for the method that burns CPU time: samples
  // carry the name of the class that ran, although the class and its code are long gone.
  void ExpectRightNamesInAStorm(const std::string& interval, double interval_ns,
                                const std::vector<std::string>& jvm_arguments) {
    const ProcessResult run = RunProfiled(
        "start,event=cpu,interval=" + interval + ",wall=5ms,chunktime=1s,file=" + Path("out.jfr"),
        {"ClassStorm", std::to_string(kThreads), std::to_string(kRounds), "15"}, jvm_arguments);
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const ProgramOutput truth(run.out);
    ASSERT_GE(truth.Number("unloaded"), kThreads * kRounds * 3 / 4);

    std::map<std::string, double> sampled;
    double unnamed = 0;
    for (const Event& sample : ReadSound("out.jfr").OfType(kExecutionSample)) {
      for (const Frame& frame : sample.frames) {
        if (frame.method == "jprof.[unloaded class]") unnamed += interval_ns;
        const std::string name = frame.method.substr(frame.method.rfind('.') + 1);
        if (name.starts_with("burn_")) sampled[name] += interval_ns;
      }
    }
    double burned = 0;
    double named = 0;
    for (const auto& [name, nanos] : truth.NumbersOf("cpu.")) {
      burned += nanos;
      named += sampled[name];
      // A few kernel ticks at most are late.
      EXPECT_LE(sampled[name], nanos + 20e6) << name;
    }
    EXPECT_EQ(sampled.size(), kThreads * kRounds) << "a name that no class had";
    EXPECT_LT(unnamed, 0.02 * burned);
    EXPECT_THAT(named, IsWithin(0.1, burned));
  }
};
JPROF_ON_EVERY_JDK(ClassUnloadTest);

TEST_P(ClassUnloadTest, MethodsOfUnloadedClassesKeepTheirNames) {
  const ProcessResult run = RunProfiled("start,event=cpu,interval=1ms,file=" + Path("out.jfr"),
                                        {"ClassUnloader", "100", "20"}, {"-XX:+UseSerialGC"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  ASSERT_GE(truth.Number("unloaded"), 100);  // a Throwaway and its lambda in each round

  const Recording recording = ReadSound("out.jfr");
  auto cpu = NanosByThread(recording, kExecutionSample, milliseconds(1));
  EXPECT_THAT(cpu["unloader"], IsWithin(0.05, truth.Number("cpu.unloader")));
  double in_method = 0;
  double in_lambda = 0;
  double in_class = 0;
  double unnamed = 0;
  for (const Event& sample : SamplesOf(recording, kExecutionSample, "unloader")) {
    if (sample.HasFrame("Throwaway.getAsLong")) in_class += 1e6;
    if (sample.HasFrame("Throwaway.burnInMethod")) in_method += 1e6;
    if (sample.HasFrame("Throwaway.burnInLambda")) in_lambda += 1e6;
    if (sample.HasFrame("jprof.[unloaded class]")) unnamed += 1e6;
  }
  const double burned = truth.Number("cpu.throwaway");
  EXPECT_LT(unnamed, 0.02 * burned);
  EXPECT_THAT(in_class, IsWithin(0.1, burned)) << "with the time that links its lambda";
  EXPECT_GT(in_method, 0.3 * burned);
  EXPECT_GT(in_lambda, 0.3 * burned);
}

TEST_P(ClassUnloadTest, EveryNameIsRightInAStorm) { ExpectRightNamesInAStorm("1ms", 1e6, {}); }

TEST_P(ClassUnloadTest, EveryNameIsRightWhileTheCodeCacheIsFlushed) {
  ExpectRightNamesInAStorm("1ms", 1e6,
                           {"-XX:+UseSerialGC", "-XX:ReservedCodeCacheSize=4m",
                            "-XX:InitialCodeCacheSize=2496k", "-XX:+UseCodeCacheFlushing"});
}

TEST_P(ClassUnloadTest, EveryNameIsRightAtAShortInterval) {
  const bool has_z = jdk().major >= 15;  // an experimental option before
  ExpectRightNamesInAStorm("100us", 1e5, {has_z ? "-XX:+UseZGC" : "-XX:+UseG1GC"});
}

TEST_P(ClassUnloadTest, WallSamplingSurvivesUnloading) {
  const ProcessResult run =
      RunProfiled("start,cpu=1ms,wall=1ms,file=" + Path("out.jfr"), {"ClassUnloader", "50", "10"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_GT(ReadSound("out.jfr").Count(kWallClockSample), 0);
}

}  // namespace
}  // namespace jprof::test
