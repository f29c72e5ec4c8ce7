// Sampled allocations under faults: other agents, lack of memory, unloaded classes, collections.
#include <cmath>

#include "integration/alloc_fixture.h"

namespace jprof::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr double kInterval = 128 << 10;

class AllocFaultsTest : public AllocTest {};
JPROF_ON_JDKS_FROM(11, AllocFaultsTest);

TEST_P(AllocFaultsTest, NamesTheConflictAndLeavesNoFile) {
  const ProcessResult run =
      RunProfiled("start,cpu,alloc,file=" + Path("out.jfr"), {"Hello"},
                  {"-agentpath:" + NativeLibraryFolder() + "/liballoc_holder.so"});
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_EQ(run.err,
            "[jprof] error: cannot start: another agent of this JVM samples allocations, which one "
            "agent alone can (can_generate_sampled_object_alloc_events): end that one, or leave "
            "out alloc; the program runs unprofiled\n");
  EXPECT_THAT(FilesInFolder(), IsEmpty());
}

TEST_P(AllocFaultsTest, SumsAreTrueAcrossOutOfMemoryErrors) {
  constexpr int kObjects = 4'000'000;
  const ProcessResult run =
      RunProfiled("start,alloc=128k,file=" + Path("out.jfr"),
                  {"AllocationPhases", "memory", std::to_string(kObjects)}, {"-Xmx96m"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  EXPECT_EQ(truth.Number("errors"), 3);
  ExpectTrue("memory", ByClass(ReadSound("out.jfr"), kInterval)["AllocationPhases$Small"],
             truth.Number("small"));
}

TEST_P(AllocFaultsTest, UnloadedClassesKeepTheirNamesAndBytes) {
  const ProcessResult run =
      RunProfiled("start,alloc=128k,chunktime=1s,file=" + Path("out.jfr"),
                  {"AllocationPhases", "unloading", "100", "8"}, {"-Xmx128m"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  EXPECT_GE(truth.Number("unloaded"), 50);
  Estimates classes = ByClass(ReadSound("out.jfr"), kInterval);
  AllocationEstimate all;
  double bytes = 0;
  for (const auto& [name, allocated] : truth.NumbersOf("class.")) {
    const AllocationEstimate& estimate = classes["[L" + name + ';'];
    EXPECT_GT(estimate.samples, 0) << name;
    all.Add(estimate);
    bytes += allocated;
  }
  ExpectTrue("unloaded classes", all, bytes);
}

// Epsilon never collects, and is sampled like any other collector.
TEST_P(AllocFaultsTest, SumsAreTrueWithoutCollections) {
  ExpectTrueSums("alloc=256k", 256 << 10, {"long", "2", "128"},
                 {"-XX:+UnlockExperimentalVMOptions", "-XX:+UseEpsilonGC", "-Xmx1500m"});
}

// The JVM's counters of threads do not distinguish windows, so that nothing is scaled. The
// recording says so.
TEST_P(AllocFaultsTest, WindowsAreNotCalibrated) {
  const ProcessResult run =
      RunProfiled("start,alloc=128k,begin=AllocationPhases.makeSmall,file=" + Path("out.jfr"),
                  {"AllocationPhases", "memory", "2000000"}, {"-Xmx96m"});
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const Recording recording = ReadSound("out.jfr");
  EXPECT_EQ(recording.Count(kCalibration), 0);
  bool is_said = false;
  for (const Event& setting : recording.OfType("jdk.ActiveSetting")) {
    if (setting.Text("name") != "calibration") continue;
    EXPECT_EQ(setting.Text("value"), "none: the counters of threads know no windows");
    is_said = true;
  }
  EXPECT_TRUE(is_said);
  int firsts = 0;
  for (const Event& event : recording.OfType(kAllocated)) {
    const int64_t weight = event.Number("weight");
    // From JDK 25 on, the first sampled object of a thread that ran at the start has its own size
    // as weight.
    if (event.Number("objectSize") != 64 || (weight == 64 && ++firsts == 1)) continue;
    EXPECT_EQ(weight, (128 << 10) + 32) << "S / p";
  }
  EXPECT_THAT(run.err, HasSubstr("\n[jprof] alloc: "));
}

TEST_P(AllocFaultsTest, SeparatesTheBytesOfConsecutiveRecordings) {
  constexpr int kRecordings = 4;
  const ProcessSpec spec =
      Java({"AllocationPhases", "restarts", AgentLibrary(), NativeLibraryFolder(),
            "start,alloc=128k,file=" + Path("N.jfr"), std::to_string(kRecordings)});
  const ProcessResult run = RunProcess(spec);
  ASSERT_EQ(run.exit_code, 0) << run.Describe();
  const ProgramOutput truth(run.out);
  for (int i = 1; i <= kRecordings; ++i) {
    const std::string number = std::to_string(i);
    EXPECT_THAT(run.out, HasSubstr("answer.stop." + number + "=stopped: "));
    const Recording recording = ReadSound(number + ".jfr");
    ExpectTrue("recording " + number, ByClass(recording, kInterval)["AllocationPhases$Small"],
               truth.Number("small." + number));
    double exact = 0;
    for (const Event& event : recording.OfType(kCalibration)) {
      if (event.Text("eventThread.javaName") == "main") {
        exact += static_cast<double>(event.Number("exact"));
      }
    }
    EXPECT_THAT(exact, IsWithin(0.001, truth.Number("small." + number)));
  }
  EXPECT_THAT(run.out, HasSubstr("totals    alloc: "));
}

class AllocInCollectionsTest : public AllocTest {};
JPROF_ON_JDKS_FROM(11, AllocInCollectionsTest);

// Serial stops the program to collect, and ZGC collects concurrently. Collections follow each other
// without a pause, so that they interrupt the iteration over all live objects.
TEST_P(AllocInCollectionsTest, RecordingsThatEndDuringACollectionAreWhole) {
  constexpr int kRecordings = 2;
  for (const char* collector : {"-XX:+UseSerialGC", "-XX:+UseZGC"}) {
    const ProcessSpec spec =
        Java({"AllocationPhases", "collecting", AgentLibrary(), NativeLibraryFolder(),
              "start,alloc=4k,live,file=" + Path("N.jfr"), std::to_string(kRecordings)},
             {"-XX:+UnlockExperimentalVMOptions", collector, "-Xmx512m"});
    const ProcessResult run = RunProcess(spec);
    ASSERT_EQ(run.exit_code, 0) << collector << run.Describe();
    const ProgramOutput truth(run.out);
    EXPECT_GE(truth.Number("stopsInCollections"), 1) << collector << run.Describe();
    for (int i = 1; i <= kRecordings; ++i) {
      const std::string number = std::to_string(i);
      EXPECT_THAT(run.out, HasSubstr("answer.stop." + number + "=stopped: "));
      const Recording recording = ReadSound(number + ".jfr");
      const AllocationEstimate small = ByClass(recording, 4 << 10)["AllocationPhases$Small"];
      ExpectTrue(collector + (" " + number), small, truth.Number("small." + number));
      ASSERT_EQ(recording.Count("profiler.LiveSnapshot"), 1) << collector;
      const Event snapshot = recording.OfType("profiler.LiveSnapshot").front();
      // All sampled objects are alive. The number of samples depends on the first TLAB, which the
      // JVM does not sample before JDK 25.
      const auto objects =
          static_cast<double>(snapshot.Number("objects") + snapshot.Number("newObjects"));
      const double least =
          static_cast<double>(small.samples) / static_cast<double>(snapshot.Number("thinning"));
      EXPECT_GT(least, 1000) << collector;
      EXPECT_GE(objects, least - 4 * std::sqrt(least)) << collector;
    }
  }
}

std::vector<Jdk> JdksWithoutTheEvent() {
  std::vector<Jdk> jdks = JdkList();
  std::erase_if(jdks, [](const Jdk& jdk) { return jdk.major >= 11; });
  return jdks;
}

class AllocOnOldJdkTest : public AllocTest {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(AllocOnOldJdkTest);
INSTANTIATE_TEST_SUITE_P(, AllocOnOldJdkTest, testing::ValuesIn(JdksWithoutTheEvent()),
                         testing::PrintToStringParamName());

TEST_P(AllocOnOldJdkTest, TheJdkIsNamedAsTheReason) {
  const ProcessResult run = RunProfiled("start,alloc,file=" + Path("out.jfr"), {"Hello"});
  EXPECT_EQ(run.exit_code, 0) << run.Describe();
  EXPECT_EQ(run.err,
            "[jprof] error: cannot start: alloc needs JDK 11 or later: JDK 8 does not sample "
            "allocations; the program runs unprofiled\n");
}

}  // namespace
}  // namespace jprof::test
