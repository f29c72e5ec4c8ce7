// async-profiler's converter, fetched from Maven Central, reads the recording.
#include <sstream>
#include <tuple>

#include "jfr/writer/jfr_file.h"
#include "support/jvm/jvm_test.h"
#include "support/jvm/maven.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;

class JfrConverterTest : public JvmTest {
 protected:
  static std::string JarFolder() { return testing::TempDir() + "jprof-jfr-converter"; }

  void SetUp() override {
    if (!FetchFromMaven("jfr_converter", "copy-dependencies", JarFolder())) {
      GTEST_SKIP() << "the converter cannot be had from Maven Central";
    }
  }

  ProcessResult Convert(const std::vector<std::string>& arguments) const {
    ProcessSpec spec;
    spec.argv = {ReaderOf(jdk()).Tool("java"), "-cp", JarFolder() + "/*", "one.convert.Main"};
    spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
    spec.working_directory = folder();
    return RunProcess(spec);
  }

  // Returns the sum of the counts, which are the last words of the lines.
  static int64_t Total(const std::string& collapsed) {
    std::istringstream lines(collapsed);
    int64_t total = 0;
    for (std::string line; std::getline(lines, line);) {
      total += std::stoll(line.substr(line.rfind(' ') + 1));
    }
    return total;
  }
};
JPROF_ON_EVERY_JDK(JfrConverterTest);

TEST_P(JfrConverterTest, ConvertsEverySampleOfManyChunks) {
  const ProcessResult run = RunProfiled(
      "start,cpu=5ms,wall=10ms,chunktime=1s,file=" + Path("out.jfr"), {"BusyLoop", "2", "1500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  const int64_t wall = recording.Sum(kWallClockSample, "samples");

  struct Case {
    std::string flag;
    int64_t samples;
  };
  for (const Case& which :
       {Case{"--cpu", recording.Count(kExecutionSample)}, Case{"--wall", wall}}) {
    const std::string out = which.flag.substr(2) + ".collapsed";
    const ProcessResult converted = Convert({which.flag, "out.jfr", out});
    ASSERT_EQ(converted.exit_code, 0) << converted.Describe();
    const std::string text = ReadFile(Path(out));
    EXPECT_EQ(Total(text), which.samples) << which.flag;
    EXPECT_THAT(text, HasSubstr("BusyLoop.burnThree"));
  }
}

TEST_P(JfrConverterTest, MakesAFlameGraphAndAHeatmap) {
  const ProcessResult run =
      RunProfiled("start,cpu=5ms,file=" + Path("out.jfr"), {"BusyLoop", "1", "500"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  for (const std::string form : {"html", "heatmap"}) {
    const ProcessResult converted = Convert({"-o", form, "out.jfr", form + ".html"});
    EXPECT_EQ(converted.exit_code, 0) << form << converted.Describe();
    // The page encodes names by their difference from the previous name: only the end is literal.
    EXPECT_THAT(ReadFile(Path(form + ".html")), HasSubstr("burnOne")) << form;
  }
}

// The JVM has the event for sampled allocations (JEP 331) from JDK 11 on.
class JfrConverterAllocTest : public JfrConverterTest {};
JPROF_ON_JDKS_FROM(11, JfrConverterAllocTest);

TEST_P(JfrConverterAllocTest, AddsUpWeightsOfAllocations) {
  for (const auto& [option, event, field] :
       {std::tuple("tlab=0", "jdk.ObjectAllocationSample", "weight"),
        std::tuple("tlab=1", "jdk.ObjectAllocationInNewTLAB", "tlabSize")}) {
    const ProcessResult run =
        RunProfiled("start,alloc=64k," + std::string(option) + ",file=" + Path("out.jfr"),
                    {"Allocations", "300000", "1000"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const Recording recording = ReadSound("out.jfr");
    const ProcessResult converted = Convert({"--alloc", "--total", "out.jfr", "out.collapsed"});
    ASSERT_EQ(converted.exit_code, 0) << converted.Describe();
    EXPECT_GT(recording.Count(event), 0) << event;
    EXPECT_EQ(Total(ReadFile(Path("out.collapsed"))),
              recording.Sum(event, field) +
                  recording.Sum("jdk.ObjectAllocationOutsideTLAB", "allocationSize"));
  }
}

// The converter reads only the fields that it knows. Then it has to skip the fields that we append.
TEST_P(JfrConverterTest, AddsUpEventsWithAppendedFields) {
  for (const char* const context : {"context=0", "context=1,attributes=tenant"}) {
    const ProcessResult run = RunProfiled(
        "start,cpu=2ms,wall=10ms,lock=100us,nativelock=100us,trace=Locks.*:0,chunktime=1s," +
            std::string(context) + ",file=" + Path("out.jfr"),
        {"Locks", "platform", "50", "3", "2", "monitor", "reentrant", "semaphore"});
    ASSERT_EQ(run.exit_code, 0) << run.Describe();
    const Recording recording = ReadSound("out.jfr");
    struct Case {
      const char* flag;
      int64_t total;
    };
    const auto durations = [&](std::initializer_list<const char*> types) {
      int64_t sum = 0;
      for (const char* const type : types) sum += recording.Sum(type, "duration");
      return sum;
    };
    for (const Case& which : {Case{"--cpu", recording.Count(kExecutionSample)},
                              Case{"--wall", recording.Sum(kWallClockSample, "samples")},
                              Case{"--lock", durations({"jdk.JavaMonitorEnter", "jdk.ThreadPark"})},
                              Case{"--nativelock", durations({"profiler.NativeLock"})},
                              // The converter prints calls in ticks of 100 ns.
                              Case{"--trace", durations({"jdk.MethodTrace"}) / 100}}) {
      SCOPED_TRACE(std::string(which.flag) + " with " + context);
      EXPECT_GT(which.total, 0);
      const ProcessResult converted = Convert({which.flag, "--total", "out.jfr", "out.collapsed"});
      ASSERT_EQ(converted.exit_code, 0) << converted.Describe();
      EXPECT_EQ(Total(ReadFile(Path("out.collapsed"))), which.total);
    }
  }
}

}  // namespace
}  // namespace jprof::test
